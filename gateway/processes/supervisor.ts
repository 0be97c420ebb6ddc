import { atMostEvery } from '../telemetry/at-most-every.js'
import { type Metrics, pageEveryMs } from '../telemetry/metrics.js'
import type { Announcement, FromProcess, ProcessCount, ToProcess } from './messages.js'
import { createMetricsRounds, type MetricsRounds } from './metrics-rounds.js'

export interface Child {
  send(message: ToProcess): void
  kill(): void
}

export interface ChildEvents {
  said(message: FromProcess): void
  ended(code: number | null): void
}

export interface SupervisorOptions {
  readonly count: number
  /** Starts a process with its number, 1 and up. `publishes`: it is the one that publishes LOYALTY_PROGRAM. */
  fork(number: number, publishes: boolean, events: ChildEvents): Child
  readonly metrics: Metrics
  /** All of them listen, for the first time: what they announced together. */
  announce(announcement: Announcement): void
  /** Everything has ended: 0 after a stop in order, else 1. */
  exit(code: number): void
  warn(fields: object, message: string): void
}

export interface Supervisor {
  /** Tells all to drain; a second time ends them at once. */
  stop(): void
}

/** A shutdown that takes longer than this is cut off (wire decisions 6), in milliseconds. */
const stopMaxMs = 10_000
/** Pause before a process takes the place of one that ended, in milliseconds; doubled each time it ends again soon, up to the most. */
const pauseMs = { first: 100, most: 5_000 } as const
/** After so long a process counts as sound: when it ends later, its place is taken as quickly as the first time, in milliseconds. */
const soundMs = 30_000

interface Seat {
  readonly number: number
  child: Child | null
  /** null: it does not listen. */
  announcement: Announcement | null
  watches: boolean
  startedAtMs: number
  pauseMs: number
}

/**
 * Starts the processes and keeps them running. The first one comes alone: it brings the database up to date and publishes LOYALTY_PROGRAM,
 * and where it cannot start, none does. A process that takes the place of another publishes nothing.
 */
export function startSupervisor(options: SupervisorOptions): Supervisor {
  const group = new Group(options)
  group.start()
  return { stop: () => group.stop() }
}

class Group {
  readonly #seats: readonly Seat[]
  readonly #rounds: MetricsRounds
  /** Every process asks by itself, and all of them get the same page. */
  readonly #page = atMostEvery(pageEveryMs, () => this.#gather())
  #complete = false
  #restarts = 0
  #stopping = false
  #code = 0

  constructor(readonly options: SupervisorOptions) {
    const { count, metrics } = options
    const seat = (_: unknown, at: number): Seat => ({
      number: at + 1,
      child: null,
      announcement: null,
      watches: false,
      startedAtMs: 0,
      pauseMs: pauseMs.first,
    })
    this.#seats = Array.from({ length: count }, seat)
    this.#rounds = createMetricsRounds(metrics)
    metrics.watch('loyalty_processes', 'Processes of this start.', () => count)
    metrics.watch('loyalty_processes_up', 'Of these, those that listen.', () => this.#up)
    const replaced = 'Processes that have ended and been replaced since the start.'
    metrics.watch('loyalty_process_restarts', replaced, () => this.#restarts)
  }

  start(): void {
    this.#fill(this.#seats[0]!, true)
  }

  stop(): void {
    if (this.#stopping) {
      this.#cut()
      return
    }
    this.#stopping = true
    setTimeout(() => this.#cut(), stopMaxMs).unref()
    for (const { child } of this.#seats) child?.send({ kind: 'stop' })
    this.#exitWhenEmpty()
  }

  get #up(): number {
    return this.#seats.filter(isUp).length
  }

  #fill(seat: Seat, publishes: boolean): void {
    seat.startedAtMs = performance.now()
    seat.child = this.options.fork(seat.number, publishes, {
      said: (message) => this.#receive(seat, message),
      ended: (code) => this.#ended(seat, code),
    })
  }

  #receive(seat: Seat, message: FromProcess): void {
    if (message.kind === 'up') this.#cameUp(seat, message.announcement)
    if (message.kind === 'metrics_given') this.#rounds.given(seat.number, message)
    if (message.kind === 'requests_watched') this.#watches(seat, message.watched)
    if (message.kind === 'request_answered') {
      for (const other of this.#seats) if (other !== seat && other.watches) other.child?.send(message)
    }
    if (message.kind !== 'metrics_wanted') return
    const { ticket } = message
    void this.#page().then((text) => seat.child?.send({ kind: 'metrics_gathered', ticket, text }))
  }

  #watches(seat: Seat, watches: boolean): void {
    seat.watches = watches
    for (const each of this.#seats) {
      const watched = this.#seats.some((other) => other !== each && other.watches)
      each.child?.send({ kind: 'requests_watched', watched })
    }
  }

  #gather(): Promise<string> {
    return new Promise((resolve) => {
      this.#rounds.begin(this.#seats.filter(isUp), resolve)
    })
  }

  #cameUp(seat: Seat, announcement: Announcement): void {
    seat.announcement = announcement
    const begins = !this.#complete && this.#up === 1 && !this.#stopping
    if (begins) for (const other of this.#seats) if (other !== seat) this.#fill(other, false)
    if (!this.#complete && this.#up === this.#seats.length) {
      this.#complete = true
      this.options.announce(together(this.#seats.map((each) => each.announcement!)))
    }
    // A process that takes another's place has missed it.
    if (this.#seats.some(({ watches }) => watches)) this.#watches(seat, seat.watches)
    this.#notifyProcessCount()
  }

  #notifyProcessCount(): void {
    const processCount: ProcessCount = { up: this.#up, of: this.#seats.length, complete: this.#complete }
    for (const { child } of this.#seats) child?.send({ kind: 'process_count', processCount })
  }

  #ended(seat: Seat, code: number | null): void {
    seat.child = null
    seat.announcement = null
    if (seat.watches) this.#watches(seat, false)
    if (this.#stopping) {
      if (code !== 0) this.#code = 1
      this.#exitWhenEmpty()
    } else if (this.#complete) this.#replace(seat, code)
    else {
      // It has said why it cannot start: so none starts.
      this.#code = 1
      this.stop()
    }
  }

  #replace(seat: Seat, code: number | null): void {
    this.options.warn({ process: seat.number, code }, 'a process has ended')
    this.#restarts += 1
    this.#notifyProcessCount()
    if (performance.now() - seat.startedAtMs > soundMs) seat.pauseMs = pauseMs.first
    setTimeout(() => !this.#stopping && this.#fill(seat, false), seat.pauseMs)
    seat.pauseMs = Math.min(2 * seat.pauseMs, pauseMs.most)
  }

  #exitWhenEmpty(): void {
    if (this.#seats.every(({ child }) => child === null)) this.options.exit(this.#code)
  }

  #cut(): void {
    this.#code = 1
    for (const { child } of this.#seats) child?.kill()
  }
}

function isUp({ announcement }: Seat): boolean {
  return announcement !== null
}

/** Each part of the first process that has it. */
function together(announcements: readonly Announcement[]): Announcement {
  const first = <Name extends keyof Announcement>(name: Name) =>
    announcements.find((each) => each[name] !== null)?.[name] ?? null
  return {
    ...announcements[0]!,
    ...{ http: first('http'), internal: first('internal'), consolePath: first('consolePath') },
    ...{ secretsFile: first('secretsFile'), tokensFile: first('tokensFile') },
    warnings: [...new Set(announcements.flatMap(({ warnings }) => warnings))],
  }
}
