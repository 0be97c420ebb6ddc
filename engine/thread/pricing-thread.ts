import { Piscina } from 'piscina'
import { EngineFault, type ProgrammeOutline } from '../index.js'
import {
  type Batch,
  type BatchReply,
  ByteCollector,
  type Call,
  type Reply,
  type ThreadSettings,
  type ThreadStart,
} from './messages.js'

/** Calls in one message at most: more would only make the first wait for the last. */
export const batchCallsMax = 16
/**
 * Bytes of bodies in one message at most: two baskets of 200 lines, or many small ones. What a hand-over costs is nothing beside a large basket, and
 * all of a message are answered with its last: more would make the first of many large ones wait for all of them.
 */
export const batchBytesMax = 96 * 1024
/**
 * Young generation of a thread's heap, in MB. A 200-line basket leaves 2 MB of garbage, and a collector that runs often takes longer in
 * all: at 8 the median of `npm run bench -- everyday` was a third above those at 32 and 64 (one run each); at 64 a thread keeps the most.
 */
export const youngGenerationMb = 32
/** How long a thread may take to start, or to load one programme, before it counts as lost. */
const startMaxMs = 15_000
/** Rest before a thread that died while it started is started again. */
const restartDelayMs = 1000

/** A call that waits for its thread; its bytes join those of the batch when it leaves. */
export interface Waiting {
  /** Bytes that the call carries. */
  readonly size: number
  /** `load`: must be done again by the thread that takes a lost one's place. `bound`: asks for what only this thread has kept. */
  readonly kind: 'load' | 'bound' | 'free'
  /** `performance.now()` from which nobody waits for it: it is dropped where it has not begun by then. Infinity: never. */
  readonly untilMs: number
  /** Of a `load`: the programme's version. */
  readonly version?: number
  call(bytes: ByteCollector): Call
  /** The reply, and the bytes of its batch. */
  resolve(reply: Reply, bytes: Uint8Array): void
  reject(error: Error): void
}

export interface ThreadOptions extends ThreadSettings {
  /** Names the thread in tickets; one that takes its place is named `numberStep` higher. */
  readonly number: number
  readonly numberStep: number
  /** A thread that spends longer than this on one call is ended and replaced. */
  readonly taskMaxMs: number
  /** File that the thread runs; absent: `worker.js`. Tests bring one that dies when it is told to. */
  readonly entry?: URL
}

const defaultEntry = new URL('./worker.js', import.meta.url)

/**
 * One pricing thread: a Piscina of one worker, for a basket must be priced where it was read. One batch is under way at a
 * time; what arrives meanwhile leaves together as the next. A thread that is lost is replaced, programmes and all.
 */
export class PricingThread {
  /** Resolves when the thread is there for the first time; rejects where it is lost before that. */
  readonly firstStart: Promise<void>
  private settleStart: { readonly resolve: () => void; readonly reject: (cause: unknown) => void } | null = null
  private piscina: Piscina<Batch, BatchReply> | null = null
  private started = false
  private closed = false
  private queue: Waiting[] = []
  private running: readonly Waiting[] | null = null
  private readonly programmes = new Map<number, string>()
  private forgotten: number[] = []
  private dropped: number[] = []
  private readonly progress = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  private seenProgress = 0
  private stillMs = 0
  private ownNumber: number

  constructor(private readonly options: ThreadOptions) {
    this.ownNumber = options.number
    this.firstStart = new Promise((resolve, reject) => {
      this.settleStart = { resolve, reject }
    })
    this.start()
  }

  get number(): number {
    return this.ownNumber
  }

  /** Calls that wait or run. */
  get waiting(): number {
    return this.queue.length + (this.running?.length ?? 0)
  }

  /** Whether it has started and has no programme to load first. */
  get isReady(): boolean {
    return this.started && this.queue[0]?.kind !== 'load' && this.running?.[0]?.kind !== 'load'
  }

