import { Piscina } from 'piscina'
import { EngineFault, type ProgrammeOutline } from '../index.js'
import { addedChannels } from '../wire/channels.js'
import {
  type Batch,
  type BatchReply,
  ByteCollector,
  type Call,
  type Reply,
  type ThreadSettings,
  type ThreadStart,
} from './messages.js'

/** Calls per message at most: a message is answered with its last call, so more would delay the first. */
export const batchCallsMax = 16
/** Two baskets of 200 lines, or many small ones: beside these the cost of a message is negligible. */
export const batchBytesMax = 96 * 1024
/**
 * Young generation of a thread's heap, in MB. A 200-line basket leaves 2 MB of garbage. At 8 the median of `npm run
 * bench -- everyday` was a third above 32 and 64 (one run each); 16 takes the same processor time as 32, and with four
 * threads 40 MB less.
 */
export const youngGenerationMb = 16
const startMaxMs = 15_000
const restartDelayMs = 1000

export interface Waiting {
  readonly size: number
  /** `load`: repeated on the replacement of a lost thread. `bound`: needs a basket that only this thread holds. */
  readonly kind: 'load' | 'bound' | 'free'
  /** Deadline on the clock of `performance.now()`: the call is dropped if it has not begun by then. Infinity: none. */
  readonly untilMs: number
  readonly version?: number
  call(bytes: ByteCollector): Call
  resolve(reply: Reply, bytes: Uint8Array): void
  reject(error: Error): void
}

export interface ThreadOptions extends ThreadSettings {
  readonly number: number
  readonly numberStep: number
  readonly taskMaxMs: number
  readonly onRun: () => void
  readonly entry?: URL
}

const defaultEntry = new URL('./worker.js', import.meta.url)

/** A Piscina of one worker, because a basket is priced on the thread that read it. A lost one is replaced and loads its programmes. */
export class PricingThread {
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

  get waiting(): number {
    return this.queue.length + (this.running?.length ?? 0)
  }

  get isReady(): boolean {
    return this.started && this.queue[0]?.kind !== 'load' && this.running?.[0]?.kind !== 'load'
  }

  get isRunning(): boolean {
    return this.running !== null
  }

  send(waiting: Waiting): void {
    if (this.closed) waiting.reject(new EngineFault('closed'))
    else if (this.piscina === null) waiting.reject(new EngineFault('thread_lost'))
    else {
      this.enqueue(waiting)
      this.flush()
    }
  }

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
   * Ends a thread whose current call takes too long. Call at regular intervals.
   *
   * @param passedMs  since the last call, without the time in which the process was stopped
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
    const { progress } = this
    const workerData: ThreadStart = { linesMax, discountCode, stepsMax, progress, channels: addedChannels() }
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
    // Emitted when a worker dies between batches; `workerDestroy` follows and handles it.
    piscina.on('error', () => undefined)
    this.piscina = piscina
    void this.run(piscina, [])
  }

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

  /** Drops calls past their deadline: without this a thread that falls behind never catches up. */
  private dropLate(): void {
    const nowMs = performance.now()
    if (!this.queue.some(({ untilMs }) => untilMs <= nowMs)) return
    const late = this.queue.filter(({ untilMs }) => untilMs <= nowMs)
    this.queue = this.queue.filter(({ untilMs }) => untilMs > nowMs)
    for (const waiting of late) waiting.reject(new EngineFault('too_late'))
  }

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
    this.options.onRun()
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

export function errorFromReply(reply: Reply & { readonly kind: 'threw' }): Error {
  const error = new Error(reply.message)
  error.stack = reply.stack
  return error
}

function ignore(): void {}
