import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { aBasket, aSale, type BasketBody } from '../e2e/basket.js'
import type { RunningService } from '../e2e/service.js'
import { Dice } from '../support/dice.js'
import { until } from '../support/until.js'
import type { SignedIn } from './a-console.js'
import { drawn } from './a-shop.js'

const days = 14
const basketsAtOnce = 6
const [dayMs, hourMs, minuteMs] = [86_400_000, 3_600_000, 60_000]
/** Hours of UTC at which guests buy: breakfast before the club's day begins, and an evening whose day has ended in Helsinki. */
const hours = [5.5, 12.5, 17.5, 22.75]
/** The service is older than its first guest. */
export const beganBeforeMs = (days + 1) * dayMs
const oslo = { venueId: 'oslo-cafe', baxId: '7100001', cashRegisterId: '1', channel: 'pos' }

/** A sale as its POS knows it. */
export interface Sold {
  readonly calculationId: string
  /** At its venue, when the basket was priced. */
  readonly day: string
  readonly venueId: string
  readonly currency: string
  readonly status: string
  readonly isOfMember: boolean
  readonly memberId: string
  readonly paid: number
  /** Reported by the POS as the service answered it. */
  readonly isExact: boolean
  /** By the clock of the ledger. */
  readonly soldMs: number
  /** Reported for an answer, with other sums or after its calculation had expired. */
  readonly isDisagreeing: boolean
  /** Discounts reported, less those answered. */
  readonly apart: number
  /** Minor units given, by the text on the receipt. */
  readonly given: ReadonlyMap<string, number>
}

/** Given on a receipt: all its lines at their full price, less the POS's own discounts and the total. */
function givenOn({ lines, totals }: BasketBody, sent: BasketBody): number {
  const full = lines.reduce((sum: number, line: BasketBody) => sum + line['quantity'] * line['unitPrice'], 0)
  const ofPos = sent['lines'].reduce((sum: number, line: BasketBody) => sum + line['totals'].lineDiscount, 0)
  return full - ofPos - totals.net
}

/** The discounts on a receipt, by their text. */
function discountsOn({ lines, orderDiscounts = [] }: BasketBody): Map<string, number> {
  const discounts = [...lines.flatMap((line: BasketBody) => line['discounts'] ?? []), ...orderDiscounts]
  const sums = new Map<string, number>()
  for (const { text, amount } of discounts) sums.set(text, (sums.get(text) ?? 0) + amount)
  return sums
}

/** With lower prices, which print no text. */
function givenByText(after: BasketBody): Map<string, number> {
  const lowered = after['lines'].filter(({ overrideUnitPrice }: BasketBody) => overrideUnitPrice != null)
  const off = lowered.map((line: BasketBody) => line['quantity'] * (line['unitPrice'] - line['overrideUnitPrice']))
  return lowered.length === 0 ? discountsOn(after) : discountsOn(after).set('Travel mug 19.90', sum(off))
}

export const sum = (amounts: Iterable<number>): number => [...amounts].reduce((all, amount) => all + amount, 0)

/** The day of a moment at a venue, by its clock on the wall. */
function dayAt({ timeZone, dayStartsAt = '00:00' }: BasketBody, ms: number): string {
  const wall = Date.parse(`${new Date(ms).toLocaleString('sv-SE', { timeZone })}Z`)
  return new Date(wall - Date.parse(`1970-01-01T${dayStartsAt}Z`)).toISOString().slice(0, 10)
}

interface Priced {
  readonly sent: BasketBody
  /** null: its answer was lost, and the service never got it. */
  readonly answer: BasketBody | null
  readonly day: string
}

/** POSs that sell for two weeks, and the clock that they and the ledger go by. */
export class Shop {
  readonly sold: Sold[] = []
  readonly counts = { lowered: 0, added: 0, unknown: 0, late: 0 }
  readonly #dice = new Dice(3)
  #aheadMs = 0

  constructor(
    private readonly service: RunningService,
    private readonly call: SignedIn['call'],
    private readonly programme: BasketBody,
    private readonly setClock: (aheadMs: number) => Promise<void>,
  ) {}

  get nowMs(): number {
    return Date.now() + this.#aheadMs
  }

  dayAt(venueId: string): string {
    return dayAt(
      this.programme['venues'].find((venue: BasketBody) => venue['venueId'] === venueId),
      this.nowMs,
    )
  }

