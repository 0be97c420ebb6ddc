import { setTimeout as sleep } from 'node:timers/promises'
import { EngineFault, type PricingEngine, type PricingFacts, type SentBasket, type Ticket } from '../../engine/index.js'
import { createProgrammeShelf } from '../../engine/thread/programme-shelf.js'

/** Tasks that wait for their turn; further ones are refused. */
const waitingMax = 64
/** Interval at which a task checks for waiting POS calls, and the time after which it goes on all the same, in milliseconds. */
const lookMs = 2
const yieldMs = 100
/** Numbers from here on name drafts; published versions stay far below. */
const draftsFrom = 1_000_000_000

/** A programme that prices with low priority: a published version, or a draft. */
export interface LowPriorityProgramme {
  /** For a draft an internal number. */
  readonly version: number
  readonly isDraft: boolean
  /** JSON array of its benefits, read only where the thread does not have them. */
  readonly benefits: () => Promise<string>
  /** Ids of its benefits that are not enabled. Absent: only the document of the version has them. */
  readonly benefitsOff?: readonly string[]
}

export interface LowPriorityEngine extends Pick<PricingEngine, 'readBasket' | 'forget' | 'unpack'> {
  priceBasket(
    ticket: Ticket,
    programme: LowPriorityProgramme,
    facts: Omit<PricingFacts, 'programmeVersion'>,
  ): ReturnType<PricingEngine['priceBasket']>
  closedBenefits(
    programme: LowPriorityProgramme,
    sent: SentBasket,
    facts: Omit<PricingFacts, 'programmeVersion'>,
  ): ReturnType<PricingEngine['closedBenefits']>
  ladder(
    ticket: Ticket,
    programme: LowPriorityProgramme,
    charged: Parameters<PricingEngine['ladder']>[1],
  ): ReturnType<PricingEngine['ladder']>
}

/**
 * Pricing that no card payment waits for: simulations, replays, shadow runs, returns. On a thread of its own, one task at a time, each only
 * while no POS waits (or after 100 ms of waiting), so that an adversarial draft costs neither a live basket its thread nor the live
 * programmes their place.
 */
export interface LowPriority {
  /** Rejects with the signal's reason while it waits for its turn, with EngineFault as the engine does. */
  run<T>(signal: AbortSignal, work: (engine: LowPriorityEngine) => Promise<T>): Promise<T>
  /** A draft under a number of its own, with the ids of benefits that are not enabled. */
  draft(benefits: string, benefitsOff?: readonly string[]): LowPriorityProgramme
  /** Starts the thread, which else starts with the first task. */
  warmUp(): Promise<void>
  close(): Promise<void>
}

interface Parts {
  readonly live: Pick<PricingEngine, 'waiting'>
  readonly start: () => Promise<PricingEngine>
}

export function createLowPriority({ live, start }: Parts): LowPriority {
  const shelf = createProgrammeShelf()
  const loaded = new Set<number>()
  let engine: Promise<PricingEngine> | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let drafts = 0
  let closed = false

  function started(): Promise<PricingEngine> {
    engine ??= start().catch((error: unknown) => {
      engine = null
      throw error
    })
    return engine
  }

  /** The thread's own shelf sees the same versions in the same order, so that both drop the same ones. */
  async function load(on: PricingEngine, { version, benefits }: LowPriorityProgramme): Promise<void> {
    if (!loaded.has(version)) await on.loadProgramme(version, await benefits())
    loaded.add(version)
    for (const gone of shelf.use(version)) loaded.delete(gone)
  }

  async function yieldToPos(signal: AbortSignal): Promise<void> {
    const untilMs = performance.now() + yieldMs
    while (live.waiting > 0 && performance.now() < untilMs) await sleep(lookMs, undefined, { signal })
  }

  async function work<T>(signal: AbortSignal, task: (engine: LowPriorityEngine) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    if (closed) throw new EngineFault('closed')
    await yieldToPos(signal)
    const on = await started()
    return await task(engineOn(on, (programme) => load(on, programme)))
  }

  return {
    async run(signal, task) {
      if (waiting >= waitingMax) throw new EngineFault('queue_full')
      waiting += 1
      const mine = turn.then(() => work(signal, task))
      turn = mine.catch(() => undefined)
      try {
        return await mine
      } finally {
        waiting -= 1
      }
    },
    draft(benefits, benefitsOff = []) {
      drafts += 1
      return { version: draftsFrom + drafts, isDraft: true, benefits: async () => benefits, benefitsOff }
    },
    async warmUp() {
      if (!closed) await started()
    },
    async close() {
      closed = true
      await (await engine?.catch(() => null))?.close()
    },
  }
}

function engineOn(on: PricingEngine, load: (programme: LowPriorityProgramme) => Promise<void>): LowPriorityEngine {
  return {
    readBasket: (body, key) => on.readBasket(body, key),
    forget: (ticket) => on.forget(ticket),
    unpack: (packed) => on.unpack(packed),
    async priceBasket(ticket, programme, facts) {
      await load(programme)
      return await on.priceBasket(ticket, { ...facts, programmeVersion: programme.version })
    },
    async closedBenefits(programme, sent, facts) {
      await load(programme)
      return await on.closedBenefits(sent, { ...facts, programmeVersion: programme.version })
    },
    async ladder(ticket, programme, charged) {
      await load(programme)
      return await on.ladder(ticket, charged)
    },
  }
}
