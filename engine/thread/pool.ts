import {
  type BasketRead,
  type ChargedBasket,
  type ClosedBenefit,
  EngineFault,
  type Priced,
  type PricingEngine,
  type PricingFacts,
  type ProgrammeOutline,
  type ReadingHow,
  type SaleCount,
  type SaleRead,
  type SentBasket,
  type Ticket,
  type UnknownSale,
} from '../index.js'
import { bytesAt, type Carried, type Reply } from './messages.js'
import { errorFromReply, PricingThread, type ThreadOptions, type Waiting } from './pricing-thread.js'
import { createProgrammeShelf, type ProgrammeShelf } from './programme-shelf.js'
import { setV8Flags } from './v8-flags.js'

export interface PoolOptions extends Omit<ThreadOptions, 'number' | 'numberStep' | 'onRun'> {
  readonly workers: number
  readonly queueMax: number
}

const noEnd = Number.POSITIVE_INFINITY
const looksPerTask = 4

export async function createPricingPool(options: PoolOptions): Promise<PricingEngine> {
  setV8Flags()
  const pool = new PricingPool(options)
  try {
    await pool.started()
    return pool
  } catch (cause) {
    await pool.close()
    throw cause
  }
}

class PricingPool implements PricingEngine {
  private readonly threads: readonly PricingThread[]
  /** Runs while a thread does: an idle service needs no look at its threads. */
  private watchdog: NodeJS.Timeout | null = null
  private readonly lookMs: number
  private lookedAtMs = 0
  private readonly shelf: ProgrammeShelf = createProgrammeShelf()
  private lastTicket = 0
  private closed = false

  constructor(private readonly options: PoolOptions) {
    const { workers, taskMaxMs } = options
    this.lookMs = Math.ceil(taskMaxMs / looksPerTask)
    const onRun = () => this.startWatchdog()
    const numbered = (number: number) => ({ ...options, number, numberStep: workers, onRun })
    this.threads = Array.from({ length: workers }, (_, number) => new PricingThread(numbered(number)))
  }

  get waiting(): number {
    let waiting = 0
    for (const thread of this.threads) waiting += thread.waiting
    return waiting
  }

  async started(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.firstStart))
  }

  readBasket(body: Uint8Array, idempotencyKey: string, how?: ReadingHow): Promise<BasketRead> {
    const thread = this.leastBusy()
    const ticket = { thread: thread.number, id: ++this.lastTicket }
    const ahead = how?.ahead ?? null
    if (ahead !== null) this.drop(this.shelf.use(ahead.facts.programmeVersion))
    const call: Waiting['call'] = (bytes) => {
      // The number is read when the call leaves: a replaced thread has a new one.
      ticket.thread = thread.number
      return { kind: 'readBasket', ticket: ticket.id, body: bytes.add(body), idempotencyKey, ahead }
    }
    const waiting = { size: body.length, kind: 'free', call, untilMs: how?.untilMs ?? noEnd } as const
    return this.ask(thread, waiting, (reply, bytes) => basketRead(reply, bytes, ticket))
  }

  priceBasket(ticket: Ticket, facts: PricingFacts, untilMs = noEnd): Promise<Priced> {
    const thread = this.threadOf(ticket)
    if (thread === null) return Promise.reject(new EngineFault(this.closed ? 'closed' : 'thread_lost'))
    this.drop(this.shelf.use(facts.programmeVersion))
    const call = { kind: 'priceBasket', ticket: ticket.id, facts } as const
    return this.ask(thread, { size: 0, kind: 'bound', call: () => call, untilMs }, pricedFrom)
  }

  forget(ticket: Ticket): void {
    this.threadOf(ticket)?.forget(ticket.id)
  }

  readSale(body: Uint8Array, idempotencyKey: string): Promise<SaleRead> {
    const call: Waiting['call'] = (bytes) => ({ kind: 'readSale', body: bytes.add(body), idempotencyKey })
    return this.ask(this.leastBusy(), { size: body.length, kind: 'free', call, untilMs: noEnd }, saleRead)
  }

  countSale(sale: UnknownSale, facts: PricingFacts): Promise<SaleCount> {
    this.drop(this.shelf.use(facts.programmeVersion))
    const call = { kind: 'countSale', sale, facts } as const
    return this.ask(this.leastBusy(), { size: 0, kind: 'free', call: () => call, untilMs: noEnd }, counted)
  }

  closedBenefits(sent: SentBasket, facts: PricingFacts): Promise<readonly ClosedBenefit[]> {
    this.drop(this.shelf.use(facts.programmeVersion))
    const call = { kind: 'closedBenefits', sent, facts } as const
    return this.ask(this.leastBusy(), { size: 0, kind: 'free', call: () => call, untilMs: noEnd }, closed)
  }

  ladder(ticket: Ticket, { facts, answer }: ChargedBasket): Promise<string> {
    const thread = this.threadOf(ticket)
    if (thread === null) return Promise.reject(new EngineFault(this.closed ? 'closed' : 'thread_lost'))
    this.drop(this.shelf.use(facts.programmeVersion))
    const call: Waiting['call'] = (bytes) => {
      return { kind: 'ladder', ticket: ticket.id, facts, answer: answer && bytes.add(answer) }
    }
    return this.ask(thread, { size: answer?.length ?? 0, kind: 'bound', call, untilMs: noEnd }, laddered)
  }

  sameValue(left: Uint8Array, right: Uint8Array): Promise<boolean> {
    const call: Waiting['call'] = (bytes) => ({ kind: 'sameValue', left: bytes.add(left), right: bytes.add(right) })
    const size = left.length + right.length
    return this.ask(this.leastBusy(), { size, kind: 'free', call, untilMs: noEnd }, compared)
  }

  unpack(packed: Uint8Array): Promise<{ readonly request: Uint8Array; readonly answer: Uint8Array }> {
    const call: Waiting['call'] = (bytes) => ({ kind: 'unpack', packed: bytes.add(packed) })
    return this.ask(this.leastBusy(), { size: packed.length, kind: 'free', call, untilMs: noEnd }, unpacked)
  }

  /** One thread after the other, so that the others price while one loads. */
  async loadProgramme(version: number, benefits: string): Promise<ProgrammeOutline> {
    let outline: ProgrammeOutline = { freeProductIds: [], limits: [], needsHints: false, costed: [], experiments: [] }
    for (const thread of this.threads) outline = await thread.load(version, benefits)
    this.drop(this.shelf.use(version))
    return outline
  }

  async close(): Promise<void> {
    this.closed = true
    this.stopWatchdog()
    await Promise.all(this.threads.map((thread) => thread.close()))
  }

  private ask<T>(
    thread: PricingThread,
    waiting: Omit<Waiting, 'resolve' | 'reject'>,
    read: (reply: Reply, bytes: Uint8Array) => T,
  ): Promise<T> {
    if (this.closed) return Promise.reject(new EngineFault('closed'))
    if (waiting.kind === 'free' && this.waiting >= this.options.queueMax) {
      return Promise.reject(new EngineFault('queue_full'))
    }
    return new Promise<Answered>((resolve, reject) => {
      thread.send({ ...waiting, resolve: (reply, bytes) => resolve({ reply, bytes }), reject })
    }).then(({ reply, bytes }) => read(reply, bytes))
  }

  private leastBusy(): PricingThread {
    return this.threads.reduce((best, each) => {
      if (each.isReady !== best.isReady) return each.isReady ? each : best
      return each.waiting < best.waiting ? each : best
    })
  }

  private threadOf(ticket: Ticket): PricingThread | null {
    const thread = this.threads[ticket.thread % this.threads.length]
    return thread?.number === ticket.thread ? thread : null
  }

  private drop(versions: readonly number[]): void {
    for (const version of versions) for (const thread of this.threads) thread.drop(version)
  }

  private startWatchdog(): void {
    if (this.watchdog !== null || this.closed) return
    this.lookedAtMs = performance.now()
    this.watchdog = setInterval(() => this.watch(), this.lookMs).unref()
  }

  private stopWatchdog(): void {
    if (this.watchdog !== null) clearInterval(this.watchdog)
    this.watchdog = null
  }

  /** A check far behind its schedule means that the whole process was stopped (SIGSTOP, a migrating machine). */
  private watch(): void {
    if (!this.threads.some(({ isRunning }) => isRunning)) {
      this.stopWatchdog()
      return
    }
    const nowMs = performance.now()
    const passedMs = Math.min(nowMs - this.lookedAtMs, this.lookMs * 2)
    this.lookedAtMs = nowMs
    for (const thread of this.threads) thread.watch(passedMs)
  }
}

