/** Limits of the model; maxima are small, so that each is sometimes exhausted. */
export const maxima: Readonly<Record<string, number>> = { one: 1, three: 3, five: 5 }

export type SaleStatus = 'applied' | 'unchanged' | 'member_not_found' | 'failed' | 'cancelled'

/** A basket to be stored. */
export interface Asked {
  readonly id: number
  readonly status: 'applied' | 'unchanged'
  readonly venue: string
  readonly supersedes: number | null
  readonly holds: Readonly<Record<string, number>>
  /** Hours from now: 0, or negative for a basket answered long ago. */
  readonly answeredAt: number
}

interface Calculation extends Asked {
  readonly confirmed: boolean
  state: 'open' | 'finalised' | 'abandoned' | 'superseded' | 'expired'
  /** Hours from now: past where it is negative. */
  expiresAt: number
  replayed: boolean
}

interface Sale {
  readonly status: SaleStatus
  readonly paidRight: boolean
  readonly result: 'recorded' | 'unknown_calculation'
  discrepancies: readonly string[]
}

/** The venue of every sale event. */
export const saleVenue = 'venue-1'

/** Hours for which a calculation holds its reservation. */
export const expiryHours = 0.5

export type Confirmed =
  | { readonly kind: 'confirmed' | 'known' }
  | { readonly kind: 'short'; readonly left: Record<string, number> }

/** The ledger without a database (contract 3.1, wire decisions 5): computes every sum anew from calculations and sales. */
export class ReferenceLedger {
  readonly calculations = new Map<number, Calculation>()
  readonly sales = new Map<number, Sale>()

  /** Units of a limit that open calculations hold. */
  open(limit: string): number {
    return this.sum(limit, (each) => each.state === 'open' && each.expiresAt > 0)
  }

  used(limit: string): number {
    return this.sum(limit, (each) => each.state === 'finalised' && this.given(each))
  }

  late(limit: string): number {
    return this.sum(limit, (each) => (each.state === 'expired' || each.state === 'superseded') && this.given(each))
  }

  confirm(asked: Asked): Confirmed {
    const known = this.calculations.get(asked.id)
    if (known) {
      known.replayed = true
      return { kind: 'known' }
    }
    const old = this.calculations.get(asked.supersedes ?? -1)
    const frees = old?.state === 'open' && old.venue === asked.venue && old.expiresAt > 0 ? old : null
    const left = Object.fromEntries(
      Object.keys(asked.holds).map((limit) => {
        const freed = frees?.holds[limit] ?? 0
        return [limit, maxima[limit]! - this.used(limit) - this.late(limit) - this.open(limit) + freed]
      }),
    )
    if (Object.entries(asked.holds).some(([limit, units]) => units > left[limit]!)) {
      return {
        kind: 'short',
        left: Object.fromEntries(Object.entries(left).map(([limit, n]) => [limit, Math.max(0, n)])),
      }
    }
    if (frees) frees.state = 'superseded'
    this.store(asked, true)
    return { kind: 'confirmed' }
  }

  /** Stores a journalled calculation. */
  keep(asked: Asked): void {
    if (this.calculations.has(asked.id)) return
    const old = this.calculations.get(asked.supersedes ?? -1)
    if (old?.state === 'open' && old.venue === asked.venue && asked.answeredAt < old.expiresAt) old.state = 'superseded'
    this.store(asked, false)
  }

  private store(asked: Asked, confirmed: boolean): void {
    const expiresAt = confirmed ? expiryHours : asked.answeredAt + expiryHours
    const fresh: Calculation = { ...asked, confirmed, expiresAt, state: 'open', replayed: false }
    const superseded = [...this.calculations.values()].some(
      (other) => other.supersedes === asked.id && other.venue === asked.venue && other.answeredAt < expiresAt,
    )
    if (superseded) fresh.state = 'superseded'
    this.calculations.set(asked.id, fresh)
    const sale = this.sales.get(asked.id)
    // A sale that came before the calculation came now or a moment ago.
    if (sale) sale.discrepancies = this.settle(fresh, sale)
  }

  sell(id: number, status: SaleStatus, paidRight: boolean): 'stored' | 'recorded' | 'unknown_calculation' {
    if (this.sales.has(id)) return 'stored'
    const calculation = this.calculations.get(id)
    const result = calculation ? 'recorded' : 'unknown_calculation'
    const sale: Sale = { status, paidRight, result, discrepancies: ['unknown_calculation'] }
    this.sales.set(id, sale)
    if (calculation) sale.discrepancies = this.settle(calculation, sale)
    return result
  }

  private settle(calculation: Calculation, sale: Sale): readonly string[] {
    const { status } = sale
    const words: string[] = []
    if (status !== 'failed' && status !== 'cancelled' && status !== calculation.status) words.push('status_mismatch')
    if (calculation.venue !== saleVenue) words.push('venue_mismatch')
    if (!sale.paidRight && status !== 'cancelled') words.push('paid_total_mismatch')
    if (calculation.state === 'open' && calculation.expiresAt > 0) {
      calculation.state = status === 'cancelled' ? 'abandoned' : 'finalised'
      return words
    }
    if (calculation.state === 'open') calculation.state = 'expired'
    words.push(calculation.state === 'superseded' ? 'superseded' : 'late_event')
    const passed = Object.keys(calculation.holds).some(
      (limit) => this.used(limit) + this.late(limit) + this.open(limit) > maxima[limit]!,
    )
    if (this.given(calculation) && passed) words.push('limit_exceeded')
    return words
  }

  /** Whether the benefits were charged; also where the basket as sent already had them. */
  private given({ id, status }: Calculation): boolean {
    const sale = this.sales.get(id)?.status
    return sale === 'applied' || (sale === 'unchanged' && status === 'unchanged')
  }

  expire(id: number): void {
    const calculation = this.calculations.get(id)
    if (calculation?.state === 'open') calculation.expiresAt = Math.min(calculation.expiresAt, -1)
  }

  sweep(): number {
    const over = [...this.calculations.values()].filter(({ state, expiresAt }) => state === 'open' && expiresAt < 0)
    for (const calculation of over) calculation.state = 'expired'
    return over.length
  }

  withdraw(id: number): 'withdrawn' | 'replayed' | 'unknown' {
    const calculation = this.calculations.get(id)
    if (!calculation) return 'unknown'
    if (calculation.replayed || calculation.state !== 'open' || !calculation.confirmed) return 'replayed'
    this.calculations.delete(id)
    return 'withdrawn'
  }

  find(id: number): 'stored' | 'unknown' {
    const calculation = this.calculations.get(id)
    if (calculation?.confirmed) calculation.replayed = true
    return calculation ? 'stored' : 'unknown'
  }

  private sum(limit: string, counts: (calculation: Calculation) => boolean): number {
    return [...this.calculations.values()].filter(counts).reduce((sum, { holds }) => sum + (holds[limit] ?? 0), 0)
  }
}
