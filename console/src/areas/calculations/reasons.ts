import type { CalculationSummary, PricedBuyer } from '../../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import {
  type Beaten,
  type BenefitReport,
  type ClosedBenefit,
  type Dropped,
  type Missing,
  OpeningTerm,
  type WithheldBy,
} from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import type { SaleSum } from '../../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { nowMs } from '../../api/clock.js'
import type { AudiencePart, BenefitPart, ProgrammeNames, SelectorPart, WindowPart } from '../../api/programme.js'
import { useProductNames, useVenueNames, useVenueZone } from '../../api/venues.js'
import { useWords, type Words } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { dateOf, wordOf } from '../../parts/values.js'
import { balanceText, dayNames, lastVisitText } from '../programme/describe/terms.js'

export interface ReasonContext {
  readonly t: Words
  readonly names: ProgrammeNames
  readonly currency: string
  /** Names of the products of the request's lines, by position. */
  readonly products: readonly string[]
  /** IANA name of the venue's time zone; undefined: the computer's own. */
  readonly zone: string | undefined
  readonly venueName?: (venueId: string) => string
  readonly productName?: (productId: string) => string
}

export function benefitName({ names }: Pick<ReasonContext, 'names'>, benefitId: string): string {
  return names.benefits.get(benefitId)?.text ?? benefitId
}

export function valueText(
  { t, names }: Pick<ReasonContext, 't' | 'names'>,
  currencyId: string,
  amount: bigint,
): string {
  const currency = names.currencies.get(currencyId)
  return `${formatScaled(amount, currency?.scale ?? 0, t.locale)} ${currency?.name ?? currencyId}`
}

export function moneyText({ t, currency }: Pick<ReasonContext, 't' | 'currency'>, minor: bigint): string {
  return `${formatScaled(minor, digitsOf(currency), t.locale)} ${currency}`
}

/** Lines of an applied benefit that are weighed, have no discount on them or follow another; '': none. */
export function servedText({ t, products }: ReasonContext, { lines }: Pick<BenefitReport, 'lines'>): string {
  const name = (line: number) => products[line] ?? String(line + 1)
  const texts = lines.flatMap(({ line, weighed, noDiscount, follows }) => [
    ...(weighed ? [t('reason.weighed', { product: name(line) })] : []),
    ...(noDiscount ? [t('reason.noDiscount', { product: name(line) })] : []),
    ...(follows === undefined ? [] : [t('reason.follows', { product: name(line), leader: name(follows) })]),
  ])
  return [...new Set(texts)].join('; ')
}

/**
 * The reason why a benefit did not apply, in one sentence with its numbers.
 *
 * @param benefitId  absent: the sentence does not name the goods that it counts
 */
export function reasonText(context: ReasonContext, { stage }: Dropped, benefitId = ''): string {
  const { t, names } = context
  switch (stage.case) {
    case 'conditionsNotMet': {
      const counted = countedBy(context, names.benefits.get(benefitId))
      return stage.value.missing.map((missing) => missingText(context, missing, counted)).join('; ')
    }
    case 'notDiscountable':
      return t('reason.notDiscountable', { products: productsText(context, stage.value.lines) })
    case 'existingDiscountKept':
      return t('reason.existingDiscountKept', { products: productsText(context, stage.value.lines) })
    case 'limitExhausted': {
      const { limitId, period, left, wanted, backAt, counts } = stage.value
      const isMoney = counts === LimitCounts.AMOUNT
      const shown = (units: bigint) => (isMoney ? moneyText(context, units) : String(units))
      const back = backAt === undefined ? '' : ` ${t('reason.backAt', { at: momentText(context, dateOf(backAt)) })}`
      const values = { limitId, period: period || t('period.ever'), left: shown(left), wanted: shown(wanted) }
      return t('reason.limitExhausted', values) + back
    }
    case 'beaten':
      return beatenText(context, benefitId, stage.value)
    case 'valueHeld': {
      const { currencyId, left, wanted } = stage.value
      return t('reason.valueHeld', {
        left: valueText(context, currencyId, left),
        wanted: valueText(context, currencyId, wanted),
      })
    }
    default:
      return t('reason.unknown')
  }
}

function beatenText(context: ReasonContext, benefitId: string, { by: ids, gap, gives, instead }: Beaten): string {
  const { t } = context
  const by = listText(ids.map((id) => benefitName(context, id)))
  const more = t('reason.worthMore', { gap: moneyText(context, gap) })
  if (by === '') return `${t('reason.beatenByAll')}: ${more}`
  if (gives === undefined || instead === undefined) return `${t('reason.beaten', { by })}: ${more}`
  const amount = (minor: bigint) => formatScaled(minor, digitsOf(context.currency), t.locale)
  const costs = context.names.benefits.get(benefitId)?.costs
  const values = { by, instead: amount(instead), gives: amount(gives) }
  const beaten = costs
    ? t('reason.beatenCost', { ...values, cost: valueText(context, costs.currencyId, BigInt(costs.amount)) })
    : t('reason.beatenAgainst', values)
  return instead - gives === gap ? beaten : `${beaten}; ${t('reason.withStacks')} ${more}`
}

