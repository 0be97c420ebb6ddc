import type { ReadBasket } from '../wire/read-basket.js'

/** Baskets that one thread keeps at most; a gateway has far fewer in flight. */
export const ticketsMax = 512
/** Memory that a thread's baskets may take, in bytes: about 250 of the largest that are usual (200 lines, 250 KB each). */
export const ticketBytesMax = 64 * 1024 * 1024

/**
 * The baskets a thread has read and not yet forgotten, by ticket. Bounded: where there are too many, the oldest go, for nobody
 * waits for them any more; so a ticket that is never priced or forgotten costs nothing in the long run.
 */
export class Tickets {
  private readonly baskets = new Map<number, ReadBasket>()
  private bytes = 0

  keep(ticket: number, basket: ReadBasket): void {
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
