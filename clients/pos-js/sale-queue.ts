import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { PosSale } from './build-sale.js'
import type { Service } from './call.js'
import { type Sent, sendSale } from './send-sale.js'

export interface SalePatience {
  readonly timeoutMs: number
  /** Before the second attempt; doubles from there, up to `pauseMaxMs`. */
  readonly pauseMs: number
  readonly pauseMaxMs: number
  /** An event older than this is given up. */
  readonly horizonMs: number
}

export const contractPatience: SalePatience = {
  timeoutMs: 5_000,
  pauseMs: 250,
  pauseMaxMs: 5 * 60_000,
  horizonMs: 24 * 3_600_000,
}

/** The end of an event: `left` by a queue that was closed, sent by the next one; `expired`: given up. */
export type SaleEnd = {
  readonly calculationId: string
  readonly attempts: number
  readonly sent: Sent | null
  readonly kind: 'taken' | 'refused' | 'expired' | 'left'
}

export interface SaleQueueOptions {
  /** Created if missing. Refused and expired events stay in it, for people. */
  readonly folder: string
  readonly service: Service
  readonly patience?: SalePatience
}

const parallelMax = 4
/** The longest pause that an answer may ask for: a proxy's Retry-After of days would outlast the horizon, and a timer. Milliseconds. */
const askedMsMax = 3_600_000

interface Event {
  readonly calculationId: string
  readonly file: string
  readonly body: string
  readonly sinceMs: number
  readonly end: Promise<SaleEnd>
  readonly resolve: (end: SaleEnd) => void
  isRunning: boolean
  attempts: number
  dueMs: number
  sent: Sent | null
}

/** Sale events on their way: one file each, so that a POS that stops or crashes sends the rest when it runs again. */
export class SaleQueue {
  private readonly events = new Map<string, Event>()
  private readonly adding = new Map<string, Promise<Event>>()
  private readonly running = new Set<Promise<void>>()
  private timer: NodeJS.Timeout | undefined
  private isClosed = false

  private constructor(
    private readonly options: SaleQueueOptions,
    private readonly patience: SalePatience,
  ) {}

  static async open(options: SaleQueueOptions): Promise<SaleQueue> {
    const { folder, patience = contractPatience } = options
    const queue = new SaleQueue(options, patience)
    await mkdir(folder, { recursive: true })
    for (const name of await readdir(folder)) {
      const file = join(folder, name)
      if (name.endsWith('.part')) await unlink(file)
      if (!name.endsWith('.json')) continue
      const [body, { mtimeMs }] = await Promise.all([readFile(file, 'utf8'), stat(file)])
      queue.take(file, body, mtimeMs)
    }
    return queue
  }

  get depth(): number {
    return this.events.size
  }

  /** Resolves once the event is on disk; `end` once it is ended. An event that is on its way already is not added twice. */
  async add(sale: PosSale): Promise<{ readonly end: Promise<SaleEnd> }> {
    const file = join(this.options.folder, `${sale.calculationId}.json`)
    const known = this.events.get(file)
    if (known !== undefined) return { end: known.end }
    const adding = this.adding.get(file) ?? this.write(file, JSON.stringify(sale))
    return { end: (await adding).end }
  }

  private write(file: string, body: string): Promise<Event> {
    const written = writeWhole(this.options.folder, file, body)
      .then(() => this.take(file, body, Date.now()))
      .finally(() => this.adding.delete(file))
    this.adding.set(file, written)
    return written
  }

  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await Promise.all(this.running)
    for (const event of this.events.values()) event.resolve(endOf(event, 'left'))
    this.events.clear()
  }

  private take(file: string, body: string, sinceMs: number): Event {
    const { promise: end, resolve } = withResolvers<SaleEnd>()
    const calculationId = basename(file, '.json')
    const event = {
      calculationId,
      file,
      body,
      sinceMs,
      end,
      resolve,
      isRunning: false,
      attempts: 0,
      dueMs: 0,
      sent: null,
    }
    this.events.set(file, event)
    this.pump()
    return event
  }

  /** Sends due events, and runs again when the next one is due. */
  private pump(): void {
    clearTimeout(this.timer)
    if (this.isClosed) return
    const nowMs = performance.now()
    let nextMs = Number.POSITIVE_INFINITY
    for (const event of this.events.values()) {
      if (event.isRunning) continue
      if (this.running.size === parallelMax) return
      if (event.dueMs <= nowMs) this.start(event)
      else nextMs = Math.min(nextMs, event.dueMs - nowMs)
    }
    if (nextMs !== Number.POSITIVE_INFINITY) this.timer = setTimeout(() => this.pump(), nextMs)
  }

  private start(event: Event): void {
    event.isRunning = true
    const run = this.attempt(event).finally(() => {
      event.isRunning = false
      this.running.delete(run)
      this.pump()
    })
    this.running.add(run)
  }

  private async attempt(event: Event): Promise<void> {
    if (Date.now() - event.sinceMs > this.patience.horizonMs) return this.end(event, 'expired')
    event.sent = await sendSale(this.options.service, { ...event, timeoutMs: this.patience.timeoutMs })
    event.attempts++
    if (event.sent.kind !== 'later') return this.end(event, event.sent.kind)
    const { pauseMs, pauseMaxMs } = this.patience
    const backoffMs = Math.min(pauseMaxMs, pauseMs * 2 ** (event.attempts - 1))
    event.dueMs = performance.now() + Math.max(Math.min(event.sent.askedMs, askedMsMax), backoffMs)
  }

  private async end(event: Event, kind: 'taken' | 'refused' | 'expired'): Promise<void> {
    await settleFile(event.file, kind)
    this.events.delete(event.file)
    event.resolve(endOf(event, kind))
  }
}

/** A file that cannot be moved stops nothing else: the POS sends it again at its next start, and gets the first answer. */
async function settleFile(file: string, kind: 'taken' | 'refused' | 'expired'): Promise<void> {
  const moved = kind === 'taken' ? unlink(file) : rename(file, `${file}.${kind}`)
  await moved.catch(() => {})
}

function endOf({ calculationId, attempts, sent }: Event, kind: SaleEnd['kind']): SaleEnd {
  return { calculationId, attempts, sent, kind }
}

function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

/** Writes a file completely or not at all, also across a power loss. */
async function writeWhole(folder: string, file: string, body: string): Promise<void> {
  const part = `${file}.part`
  const handle = await open(part, 'w')
  try {
    await handle.writeFile(body)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(part, file)
  const directory = await open(folder, 'r')
  await directory.sync().finally(() => directory.close())
}
