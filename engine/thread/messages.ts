import type { BasketFacts, Priced, PricingAhead, PricingFacts, ProgrammeOutline, Refusal, SaleEvent } from '../index.js'

/**
 * What pool and pricing thread say to each other: this file is the protocol. Calls travel in batches, one message for what
 * waits; all bytes of a batch stand in one buffer that is handed over and not copied, and are named by their place in it.
 */

/** Bytes of a batch: from `start` to before `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A value whose byte fields travel as places in the batch's bytes. */
export type Carried<T> = { readonly [Key in keyof T]: T[Key] extends Uint8Array ? Span : T[Key] }

export type Call =
  /** The pool chooses the ticket's number; a thread never sees one twice. */
  | {
      readonly kind: 'readBasket'
      readonly ticket: number
      readonly body: Span
      readonly idempotencyKey: string
      readonly ahead: PricingAhead | null
    }
  | { readonly kind: 'priceBasket'; readonly ticket: number; readonly facts: PricingFacts }
  | { readonly kind: 'readSale'; readonly body: Span; readonly idempotencyKey: string }
  | { readonly kind: 'sameValue'; readonly left: Span; readonly right: Span }
  | { readonly kind: 'unpack'; readonly packed: Span }
  | { readonly kind: 'loadProgramme'; readonly version: number; readonly benefits: string }

export interface Batch {
  readonly calls: readonly Call[]
  readonly bytes: Uint8Array
  /** Tickets nobody will ask for again. */
  readonly forgotten: readonly number[]
  /** Programme versions out of use. */
  readonly dropped: readonly number[]
}

export type Reply =
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'basketRead'
      readonly facts: Carried<BasketFacts>
      readonly tooManyLines: Refusal | null
      readonly arithmetic: Refusal | null
      readonly ahead: Carried<Priced> | null
    }
  | { readonly kind: 'priced'; readonly priced: Carried<Priced> }
  | { readonly kind: 'ticketUnknown' }
  | { readonly kind: 'saleRead'; readonly event: Carried<SaleEvent> }
  | { readonly kind: 'compared'; readonly same: boolean }
  | { readonly kind: 'unpacked'; readonly request: Span; readonly answer: Span }
  | { readonly kind: 'loaded'; readonly outline: ProgrammeOutline }
  /** A bug: what was thrown, with the stack it had on its thread. */
  | { readonly kind: 'threw'; readonly message: string; readonly stack: string }

/** One reply per call, in the order of the calls. */
export interface BatchReply {
  readonly replies: readonly Reply[]
  readonly bytes: Uint8Array
}

/** What a thread is told when it starts. */
export interface ThreadSettings {
  /** LOYALTY_MAX_LINES. */
  readonly linesMax: number
  /** LOYALTY_DISCOUNT_CODE. */
  readonly discountCode: string
  /** Search budget of one calculation, in steps. */
  readonly stepsMax: number
}

/** What a Piscina worker gets as workerData. */
export interface ThreadStart extends ThreadSettings {
  /** One word in shared memory, raised after every call, by which the pool sees that the thread is alive. */
  readonly progress: Int32Array
}

/** Puts the bytes of a batch one behind the other. */
export class ByteCollector {
  private readonly pieces: Uint8Array[] = []
  private size = 0

  add(piece: Uint8Array): Span {
    const start = this.size
    this.pieces.push(piece)
    this.size += piece.length
    return { start, end: this.size }
  }

  /** All of them in a buffer of their own. */
  take(): Uint8Array {
    const bytes = new Uint8Array(this.size)
    let at = 0
    for (const piece of this.pieces) {
      bytes.set(piece, at)
      at += piece.length
    }
    return bytes
  }
}

export function bytesAt(bytes: Uint8Array, span: Span): Uint8Array {
  return bytes.subarray(span.start, span.end)
}
