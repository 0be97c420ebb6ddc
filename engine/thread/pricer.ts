import type { Basket, LineDiscount } from '../core/base/basket.js'
import type { Ladder, ReturnPolicy } from '../core/base/earning.js'
import type { CalculationInput } from '../core/base/input.js'
import type { Calculation } from '../core/base/outcome.js'
import { calculate, calculateLadder } from '../core/calculate.js'
import { earningOfSale } from '../core/earn/earning-of.js'
import { wallClock } from '../core/match/calendar.js'
import { type CompiledProgramme, compileProgramme } from '../core/match/compile.js'
import { runningAt } from '../core/match/experiments.js'
import { closedBy, type Occasion } from '../core/match/open.js'
import { ladderAsSent, ladderOfSent } from '../core/returns/ladder-of.js'
import type {
  ChargedBasket,
  ClosedBenefit,
  Priced,
  PricingAhead,
  PricingFacts,
  ProgrammeOutline,
  SaleCount,
  SaleRead,
  SentBasket,
  UnknownSale,
} from '../index.js'
import { needsHints, pricedFromJson } from '../programme/benefits-from-json.js'
import { momentFromText } from '../wire/moment.js'
import { answerBytes, packAnswer, packReports, unpackAnswer } from '../wire/pack.js'
import { type BasketReading, type ReadBasket, readBasket } from '../wire/read-basket.js'
import { readSale } from '../wire/read-sale.js'
import { sameValue } from '../wire/same-value.js'
import { writeAnswer } from '../wire/write-answer.js'
import { textOfEarning, textOfEntered, textOfGiven, textOfSpending } from '../wire/write-stored.js'
import type { ThreadSettings } from './messages.js'
import { Tickets } from './tickets.js'

export class Pricer {
  private readonly tickets = new Tickets()
  private readonly programmes = new Map<number, LoadedProgramme>()

  constructor(private readonly settings: ThreadSettings) {}

  readBasket(ticket: number, body: Uint8Array, idempotencyKey: string): BasketReading {
    const reading = readBasket(body, idempotencyKey, this.settings.linesMax)
    if (reading.kind === 'read') this.tickets.add(ticket, reading)
    return reading
  }

  priceBasket(ticket: number, facts: PricingFacts): Priced | null {
    const read = this.tickets.find(ticket)
    if (read === undefined) return null
    const calculation = this.calculate(read, facts)
    const written = writeAnswer(read, calculation)
    const answer = answerBytes(written)
    const packed = packAnswer(read.json, written)
    const carried = carriedBy(read.basket, facts.discountCode ?? this.settings.discountCode)
    return { ...pricedFrom(calculation, read.basket.totals.net), carried, answer, packed }
  }

  /** Prices the basket just read, if it is the one that the caller assumed and no check refuses it; else null. */
  priceAhead(ticket: number, reading: ReadBasket, ahead: PricingAhead | null): Priced | null {
    if (ahead === null || reading.tooManyLines !== null || reading.arithmetic !== null) return null
    const { loyaltyId, venueId, currency } = reading.facts
    const isAsTaken =
      loyaltyId === ahead.loyaltyId && venueId === ahead.venueId && currency === ahead.facts.venue.currency
    return isAsTaken ? this.priceBasket(ticket, ahead.facts) : null
  }

  forget(ticket: number): void {
    this.tickets.forget(ticket)
  }

  readSale(body: Uint8Array, idempotencyKey: string): SaleRead {
    return readSale(body, idempotencyKey)
  }

  countSale(
    { occurredAt, channel, paidTotal }: UnknownSale,
    { member, venue, programmeVersion }: PricingFacts,
  ): SaleCount {
    const { earning } = this.programmeOf(programmeVersion)
    const occasion = occasionOf({ requestedAt: occurredAt, channel }, { member, venue })
    if (earning === null || occasion === null) return { earning: null, isPartial: false }
    const counted = earningOfSale(earning, occasion, paidTotal)
    return { ...counted, earning: textOfEarning(counted.earning) }
  }

  closedBenefits(sent: SentBasket, facts: PricingFacts): readonly ClosedBenefit[] {
    const { benefits, experiments } = this.programmeOf(facts.programmeVersion)
    const occasion = occasionOf(sent, facts)
    if (occasion === null) return []
    const withholding = runningAt(experiments, facts.arms, occasion)
    return benefits.flatMap((compiled): readonly ClosedBenefit[] => {
      const { benefitId } = compiled.benefit
      const terms = closedBy(compiled, occasion)
      const by = withholding.filter(({ ranks }) => ranks.has(compiled.rank))
      const withheldBy = by.map(({ name, armId }) => ({ name, armId }))
      if (by.length > 0) return [{ benefitId, terms: [...terms, 'experiment'], withheldBy }]
      return terms.length === 0 ? [] : [{ benefitId, terms }]
    })
  }