  async sellUntil(lastMs: number): Promise<void> {
    let kept: Priced[] = []
    for (let ms = lastMs - days * dayMs; ms <= lastMs; ms += hourMs / 4) {
      if (!hours.includes((ms % dayMs) / hourMs)) continue
      await this.#moveTo(ms)
      for (const basket of kept.splice(0)) await this.#sell(basket, true)
      for (let count = 0; count < basketsAtOnce; count += 1) {
        const basket = await this.#price()
        if (this.#dice.chance(0.1)) continue
        // Reported hours after the calculation has expired.
        if (this.#dice.chance(0.05) && ms < lastMs) kept = [...kept, basket]
        else await this.#sell(basket, false)
      }
    }
  }

  async #moveTo(ms: number): Promise<void> {
    this.#aheadMs = ms - Date.now()
    await this.setClock(this.#aheadMs)
    const driftMs = async () => {
      const calculationId = randomUUID()
      const basket = aBasket(null, oslo).with({ calculationId, currency: 'NOK' }).line({ unitPrice: 100 })
      await this.service.send('/v1/pos/basket', basket.text())
      // Without a limit it reaches the ledger after its answer.
      const stored = await this.call('CalculationService/GetCalculation', { calculationId }).catch(() => null)
      if (stored === null) return Number.POSITIVE_INFINITY
      return Math.abs(Date.parse((stored as BasketBody)['calculation'].answeredAt) - this.nowMs)
    }
    assert.ok((await until(driftMs, (drift) => drift < minuteMs)) < minuteMs, 'the gateway goes by the clock')
  }

  async #price(): Promise<Priced> {
    const sent: BasketBody = { ...drawn(this.programme, this.#dice), requestedAt: new Date(this.nowMs).toISOString() }
    const day = this.dayAt(sent['context'].venueId)
    if (this.#dice.chance(0.05)) return { sent, answer: null, day }
    return { sent, answer: (await this.service.send('/v1/pos/basket', JSON.stringify(sent))).json, day }
  }

  async #sell({ sent, answer, day }: Priced, isLate: boolean): Promise<void> {
    const isApplied = answer?.['status'] === 'applied'
    const after = isApplied ? answer['basket'] : sent
    const status: string = answer?.['status'] ?? this.#dice.pick(['applied', 'failed'])
    const wrong = this.#dice.chance(0.15) ? this.#dice.pick([-3, -2, -1, 1, 2, 3]) : 0
    const discounts = isApplied ? sum(discountsOn(after).values()) : 0
    // A sum of discounts is never below 0.
    const reported = status === 'applied' ? Math.max(0, discounts + wrong) : 0
    const given = isApplied ? givenByText(after) : new Map<string, number>()
    if (isApplied) assert.equal(sum(given.values()), givenOn(after, sent), 'each minor unit has its benefit')
    const paid = after['totals'].net - wrong
    const sale = aSale(sent, {
      ...{ status, paidTotal: paid, loyaltyDiscountTotal: reported, transactionId: randomUUID() },
      ...{ occurredAt: new Date(this.nowMs).toISOString(), ...(status === 'failed' && { failureReason: 'timeout' }) },
    })
    assert.equal((await this.service.send('/v1/pos/sale', JSON.stringify(sale))).status, 200)
    this.counts.lowered += after['lines'].filter((line: BasketBody) => line['overrideUnitPrice'] != null).length
    this.counts.added += after['lines'].filter((line: BasketBody) => line['addedByLoyalty']).length
    this.counts.unknown += Number(answer === null)
    this.counts.late += Number(isLate)
    const { venueId } = sent['context']
    const has = (member: BasketBody) => member['loyaltyIds'].includes(sent['loyaltyId'])
    this.sold.push({
      ...{ calculationId: sent['calculationId'], venueId, currency: sent['currency'], status, paid, given },
      day: answer === null ? this.dayAt(venueId) : day,
      isOfMember: answer !== null && status !== 'member_not_found',
      // The test member has no entry in the programme.
      memberId: this.programme['members'].find(has)?.memberId ?? sent['loyaltyId'],
      isExact: answer !== null && wrong === 0 && !isLate,
      soldMs: this.nowMs,
      isDisagreeing: answer !== null && (wrong !== 0 || isLate),
      apart: reported - discounts,
    })
  }
}
