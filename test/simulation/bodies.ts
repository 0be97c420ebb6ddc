import type { Priced, SaleEvent } from '../../engine/index.js'

/** The benefits of the simulated programme that have limits. */
export type BenefitId = 'A' | 'B' | 'C'
/** The benefits that cost value. */
export type CostedId = 'D' | 'E'

export interface BasketBody {
  readonly calculationId: string
  readonly supersedes: string | null
  readonly venueId: string
  readonly loyaltyId: string
  readonly wants: Partial<Record<BenefitId | CostedId, number>>
}

export interface SaleBody {
  readonly calculationId: string
  readonly status: SaleEvent['status']
  readonly venueId: string
}

export interface AnswerBody {
  readonly calculationId: string
  readonly status: Priced['status']
  readonly programmeVersion: number
  /** What was asked for: an answer to another body would show. */
  readonly wants: BasketBody['wants']
  readonly holds: readonly { readonly counter: string; readonly units: number; readonly maximum: number }[]
  /** What it costs the member, by currencyId. */
  readonly spends: Readonly<Record<string, number>>
  /** What the earning rules count, of the basket as sent and as returned. */
  readonly base: Base
}

export interface Base {
  readonly sent: number
  readonly returned: number
}

/** The answer in what `packed` holds. */
export function answerInPacked(packed: Buffer): string {
  return (JSON.parse(packed.toString()) as [string, string])[1]
}
