import type { PosBasket } from './basket.js'
import type { PosSale } from './build-sale.js'
import { type Calculated, type CallTimes, calculateBasket, contractTimes } from './calculate.js'
import type { Service } from './call.js'
import type { PriceList } from './check-basket.js'
import { contractPatience, type SaleEnd, type SalePatience, SaleQueue } from './sale-queue.js'
import { type PosReturn, type Returned, recordReturn } from './send-sale.js'

export type {
  ChargedBasket,
  PosAllocation,
  PosBasket,
  PosContext,
  PosDiscount,
  PosLine,
  PosOrderDiscount,
  PosTotals,
} from './basket.js'
export { buildSale, type PosSale, type SaleEnding, type SaleStatus } from './build-sale.js'
export type { Calculated, CallTimes } from './calculate.js'
export type { Exchange, FailureReason, Service } from './call.js'
export type { PriceList } from './check-basket.js'
export type { SaleEnd, SalePatience } from './sale-queue.js'
export type { PosReturn, ReturnAnswer, Returned } from './send-sale.js'

export interface PosClientOptions {
  readonly service: Service
  /** Folder for waiting sale events; it must survive a restart of the POS. */
  readonly queueFolder: string
  /** Default: the contract's times (contract 8). */
  readonly times?: CallTimes
  readonly patience?: SalePatience
}

/**
 * The client of a POS backend: asks for a basket's price within the time of a card payment, falls back to the original basket on anything
 * but a good answer, and delivers the sale event, however long that takes.
 */
export class PosClient {
  private constructor(
    private readonly options: PosClientOptions,
    private readonly queue: SaleQueue,
  ) {}

  /** Opens the queue, and sends the events that an earlier run left in it. */
  static async open(options: PosClientOptions): Promise<PosClient> {
    const { queueFolder: folder, service, patience } = options
    const queue = await SaleQueue.open({ folder, service, ...(patience === undefined ? {} : { patience }) })
    return new PosClient(options, queue)
  }

  /**
   * Asks for a basket's loyalty benefits: 500 ms an attempt, one more where there was no connection, 3 s in all. Never rejects.
   *
   * @param basket  as it was before loyalty, never `charged` of an earlier call; may hold fields of the POS's own at any depth; they are in `charged` too
   * @param prices  the venue's list, for the prices of lines that the service adds; null: they are not compared
   */
  calculate<Basket extends PosBasket>(basket: Basket, prices: PriceList | null = null): Promise<Calculated<Basket>> {
    const { service, times = contractTimes } = this.options
    // The service returns the POS's own fields as they were sent (wire decisions 1).
    return calculateBasket(service, { basket, prices, times }) as Promise<Calculated<Basket>>
  }

  /**
   * Takes the event of a finished or abandoned sale, fields of the POS's own included: resolves once it is on disk; `end` once it is
   * delivered or given up.
   */
  record<Sale extends PosSale>(sale: Sale): Promise<{ readonly end: Promise<SaleEnd> }> {
    return this.queue.add(sale)
  }

  /**
   * Asks what to refund for goods that come back, and records it unless `dryRun`: one attempt of 5 s. Never rejects. Where it is `later`,
   * call again with the same return.
   */
  recordReturn<Return extends PosReturn>(returned: Return): Promise<Returned> {
    const { service, patience = contractPatience } = this.options
    return recordReturn(service, returned, patience.timeoutMs)
  }

  /** Sale events that still have to be delivered. */
  get waiting(): number {
    return this.queue.depth
  }

  close(): Promise<void> {
    return this.queue.close()
  }
}