/** The named things that a benefit counts, one of which is missing; null: it counts anything. */
function countedBy(context: ReasonContext, benefit: BenefitPart | undefined): string | null {
  const { reward, conditions } = benefit ?? {}
  const parts = [reward, reward?.buy, reward?.get, ...(reward?.components ?? []), ...(conditions?.requires ?? [])]
  const selects = parts.flatMap((part) => (part?.select ? [part.select] : []))
  const named = selects.map((select) => namesIn(context, select))
  const all = [...new Set(named.flat())]
  if (all.length === 0 || named.some((names) => names.length === 0)) return null
  if (all.length > listedMax) return listText(all)
  return new Intl.ListFormat(context.t.locale, { type: 'disjunction' }).format(all)
}

function namesIn({ productName = itself }: ReasonContext, select: SelectorPart): readonly string[] {
  const { productIds, productGroupIds, productMasterIds, eans } = select
  const products = [...(productIds ?? []), ...(productMasterIds ?? []), ...(eans ?? [])]
  return [...(productGroupIds ?? []), ...products.map(productName)]
}

const itself = (id: string) => id
const listedMax = 4

function listText(texts: readonly string[]): string {
  return texts.length <= listedMax ? texts.join(', ') : `${texts.slice(0, listedMax).join(', ')} …`
}

function missingText(context: ReasonContext, { what }: Missing, counted: string | null): string {
  const { t } = context
  switch (what.case) {
    case 'spend':
      return t('reason.missingSpend', { amount: moneyText(context, what.value) })
    case 'units':
      return counted === null
        ? t('reason.missingUnits', { count: what.value })
        : t('reason.missingOf', { count: what.value, what: counted })
    case 'productId':
      return t('reason.missingProduct', { product: (context.productName ?? itself)(what.value) })
    case 'cannotAfford':
      return t('reason.cannotAfford', { value: valueText(context, what.value.currencyId, what.value.amount) })
    default:
      return t('reason.unknown')
  }
}

function productsText({ products }: ReasonContext, lines: readonly number[]): string {
  return lines.map((line) => products[line] ?? String(line + 1)).join(', ')
}

/** A moment at the venue: the day, the year where it is not the current one, and the time unless it is midnight. */
export function momentText({ t, zone }: Pick<ReasonContext, 't' | 'zone'>, at: Date): string {
  const timeZone = zone === undefined ? {} : { timeZone: zone }
  const part = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(t.locale, { ...parts, ...timeZone })
  const isThisYear = part({ year: 'numeric' }).format(at) === part({ year: 'numeric' }).format(nowMs())
  const day = part({ day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) }).format(at)
  const time = part({ hour: '2-digit', minute: '2-digit' }).format(at)
  return time === '00:00' ? day : `${day}, ${time}`
}

export function closedText(
  context: ReasonContext,
  { benefitId, terms, withheldBy }: ClosedBenefit,
  occasion: Occasion | null,
): readonly string[] {
  const benefit = context.names.benefits.get(benefitId)
  const { t } = context
  // The names of a large programme are not loaded.
  return terms.map((term) => {
    if (term === OpeningTerm.EXPERIMENT) return listText(withheldBy.map((by) => withheldText(t, by)))
    if (benefit === undefined || occasion === null) return wordOf(t, 'opening_term', OpeningTerm, term)
    return termText(context, benefit, { term, occasion })
  })
}

function withheldText(t: Words, { name, armId }: WithheldBy): string {
  return armId === 'holdout' ? t('closed.holdout', { name }) : t('closed.arm', { name, armId })
}

interface Failed {
  readonly term: OpeningTerm
  readonly occasion: Occasion
}

function termText(context: ReasonContext, benefit: BenefitPart, { term, occasion }: Failed): string {
  const { t } = context
  switch (term) {
    case OpeningTerm.ENABLED:
      return t('closed.disabled')
    case OpeningTerm.VALID_FROM:
      return t('closed.validFrom', { at: momentText(context, new Date(benefit.validFrom!)) })
    case OpeningTerm.VALID_UNTIL:
      return t('closed.validUntil', { at: momentText(context, new Date(benefit.validUntil!)) })
    case OpeningTerm.VENUE_IDS:
      return t('closed.venues', { venues: listText(benefit.venueIds!.map((id) => context.venueName?.(id) ?? id)) })
    case OpeningTerm.CHANNELS:
      return t('says.channels', { channels: listText(benefit.channels!) })
    case OpeningTerm.SCHEDULE:
      return t('closed.schedule', {
        windows: listText(benefit.schedule!.map((window) => windowText(t, window))),
        at: timeText(context, occasion),
      })
    default:
      return benefit.audience ? audienceText(context, benefit.audience, { term, occasion }) : t('reason.unknown')
  }
}

