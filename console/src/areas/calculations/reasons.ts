import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { Beaten, Dropped, Missing } from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import { nowMs } from '../../api/clock.js'
import type { BenefitPart, ProgrammeNames, SelectorPart } from '../../api/programme.js'
import type { Words } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/scaled.js'
import { dateOf } from '../../parts/time.js'

/** What the words of a reason refer to. */
export interface ReasonContext {
  readonly t: Words
  readonly names: ProgrammeNames
  /** Of the basket, ISO 4217. */
  readonly currency: string
  /** Names of the products of the request's lines, by position. */
  readonly products: readonly string[]
  /** IANA name of the venue's time zone; undefined: the computer's own. */
  readonly zone: string | undefined
  /** The name of a venue, and of a product of the venue's price list, else the id; absent: ids. */
  readonly venueName?: (venueId: string) => string
  readonly productName?: (productId: string) => string
}

/** The text of a benefit, else its id. */
export function benefitName({ names }: Pick<ReasonContext, 'names'>, benefitId: string): string {
  return names.benefits.get(benefitId)?.text ?? benefitId
}

/** An amount of what members collect, with the currency's name. */
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

/**
 * Why a benefit did not apply, in one sentence with its numbers.
 *
 * @param benefitId  absent: what it counts is not named
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
      return beatenText(context, stage.value)
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

/** With both sides in numbers; where what stacks on both makes another difference, with that too. */
function beatenText(context: ReasonContext, { by: ids, gap, gives, instead }: Beaten): string {
  const { t } = context
  const by = listText(ids.map((id) => benefitName(context, id)))
  const more = t('reason.worthMore', { gap: moneyText(context, gap) })
  if (by === '') return `${t('reason.beatenByAll')}: ${more}`
  if (gives === undefined || instead === undefined) return `${t('reason.beaten', { by })}: ${more}`
  const amount = (minor: bigint) => formatScaled(minor, digitsOf(context.currency), t.locale)
  const beaten = t('reason.beatenAgainst', { by, instead: amount(instead), gives: amount(gives) })
  return instead - gives === gap ? beaten : `${beaten}; ${t('reason.withStacks')} ${more}`
}

/** What a benefit counts, where it is one thing that has a name; null: several, or anything. */
function countedBy(context: ReasonContext, benefit: BenefitPart | undefined): string | null {
  const { reward, conditions } = benefit ?? {}
  const parts = [reward, reward?.buy, reward?.get, ...(reward?.components ?? []), ...(conditions?.requires ?? [])]
  const selects = parts.flatMap((part) => (part?.select ? [part.select] : []))
  const texts = new Set(selects.map((select) => selectText(context, select)))
  const [only] = texts
  return texts.size === 1 && only !== undefined && only !== '' ? only : null
}

function selectText({ productName = itself }: ReasonContext, select: SelectorPart): string {
  const { productIds, productGroupIds, productMasterIds, eans } = select
  return listText([
    ...(productGroupIds ?? []),
    ...(productIds ?? []).map(productName),
    ...(productMasterIds ?? []),
    ...(eans ?? []),
  ])
}

const itself = (id: string) => id
const listedMax = 4

/** A list as text; of a long one its beginning. */
export function listText(texts: readonly string[]): string {
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

/** A moment of the venue: the day, the year where it is another one, and the time unless the day begins. */
export function momentText({ t, zone }: Pick<ReasonContext, 't' | 'zone'>, at: Date): string {
  const timeZone = zone === undefined ? {} : { timeZone: zone }
  const part = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(t.locale, { ...parts, ...timeZone })
  const isThisYear = part({ year: 'numeric' }).format(at) === part({ year: 'numeric' }).format(nowMs())
  const day = part({ day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) }).format(at)
  const time = part({ hour: '2-digit', minute: '2-digit' }).format(at)
  return time === '00:00' ? day : `${day}, ${time}`
}
