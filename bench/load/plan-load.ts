import { createHash } from 'node:crypto'
import { Dice } from '../../test/support/dice.js'
import type { CatalogueSpec } from './catalogue.js'
import type { BasketMix } from './draw-baskets.js'

/** A load; everything random follows from the seed. */
export interface Load {
  readonly seed: number
  readonly catalogue: CatalogueSpec
  readonly mix: BasketMix
  readonly stages: readonly Stage[]
  /** `poisson`: independent arrivals, like many POS callers; `fixed`: one every 1/rate. */
  readonly arrivals: 'poisson' | 'fixed'
  /** The sale events that follow answered baskets; null: none. */
  readonly visits: VisitMix | null
  /** Number of different baskets, sent in random turns. */
  readonly basketsDrawn: number
  /** Expected 200 body: an answer of the contract, anything (floors), or one with this text so often (peers). */
  readonly answers: 'contract' | 'anything' | { readonly text: string; readonly times: number }
  /** The bytes of every basket, for a peer. Default: a signed basket of the catalogue. */
  readonly request?: string
}

export interface Stage {
  readonly rate: number
  readonly seconds: number
  /** false: a warm-up, of which only errors are reported. */
  readonly counted: boolean
}

/** Shares out of 1. */
export interface VisitMix {
  /** Average time from a basket to its sale event, at least a quarter of it, in milliseconds. */
  readonly thinkMs: number
  /** Visits whose basket changes: a second calculation supersedes the first. */
  readonly changedShare: number
  readonly cancelledShare: number
  /** Visits that charge the original basket despite the answer, and send `failed`. */
  readonly failedShare: number
  readonly repeatedShare: number
}

export const everydayVisits: VisitMix = {
  thinkMs: 2_000,
  changedShare: 0.08,
  cancelledShare: 0.04,
  failedShare: 0.02,
  repeatedShare: 0.02,
}

/**
 * One calculation of a POS and the end of its sale; null: no sale event, because it is superseded or only baskets are
 * sent.
 */
export interface Visit {
  readonly calculationId: string
  /** Index of the calculation that this one supersedes. */
  readonly supersedes: number | null
  /** Index among the drawn baskets. */
  readonly basket: number
  readonly ending: 'as_answered' | 'failed' | 'cancelled' | null
}

/** One request, sent at a planned moment, independent of earlier ones. */
export interface Shot {
  /** Since the start of the load, in milliseconds. */
  readonly dueMs: number
  readonly kind: 'basket' | 'sale'
  readonly visit: number
  /** The same bytes were sent before. */
  readonly repeated: boolean
  readonly counted: boolean
}

export interface Plan {
  readonly visits: readonly Visit[]
  /** In order of `dueMs`. */
  readonly shots: readonly Shot[]
  readonly endMs: number
}

/** Time from a basket to the changed one, and from a request to its repeat, in milliseconds. */
const changeAfterMs = 700
const repeatAfterMs = 150

/** All requests of a load; the same load gives the same plan. */
export function planLoad(load: Load): Plan {
  const dice = new Dice(load.seed)
  const planner = new Planner(load, dice)
  let fromMs = 0
  for (const { rate, seconds, counted } of load.stages) {
    const untilMs = fromMs + seconds * 1000
    const gapMs = 1000 / rate
    let dueMs = fromMs + (load.arrivals === 'fixed' ? 0 : exponential(dice, gapMs))
    for (; dueMs < untilMs; dueMs += load.arrivals === 'fixed' ? gapMs : exponential(dice, gapMs)) {
      planner.visit(dueMs, counted)
    }
    fromMs = untilMs
  }
  planner.shots.sort((left, right) => left.dueMs - right.dueMs)
  return { visits: planner.visits, shots: planner.shots, endMs: fromMs }
}

class Planner {
  readonly visits: Visit[] = []
  readonly shots: Shot[] = []

  constructor(
    private readonly load: Load,
    private readonly dice: Dice,
  ) {}

  visit(dueMs: number, counted: boolean): void {
    const { dice } = this
    const mix = this.load.visits
    if (mix === null) {
      this.calculate({ dueMs, supersedes: null, ending: null, counted })
      return
    }
    const changes = dice.next() < mix.changedShare
    const ending = drawEnding(dice, mix)
    this.calculate({ dueMs, supersedes: null, ending: changes ? null : ending, counted })
    if (!changes) return
    const supersedes = this.visits.length - 1
    this.calculate({ dueMs: dueMs + changeAfterMs, supersedes, ending, counted })
  }

  private calculate(one: {
    readonly dueMs: number
    readonly supersedes: number | null
    readonly ending: Visit['ending']
    readonly counted: boolean
  }): void {
    const { dice, load } = this
    const { dueMs, supersedes, ending, counted } = one
    const visit = this.visits.length
    const calculationId = uuidOf(load.seed, visit)
    this.visits.push({ calculationId, supersedes, basket: dice.below(load.basketsDrawn), ending })
    this.shoot({ dueMs, kind: 'basket', visit, counted })
    if (ending === null || load.visits === null) return
    const { thinkMs } = load.visits
    const thoughtMs = thinkMs / 4 + exponential(dice, (thinkMs * 3) / 4)
    this.shoot({ dueMs: dueMs + thoughtMs, kind: 'sale', visit, counted })
  }

  private shoot(shot: Omit<Shot, 'repeated'>): void {
    this.shots.push({ ...shot, repeated: false })
    if (this.load.visits === null || this.dice.next() >= this.load.visits.repeatedShare) return
    this.shots.push({ ...shot, dueMs: shot.dueMs + repeatAfterMs, repeated: true })
  }
}

function drawEnding(dice: Dice, { cancelledShare, failedShare }: VisitMix): 'as_answered' | 'failed' | 'cancelled' {
  const chance = dice.next()
  if (chance < cancelledShare) return 'cancelled'
  return chance < cancelledShare + failedShare ? 'failed' : 'as_answered'
}

/** Time until the next of a stream without memory. */
export function exponential(dice: Dice, mean: number): number {
  return -Math.log(1 - dice.next()) * mean
}

/** In the form of version 4. Hashed, not from the dice: two dice sequences may meet, and ids must be unique. */
function uuidOf(seed: number, at: number): string {
  const hex = createHash('sha256').update(`${seed}/${at}`).digest('hex')
  const variant = '89ab'[Number.parseInt(hex[16]!, 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The seed of one case or step: no two of a run send the same calculationId. */
export function seedOf(seed: number, name: string): number {
  return createHash('sha256').update(`${seed}/${name}`).digest().readUInt32BE(0)
}