function audienceText(context: ReasonContext, audience: AudiencePart, { term, occasion: { buyer } }: Failed): string {
  const { t } = context
  switch (term) {
    case OpeningTerm.TIERS: {
      const tiers = listText(audience.tiers!)
      return buyer.tier === undefined ? t('closed.tiersNone', { tiers }) : t('closed.tiers', { tiers, had: buyer.tier })
    }
    case OpeningTerm.SEGMENTS:
      return t('closed.segments', { segments: listText(audience.segments!) })
    case OpeningTerm.VISITS: {
      const { from, to } = audience.visits!
      const visits = buyer.visits ?? t('closed.notKnown')
      if (to === null || to === undefined) return t('closed.visitsFrom', { from: from ?? 0, visits })
      return t('closed.visits', { from: from ?? 0, to, visits })
    }
    case OpeningTerm.BIRTHDAY: {
      const { daysBefore, daysAfter } = audience.birthday!
      return t('closed.birthday', { daysBefore, daysAfter, birthday: buyer.birthday ?? t('closed.notKnown') })
    }
    case OpeningTerm.ANNIVERSARY: {
      const { daysBefore, daysAfter } = audience.anniversary!
      return t('closed.anniversary', { daysBefore, daysAfter, joined: buyer.joinedOn ?? t('closed.notKnown') })
    }
    case OpeningTerm.LAST_VISIT: {
      const { atLeastDays = null, atMostDays = null } = audience.lastVisit!
      const at = buyer.lastVisitAt === undefined ? t('closed.notKnown') : momentText(context, dateOf(buyer.lastVisitAt))
      return t('closed.lastVisit', { who: lastVisitText(t, atLeastDays, atMostDays), at })
    }
    case OpeningTerm.BALANCES:
      return audience.balances!.map((balance) => closedByBalance(context, balance, buyer)).join('; ')
    case OpeningTerm.JOINED_WITHIN_DAYS: {
      const days = audience.joinedWithinDays!
      return t('closed.joined', { days, joined: buyer.joinedOn ?? t('closed.notKnown') })
    }
    case OpeningTerm.MEMBER_IDS:
      return t('closed.members', { count: audience.memberIds!.length })
    default:
      return t('reason.unknown')
  }
}

type Balance = NonNullable<AudiencePart['balances']>[number]

function closedByBalance(context: ReasonContext, { currencyId, from, to }: Balance, { balances }: PricedBuyer): string {
  const amount = (bound: number | null | undefined) =>
    bound === null || bound === undefined ? null : valueText(context, currencyId, BigInt(bound))
  const had = valueText(context, currencyId, balances[currencyId] ?? 0n)
  return context.t('closed.balance', { who: balanceText(context.t, amount(from), amount(to)), had })
}

/** Such as `Mon–Fri 15:00–17:00`; every day has no name. */
function windowText(t: Words, { days, from, until }: WindowPart): string {
  const names = dayNames(t, days)
  return `${names === null ? '' : `${names.join(', ')} `}${from}–${until}`
}

function timeText({ t, zone }: ReasonContext, { at }: Occasion): string {
  const timeZone = zone === undefined ? {} : { timeZone: zone }
  const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', ...timeZone } as const
  return new Intl.DateTimeFormat(t.locale, parts).format(at)
}

/** Discounts that POSs reported otherwise than answered: they are in no sum. '': none. */
export function apartText(t: Words, { currency, apart }: Pick<SaleSum, 'currency' | 'apart'>): string {
  return apart === 0n ? '' : t('reports.apart', { apart: moneyText({ t, currency }, apart) })
}

export interface Occasion {
  readonly at: Date
  readonly buyer: PricedBuyer
}

/** null: no member, or no longer known. */
export function occasionOf(
  { requestedAt }: Pick<CalculationSummary, 'requestedAt'>,
  buyer: PricedBuyer | undefined,
): Occasion | null {
  return buyer === undefined ? null : { at: new Date(requestedAt), buyer }
}

export interface Price {
  readonly amount: bigint
  /** The text of the benefit, or the name of the currency that it is exchanged for. */
  readonly buys: string
}

/** The cheapest use of a currency in the programme; null: none. */
export function priceOf({ benefits, exchanges, currencies }: ProgrammeNames, currencyId: string): Price | null {
  const prices = [
    ...[...benefits.values()].flatMap(({ costs, text, enabled }) =>
      costs?.currencyId === currencyId && enabled !== false ? [{ amount: BigInt(costs.amount), buys: text }] : [],
    ),
    ...exchanges.flatMap(({ from, to }) =>
      from.currencyId === currencyId
        ? [{ amount: BigInt(from.amount), buys: currencies.get(to.currencyId)?.name ?? to.currencyId }]
        : [],
    ),
  ]
  return prices.reduce<Price | null>(
    (least, price) => (least === null || price.amount < least.amount ? price : least),
    null,
  )
}

interface Priced {
  readonly names: ProgrammeNames
  readonly currency: string
  readonly products: readonly string[]
  readonly venueId: string
}

export function useReasonContext({ venueId, products, ...priced }: Priced): ReasonContext {
  const t = useWords()
  const productName = useProductNames(venueId)
  return {
    t,
    ...priced,
    products: products.map(productName),
    zone: useVenueZone(venueId),
    venueName: useVenueNames(),
    productName,
  }
}
