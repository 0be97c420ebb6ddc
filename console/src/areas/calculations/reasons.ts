import { LimitCounts } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { Dropped, Missing } from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import type { BenefitPart, ProgrammeNames } from '../../api/programme.js'
import type { Words } from '../../i18n/words.js'
import { digitsOf, formatScaled } from '../../parts/money.js'
import { dateOf } from '../../parts/time.js'

/** What the words of a reason refer to. */
export interface ReasonContext {
  readonly t: Words
  readonly names: ProgrammeNames
  /** Of the basket, ISO 4217. */
  readonly currency: string
  /** Products of the request's lines, by position. */
  readonly products: readonly string[]
  /** IANA name of the venue's time zone; undefined: the computer's own. */
  readonly zone: string | undefined
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

/** Why a benefit did not apply, in one sentence with its numbers. */
export function reasonText(context: ReasonContext, { stage }: Dropped): string {
  const { t } = context
  switch (stage.case) {
    case 'conditionsNotMet':
      return stage.value.missing.map((missing) => missingText(context, missing)).join('; ')
    case 'notDiscountable':
      return t('reason.notDiscountable', { products: productsText(context, stage.value.lines) })
    case 'existingDiscountKept':
      return t('reason.existingDiscountKept', { products: productsText(context, stage.value.lines) })
    case 'limitExhausted': {
      const { limitId, period, left, wanted, backAt, counts } = stage.value
      const isMoney = counts === LimitCounts.AMOUNT
      const shown = (units: bigint) => (isMoney ? moneyText(context, units) : String(units))
      const back = backAt === undefined ? '' : ` ${t('reason.backAt', { at: dayText(context, dateOf(backAt)) })}`
      return t('reason.limitExhausted', { limitId, period, left: shown(left), wanted: shown(wanted) }) + back
    }
    case 'beaten': {
      const by = stage.value.by.map((id) => benefitName(context, id)).join(', ')
      const gap = moneyText(context, stage.value.gap)
      return by === '' ? t('reason.beatenByAll', { gap }) : t('reason.beaten', { by, gap })
    }
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

function missingText(context: ReasonContext, { what }: Missing): string {
  const { t } = context
  switch (what.case) {
    case 'spend':
      return t('reason.missingSpend', { amount: moneyText(context, what.value) })
    case 'units':
      return t('reason.missingUnits', { count: what.value })
    case 'productId':
      return t('reason.missingProduct', { product: what.value })
    case 'cannotAfford':
      return t('reason.cannotAfford', { value: valueText(context, what.value.currencyId, what.value.amount) })
    default:
      return t('reason.unknown')
  }
}

function productsText({ products }: ReasonContext, lines: readonly number[]): string {
  return lines.map((line) => products[line] ?? String(line + 1)).join(', ')
}

function dayText({ t, zone }: ReasonContext, at: Date): string {
  const timeZone = zone === undefined ? {} : { timeZone: zone }
  return new Intl.DateTimeFormat(t.locale, { dateStyle: 'medium', timeStyle: 'short', ...timeZone }).format(at)
}

/** What a benefit is restricted to, in the order of the programme; empty: nothing. It does not say which of them failed. */
export function restrictionsText(context: ReasonContext, benefit: BenefitPart): readonly string[] {
  const { t } = context
  const list = (values: readonly string[]) => values.join(', ')
  const day = (at: string) => dayText(context, new Date(at))
  return [
    ...(benefit.enabled === false ? [t('restriction.disabled')] : []),
    ...(benefit.validFrom ? [t('restriction.from', { at: day(benefit.validFrom) })] : []),
    ...(benefit.validUntil ? [t('restriction.until', { at: day(benefit.validUntil) })] : []),
    ...(benefit.venueIds ? [t('restriction.venues', { venues: list(benefit.venueIds) })] : []),
    ...(benefit.channels ? [t('restriction.channels', { channels: list(benefit.channels) })] : []),
    ...(benefit.schedule ?? []).map(({ days, from, until }) =>
      t('restriction.schedule', { days: list(days.map((day) => t.of('day', day))), from, until }),
    ),
    ...Object.entries(benefit.audience ?? {}).map(([field, value]) =>
      t('restriction.audience', {
        field: t.of('audience', field),
        value: Array.isArray(value) ? list(value.map(String)) : JSON.stringify(value),
      }),
    ),
  ]
}
