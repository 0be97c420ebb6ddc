import type {
  BasketFacts,
  ClosedBenefit,
  Priced,
  PricingAhead,
  PricingFacts,
  ProgrammeOutline,
  Refusal,
  SaleCount,
  SaleEvent,
  SentBasket,
  UnknownSale,
} from '../index.js'

/** Calls travel in batches, one message each; all bytes of a batch are in one buffer, which is transferred, not copied. */

export interface Span {
  readonly start: number
  readonly end: number
}

export type Carried<T> = { readonly [Key in keyof T]: T[Key] extends Uint8Array ? Span : T[Key] }

export type Call =
  | {
      readonly kind: 'readBasket'
      readonly ticket: number
      readonly body: Span
      readonly idempotencyKey: string
      readonly ahead: PricingAhead | null
    }
  | { readonly kind: 'priceBasket'; readonly ticket: number; readonly facts: PricingFacts }
  | { readonly kind: 'readSale'; readonly body: Span; readonly idempotencyKey: string }
  | { readonly kind: 'countSale'; readonly sale: UnknownSale; readonly facts: PricingFacts }
  | { readonly kind: 'closedBenefits'; readonly sent: SentBasket; readonly facts: PricingFacts }
  | {
      readonly kind: 'ladder'
      readonly ticket: number
      readonly facts: PricingFacts
      readonly answer: Span | null
    }
  | { readonly kind: 'sameValue'; readonly left: Span; readonly right: Span }
  | { readonly kind: 'unpack'; readonly packed: Span }
  | { readonly kind: 'loadProgramme'; readonly version: number; readonly benefits: string }

export interface Batch {
  readonly calls: readonly Call[]
  readonly bytes: Uint8Array
  readonly forgotten: readonly number[]
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
  | { readonly kind: 'counted'; readonly count: SaleCount }
  | { readonly kind: 'closed'; readonly benefits: readonly ClosedBenefit[] }
  | { readonly kind: 'laddered'; readonly ladder: string }
  | { readonly kind: 'compared'; readonly same: boolean }
  | { readonly kind: 'unpacked'; readonly request: Span; readonly answer: Span }
  | { readonly kind: 'loaded'; readonly outline: ProgrammeOutline }
  | { readonly kind: 'threw'; readonly message: string; readonly stack: string }

export interface BatchReply {
  readonly replies: readonly Reply[]
  readonly bytes: Uint8Array
}

export interface ThreadSettings {
  readonly linesMax: number
  readonly discountCode: string
  readonly stepsMax: number
}

export interface ThreadStart extends ThreadSettings {
  /** Shared counter, raised after every call: the pool's watchdog reads it. */
  readonly progress: Int32Array
  readonly channels: readonly string[]
}

export class ByteCollector {
  private readonly pieces: Uint8Array[] = []
  private size = 0

  add(piece: Uint8Array): Span {
    const start = this.size
    this.pieces.push(piece)
    this.size += piece.length
    return { start, end: this.size }
  }

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
