import { scratch } from '../base/scratch.js'
import { isLoose, stepsFor } from '../lines/plan.js'
import type { ComponentChoice, SolverTask } from '../model/task.js'
import type { TieGround } from '../model/tie-ground.js'
import { isShared } from '../offers/offer.js'
import { comingOf, cycleOf } from './coming.js'
import { type Cycle, counterOf } from './counters.js'
import { Dealer, type DealtLine, type TiedLine, tiedLines } from './deal.js'
import { type Track, trackOf } from './tracks.js'
import { Walk } from './walk.js'
import { type WalkLine, walkLinesOf } from './ways.js'

/** Lines of all offers that count as nothing beside the ways and moves over them, and what setting out takes for each other one. */
const rolesPlain = 256
const stepsPerRole = 6

/** Share of the budget for setting out: a walk that could not go far is not begun. */
const setupShareMax = 0.3

/** Ways of one line above which a walk is not tried. */
const waysMax = 1000

/**
 * The best plans of a component by dynamic programming, line after line (3-benefits 4): of all ways to serve the lines
 * so far that leave the same to be done, only the best goes on, and only while it can still come up to the best plans
 * known. Lines come by falling price, so that what a `buy_get` gives is never dearer than what was bought for it.
 *
 * Nothing is proven where there are too many ways. With maximum amounts below others on top it walks a second time, where the
 * first leaves better plans possible: ways are many once they are told apart for what is shared below.
 */
export function walkComponent(component: TieGround, task: SolverTask): ComponentChoice {
  const first = scratch.during(() => walk(component, task, false))
  const { loose, offers } = component
  const isOpen = first.bound < Number.POSITIVE_INFINITY && first.bound >= first.worth + 1
  if (!isOpen || loose.length === 0 || !offers.some(isShared)) return first
  const left = { ...task, start: first, stepsMax: task.stepsMax - first.steps }
  const second = scratch.during(() => walk(component, left, true))
  return { ...second, bound: Math.min(first.bound, second.bound), steps: first.steps + second.steps }
}

function walk(component: TieGround, task: SolverTask, isApart: boolean): ComponentChoice {
  const { weights = null, penalties = null, workedOut, stepsMax } = task
  const { offers, loose } = component
  const refused = (steps: number) => ({ ...task.start, bound: Number.POSITIVE_INFINITY, steps })
  const ground = loose.length === 0 ? component : { ...component, offers: [...offers, ...loose] }
  const roles = ground.offers.reduce((sum, { lines }) => sum + lines.length, 0)
  const setup = Math.max(0, roles - rolesPlain) * stepsPerRole
  if (setup > stepsMax * setupShareMax) return refused(0)
  const cycles = ground.offers.map((offer) => (weights === null ? cycleOf(ground, offer) : null))
  const { dealt, steps: dealing } = dealLines(ground, cycles, stepsMax - setup)
  const steps = setup + dealing
  const lines = dealt === null ? null : walkLinesOf(ground, dealt, { weights, penalties, workedOut, isApart })
  if (lines === null) return refused(steps)
  const weigh = (at: number) => weights?.[at] ?? 1
  const tracks = tracksOf(ground, lines, { cycles, weigh, movesMax: (stepsMax - steps) * trackMovesPerStep })
  if (tracks === null) return refused(steps + dealing)
  const moves = tracks.reduce((sum, track) => sum + track.moves, 0)
  return new Walk(ground, task, { lines, tracks }).run(steps + Math.ceil(moves / trackMovesPerStep))
}

// What offers can have of each line; null where that makes too many ways.
function dealLines(ground: TieGround, cycles: readonly (Cycle | null)[], stepsMax: number) {
  const dealt: DealtLine[] = []
  const dealer = new Dealer(ground, cycles)
  let cost = 0
  for (const tied of inOrder(ground, tiedLines(ground))) {
    const offers = ground.lineOffers[tied.at]!
    const isPlain = offers.free.length + offers.stacks.length === 0 && ground.lines[tied.at]!.own === 0
    const line = dealer.deal(tied, waysMax)
    const plans = isPlain ? plainSteps : stepsFor(offers) * (offers.stacks.some(isLoose) ? loosePlans : 1)
    cost += line === null ? 0 : line.wayCount * plans
    if (line === null || cost > stepsMax) return { dealt: null, steps: ground.lines.length }
    dealt.push(line)
  }
  return { dealt, steps: Math.ceil(cost) }
}

/** Moves of tracks that are laid in the time of one step. */
const trackMovesPerStep = 5

/** Plans of a way of a line on which stackable maximum amounts can stand. */
const loosePlans = 4

/** Steps of a way of a line on which nothing else counts. */
const plainSteps = 0.2

interface Laying {
  /** By offer: the counts of a `buy_get` whose units are dealt by falling price. */
  readonly cycles: readonly (Cycle | null)[]
  readonly weigh: (at: number) => number
  readonly movesMax: number
}

function tracksOf(ground: TieGround, lines: readonly WalkLine[], { cycles, weigh, movesMax }: Laying): Track[] | null {
  const tracks: Track[] = []
  let left = movesMax
  const placesOf = ground.offers.map((): number[] => [])
  for (const [place, { offers }] of lines.entries()) for (const index of offers) placesOf[index]!.push(place)
  for (const [index, offer] of ground.offers.entries()) {
    const places = placesOf[index]!
    const stops = places.map((place) => lines[place]!)
    const weights = stops.map(({ at }) => weigh(at))
    const [least, most] = [Math.min(...weights), Math.max(...weights)]
    const counter = counterOf(offer, comingOf(ground, stops, index), { least, most, cycle: cycles[index]! })
    const track = trackOf(lines, { index, places }, { counter, movesMax: left })
    if (track === null) return null
    left -= track.moves
    tracks.push(track)
  }
  return tracks
}

// Lines whose units are only bought first, then by falling price.
function inOrder({ lines }: TieGround, tied: readonly TiedLine[]): TiedLine[] {
  const isLater = ({ standings }: TiedLine) => Number(standings.includes('either'))
  return [...tied].sort((a, b) => isLater(a) - isLater(b) || lines[b.at]!.price - lines[a.at]!.price || a.at - b.at)
}
