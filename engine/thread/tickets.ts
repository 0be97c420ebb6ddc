import type { ReadBasket } from '../wire/read-basket.js'

export const ticketsMax = 512
/** Memory of a thread's baskets at most, in bytes: about 250 of the largest usual ones (200 lines, 250 KB each). */
export const ticketBytesMax = 64 * 1024 * 1024

/** Above the bounds the oldest are dropped: their callers no longer wait. */
export class Tickets {
  private readonly baskets = new Map<number, ReadBasket>()
  private bytes = 0

  add(ticket: number, basket: ReadBasket): void {
    this.baskets.set(ticket, basket)
    this.bytes += basket.json.footprint
    for (const oldest of this.baskets.keys()) {
      if (this.baskets.size <= ticketsMax && this.bytes <= ticketBytesMax) return
      this.forget(oldest)
    }
  }

  find(ticket: number): ReadBasket | undefined {
    return this.baskets.get(ticket)
  }

  forget(ticket: number): void {
    this.bytes -= this.baskets.get(ticket)?.json.footprint ?? 0
    this.baskets.delete(ticket)
  }

  get size(): number {
    return this.baskets.size
  }
}