  send(waiting: Waiting): void {
    if (this.closed) waiting.reject(new EngineFault('closed'))
    else if (this.piscina === null) waiting.reject(new EngineFault('thread_lost'))
    else {
      this.enqueue(waiting)
      this.flush()
    }
  }

  /** Resolves when the thread, or the one in its place, can price with this version. */
  load(version: number, benefits: string): Promise<ProgrammeOutline> {
    if (this.closed) return Promise.reject(new EngineFault('closed'))
    this.programmes.set(version, benefits)
    return new Promise((resolve, reject) => {
      const fail = (error: Error) => {
        this.programmes.delete(version)
        reject(error)
      }
      this.queue = [loadCall(version, benefits, resolve, fail), ...this.queue]
      this.flush()
    })
  }

  drop(version: number): void {
    this.programmes.delete(version)
    this.dropped.push(version)
  }

  forget(ticket: number): void {
    this.forgotten.push(ticket)
  }

  /**
   * Ends a thread that has been at one call for too long; to be asked now and then.
   *
   * @param passedMs  since the last time, of what this process was given to run
   */
  watch(passedMs: number): void {
    if (this.running === null || this.piscina === null) return
    const progress = Atomics.load(this.progress, 0)
    const mayTakeMs = this.started && this.running[0]?.kind !== 'load' ? this.options.taskMaxMs : startMaxMs
    if (progress !== this.seenProgress) {
      this.seenProgress = progress
      this.stillMs = 0
      return
    }
    this.stillMs += passedMs
    if (this.stillMs > mayTakeMs) this.lose(this.piscina, new Error(`no progress for ${mayTakeMs} ms`))
  }

  /** Ends the thread; what waits or runs is rejected. */
  async close(): Promise<void> {
    this.closed = true
    const rest = [...(this.running ?? []), ...this.queue]
    this.queue = []
    this.running = null
    for (const waiting of rest) waiting.reject(new EngineFault('closed'))
    await this.piscina?.destroy()
  }

  private start(): void {
    if (this.closed) return
    const { linesMax, discountCode, stepsMax } = this.options
    const workerData: ThreadStart = { linesMax, discountCode, stepsMax, progress: this.progress }
    const filename = (this.options.entry ?? defaultEntry).href
    const resourceLimits = { maxYoungGenerationSizeMb: youngGenerationMb }
    const piscina = new Piscina<Batch, BatchReply>({
      filename,
      minThreads: 1,
      maxThreads: 1,
      workerData,
      resourceLimits,
    })
    piscina.on('workerDestroy', () => this.lose(piscina, new Error('the worker ended')))
    // Said of a worker that dies between two batches; `workerDestroy` comes with it and is what counts.
    piscina.on('error', () => undefined)
    this.piscina = piscina
    void this.run(piscina, [])
  }

  /** Baskets that have been read go before those that have not: what is begun is finished first. */
  private enqueue(waiting: Waiting): void {
    const place = waiting.kind === 'bound' ? this.queue.findIndex(({ kind }) => kind === 'free') : -1
    if (place < 0) this.queue.push(waiting)
    else this.queue.splice(place, 0, waiting)
  }

  private flush(): void {
    if (this.piscina === null || this.running !== null || this.queue.length === 0) return
    this.dropLate()
    if (this.queue.length > 0) void this.run(this.piscina, this.takeBatch())
  }

  /** What nobody waits for any more would only keep others waiting: without this, a thread that falls behind once never catches up. */
  private dropLate(): void {
    const nowMs = performance.now()
    if (!this.queue.some(({ untilMs }) => untilMs <= nowMs)) return
    const late = this.queue.filter(({ untilMs }) => untilMs <= nowMs)
    this.queue = this.queue.filter(({ untilMs }) => untilMs > nowMs)
    for (const waiting of late) waiting.reject(new EngineFault('too_late'))
  }