  /** For returns (4-member-value 5): the stored answer counts, as another build may answer differently. null: unknown ticket. */
  ladder(ticket: number, { facts, answer }: ChargedBasket): string | null {
    const read = this.tickets.find(ticket)
    if (read === undefined) return null
    const input = this.inputOf(read, facts)
    const programme = this.programmeOf(facts.programmeVersion)
    const text = (ladder: Ladder) => JSON.stringify({ ...ladder, policy: programme.policy })
    if (input === null) return text(ladderOfSent(read.basket, facts.paidTotal))
    if (answer === null) return text(ladderAsSent(programme, input))
    const { calculation, ladder } = calculateLadder(programme, input)
    const isSame = Buffer.from(answer).equals(answerBytes(writeAnswer(read, calculation)))
    return text(isSame ? ladder : ladderAsSent(programme, { ...input, basket: this.answeredBasket(answer) }))
  }

  sameValue(left: Uint8Array, right: Uint8Array): boolean {
    return sameValue(left, right)
  }

  unpack(packed: Uint8Array): { readonly request: Uint8Array; readonly answer: Uint8Array } {
    return unpackAnswer(packed)
  }

  loadProgramme(version: number, benefits: string): ProgrammeOutline {
    const priced = pricedFromJson(benefits)
    const { benefits: read, rules, policy, experiments } = priced
    this.programmes.set(version, { ...compileProgramme(read, rules, experiments), policy })
    return {
      freeProductIds: read.flatMap(({ reward }) => (reward.kind === 'free_product' ? [reward.productId] : [])),
      limits: read.flatMap(({ limits, venueIds }) => limits.map((limit) => ({ ...limit, venueIds }))),
      needsHints: needsHints(priced),
      costed: read.filter(({ costs }) => costs !== null),
      experiments,
    }
  }

  dropProgramme(version: number): void {
    this.programmes.delete(version)
  }

  private calculate(read: ReadBasket, facts: PricingFacts): Calculation | null {
    const input = this.inputOf(read, facts)
    return input && calculate(this.programmeOf(facts.programmeVersion), input)
  }

  private inputOf({ basket }: ReadBasket, facts: PricingFacts): CalculationInput | null {
    const { member, venue, available, arms, paidTotal } = facts
    if (member === null) return null
    const { discountCode, stepsMax } = { ...this.settings, ...facts }
    return { basket, member, venue, available, arms, discountCode, stepsMax, paidTotal }
  }

  private answeredBasket(answer: Uint8Array): ReadBasket['basket'] {
    const { calculationId, basket } = JSON.parse(Buffer.from(answer).toString())
    const reading = readBasket(Buffer.from(JSON.stringify(basket)), calculationId, this.settings.linesMax)
    if (reading.kind === 'refused') throw new Error(`a stored answer is refused: ${reading.refusal.message}`)
    return reading.basket
  }

  private programmeOf(version: number): LoadedProgramme {
    const programme = this.programmes.get(version)
    if (programme === undefined) throw new Error(`programme version ${version} is not loaded`)
    return programme
  }
}

interface LoadedProgramme extends CompiledProgramme {
  readonly policy: ReturnPolicy
}

function occasionOf(sent: SentBasket, { member, venue }: Pick<PricingFacts, 'member' | 'venue'>): Occasion | null {
  const requestedAt = momentFromText(sent.requestedAt)
  if (member === null || requestedAt === null) return null
  const basket = { requestedAt, channel: sent.channel }
  return { basket, member, venue, clock: () => wallClock(requestedAt, venue.timeZone) }
}

/** An override of a price has no code, so it is not seen. */
function carriedBy({ lines, orderDiscounts }: Basket, discountCode: string): number {
  let sum = 0
  const add = ({ lineDiscountCode, amount }: LineDiscount) => {
    if (lineDiscountCode === discountCode) sum += amount
  }
  for (const { discounts } of lines) discounts.forEach(add)
  orderDiscounts.forEach(add)
  return sum
}

type PricedFigures = Omit<Priced, 'answer' | 'packed' | 'carried'>

function pricedFrom(calculation: Calculation | null, netBefore: number): PricedFigures {
  if (calculation === null) return memberNotFound(netBefore)
  const { outcome, wants, netAfter, loyaltyDiscountTotal, value, optimal, gap, steps } = calculation
  return {
    status: outcome.status,
    reason: outcome.status === 'unchanged' ? outcome.reason : null,
    explanation: packReports(calculation.benefits),
    wants,
    netAfter,
    loyaltyDiscountTotal,
    value,
    optimal,
    gap,
    steps,
    bounded: calculation.bounded,
    spending: textOfSpending(calculation.spending),
    earning: textOfEarning(calculation.earning),
    gave: textOfGiven(calculation.benefits),
    entered: textOfEntered(calculation.entered),
  }
}

function memberNotFound(netBefore: number): PricedFigures {
  return {
    status: 'member_not_found',
    reason: null,
    explanation: noExplanation,
    wants: [],
    netAfter: netBefore,
    loyaltyDiscountTotal: 0,
    value: 0,
    optimal: true,
    gap: 0,
    steps: 0,
    bounded: false,
    spending: null,
    gave: null,
    entered: null,
    earning: null,
  }
}

const noExplanation = packReports([])