interface Answered {
  readonly reply: Reply
  readonly bytes: Uint8Array
}

function basketRead(reply: Reply, bytes: Uint8Array, ticket: Ticket): BasketRead {
  if (reply.kind === 'refused') return reply
  if (reply.kind !== 'basketRead') throw unexpected(reply)
  const { tooManyLines, arithmetic } = reply
  const ahead = reply.ahead && bytesOf(reply.ahead, bytes)
  const facts = { ...reply.facts, digest: bytesAt(bytes, reply.facts.digest) }
  return { kind: 'read', ticket, facts, tooManyLines, arithmetic, ahead }
}

function pricedFrom(reply: Reply, bytes: Uint8Array): Priced {
  if (reply.kind !== 'priced') throw unexpected(reply)
  return bytesOf(reply.priced, bytes)
}

function bytesOf({ answer, packed, explanation, ...rest }: Carried<Priced>, bytes: Uint8Array): Priced {
  return {
    ...rest,
    answer: bytesAt(bytes, answer),
    packed: bytesAt(bytes, packed),
    explanation: bytesAt(bytes, explanation),
  }
}

function saleRead(reply: Reply, bytes: Uint8Array): SaleRead {
  if (reply.kind === 'refused') return reply
  if (reply.kind !== 'saleRead') throw unexpected(reply)
  return { kind: 'read', event: { ...reply.event, digest: bytesAt(bytes, reply.event.digest) } }
}

function closed(reply: Reply): readonly ClosedBenefit[] {
  if (reply.kind !== 'closed') throw unexpected(reply)
  return reply.benefits
}

function counted(reply: Reply): SaleCount {
  if (reply.kind !== 'counted') throw unexpected(reply)
  return reply.count
}

function compared(reply: Reply): boolean {
  if (reply.kind !== 'compared') throw unexpected(reply)
  return reply.same
}

function laddered(reply: Reply): string {
  if (reply.kind !== 'laddered') throw unexpected(reply)
  return reply.ladder
}

function unpacked(reply: Reply, bytes: Uint8Array): { readonly request: Uint8Array; readonly answer: Uint8Array } {
  if (reply.kind !== 'unpacked') throw unexpected(reply)
  return { request: bytesAt(bytes, reply.request), answer: bytesAt(bytes, reply.answer) }
}

function unexpected(reply: Reply): Error {
  if (reply.kind === 'threw') return errorFromReply(reply)
  if (reply.kind === 'ticketUnknown') return new EngineFault('ticket_unknown')
  return new Error(`a pricing thread replied out of turn: ${reply.kind}`)
}