  /** As many of the first calls as one message takes; programmes are loaded by themselves. */
  private takeBatch(): readonly Waiting[] {
    const isLoad = this.queue[0]!.kind === 'load'
    let calls = 0
    let bytes = 0
    for (const { kind, size } of this.queue) {
      if ((kind === 'load') !== isLoad || calls === batchCallsMax) break
      if (calls > 0 && bytes + size > batchBytesMax) break
      calls++
      bytes += size
    }
    return this.queue.splice(0, calls)
  }

  private async run(piscina: Piscina<Batch, BatchReply>, batch: readonly Waiting[]): Promise<void> {
    this.running = batch
    this.seenProgress = Atomics.load(this.progress, 0)
    this.stillMs = 0
    try {
      const message = this.messageOf(batch)
      const { replies, bytes } = await piscina.run(message, { transferList: [message.bytes.buffer as ArrayBuffer] })
      if (piscina !== this.piscina || this.closed) return
      this.started = true
      this.settleStart?.resolve()
      this.running = null
      this.flush()
      for (const [index, waiting] of batch.entries()) waiting.resolve(replies[index]!, bytes)
    } catch (cause) {
      this.lose(piscina, cause)
    }
  }

  private messageOf(batch: readonly Waiting[]): Batch {
    const collector = new ByteCollector()
    const calls = batch.map((waiting) => waiting.call(collector))
    const { forgotten, dropped } = this
    this.forgotten = []
    this.dropped = []
    return { calls, bytes: collector.take(), forgotten, dropped }
  }

  /** Gives up a thread, and the calls that were on it, and starts another in its place. */
  private lose(piscina: Piscina<Batch, BatchReply>, cause: unknown): void {
    if (piscina !== this.piscina || this.closed) return
    const running = this.running ?? []
    const canWait = this.started
    const isLost = (each: Waiting) => each.kind === 'bound' || !canWait
    const lost = [...running, ...this.queue.filter(isLost)].filter(({ kind }) => kind !== 'load')
    this.queue = [...this.loadsAgain(running), ...this.queue.filter((each) => each.kind === 'free' && canWait)]
    this.piscina = null
    this.running = null
    this.started = false
    this.forgotten = []
    this.dropped = []
    this.ownNumber += this.options.numberStep
    void piscina.destroy()
    this.settleStart?.reject(cause)
    if (canWait) this.start()
    else setTimeout(() => this.start(), restartDelayMs).unref()
    for (const waiting of lost) waiting.reject(new EngineFault('thread_lost', { cause }))
  }

  /** Every programme to be loaded again; who waits for one goes on waiting. */
  private loadsAgain(running: readonly Waiting[]): readonly Waiting[] {
    const pending = [...running, ...this.queue].filter(({ kind }) => kind === 'load')
    const versions = new Set(pending.map(({ version }) => version))
    const loaded = [...this.programmes].filter(([version]) => !versions.has(version))
    return [...loaded.map(([version, benefits]) => loadCall(version, benefits, ignore, ignore)), ...pending]
  }
}

function loadCall(
  version: number,
  benefits: string,
  done: (outline: ProgrammeOutline) => void,
  failed: (error: Error) => void,
): Waiting {
  const call: Call = { kind: 'loadProgramme', version, benefits }
  const resolve = (reply: Reply) => {
    if (reply.kind === 'loaded') done(reply.outline)
    else if (reply.kind === 'threw') failed(errorFromReply(reply))
    else failed(new Error(`a pricing thread replied out of turn: ${reply.kind}`))
  }
  const untilMs = Number.POSITIVE_INFINITY
  return { size: 0, kind: 'load', version, call: () => call, resolve, reject: failed, untilMs }
}

/** What a thread threw, with the stack it had there. */
export function errorFromReply(reply: Reply & { readonly kind: 'threw' }): Error {
  const error = new Error(reply.message)
  error.stack = reply.stack
  return error
}

function ignore(): void {}
