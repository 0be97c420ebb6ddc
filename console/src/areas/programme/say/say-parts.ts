import type { MessageKey } from '../../../i18n/words.js'
import { listIn, numberIn, type ProgrammePart, partIn, textIn } from './parts-of.js'
import { linesText } from './say-lines.js'
import { rewardText } from './say-reward.js'
import {
  audienceText,
  conditionsText,
  costsText,
  datesText,
  limitsText,
  scheduleText,
  venuesOf,
  whereText,
} from './say-terms.js'
import type { Saying } from './saying.js'

/** One thing that is said of an entry; `fields` are what it is made of. */
export interface Facet {
  readonly fields: readonly string[]
  /** Empty: nothing to say. */
  readonly text: (saying: Saying, part: ProgrammePart) => string
  /** What is said where a change leaves nothing to say; absent: that it is no more. */
  readonly none?: MessageKey
}

const terms: readonly Facet[] = [
  { fields: ['schedule'], text: scheduleText, none: 'says.always' },
  { fields: ['venueIds', 'channels'], text: whereText, none: 'says.everywhere' },
  { fields: ['audience'], text: audienceText },
]
const dates: Facet = { fields: ['validFrom', 'validUntil'], text: datesText, none: 'says.atOnce' }

/** What is said of a benefit: what it gives, when, where, to whom, for what, how often, from when to when. */
export const benefitFacets: readonly Facet[] = [
  { fields: ['reward'], text: rewardText },
  ...terms,
  { fields: ['conditions'], text: conditionsText, none: 'says.noCondition' },
  { fields: ['costs'], text: costsText, none: 'says.noCosts' },
  { fields: ['limits'], text: limitsText, none: 'says.noLimit' },
  dates,
]

/** What is said of an earning rule. */
export const ruleFacets: readonly Facet[] = [
  { fields: ['currencyId', 'give', 'per', 'select', 'includeNoDiscount'], text: givesText },
  { fields: ['multipliers'], text: multipliersText, none: 'says.noMultiplier' },
  ...terms,
  { fields: ['minimumSpend'], text: conditionsText, none: 'says.noCondition' },
  { fields: ['maximum'], text: maximumText, none: 'says.noLimit' },
  dates,
]

/** What is said of an exchange. */
export const exchangeFacets: readonly Facet[] = [{ fields: ['from', 'to', 'validDays'], text: exchangeText }]

/** What is said of a tier. */
export const tierFacets: readonly Facet[] = [
  { fields: ['currencyId', 'amount', 'windowMonths', 'keepMonths'], text: tierText },
]

/** What a rule gives, and for what. */
function givesText(saying: Saying, rule: ProgrammePart): string {
  const { t, value } = saying
  const given = value(Number(rule['give']), textIn(rule, 'currencyId'))
  const select = partIn(rule, 'select')
  const lines = linesText(saying, select)
  const per = partIn(rule, 'per')
  if (per === null) return t('says.perVisit', { given })
  const units = numberIn(per, 'units')
  if (units !== null) return t('says.perUnits', { given, count: units, lines })
  const amount = saying.money(Number(per['amount']), venuesOf(rule))
  return select === null ? t('says.perAmount', { given, amount }) : t('says.perAmountOf', { given, amount, lines })
}

function multipliersText(saying: Saying, rule: ProgrammePart): string {
  return saying.list(
    listIn(rule, 'multipliers').map((multiplier) => {
      const when = [partIn(multiplier, 'audience') === null ? '' : audienceText(saying, multiplier)]
      const who = [...when, scheduleText(saying, multiplier)].filter((text) => text !== '').join(', ')
      return saying.t('says.multiplier', { factor: textIn(multiplier, 'factor'), who })
    }),
  )
}

function maximumText(saying: Saying, rule: ProgrammePart): string {
  const maximum = partIn(rule, 'maximum')
  if (maximum === null) return ''
  const value = saying.value(Number(maximum['amount']), textIn(rule, 'currencyId'))
  return saying.t('says.maximum', { value, period: saying.t.of('period', textIn(maximum, 'period')) })
}

function exchangeText({ t, value }: Saying, exchange: ProgrammePart): string {
  const [from, to] = [partIn(exchange, 'from') ?? {}, partIn(exchange, 'to') ?? {}]
  const amountOf = (side: ProgrammePart) => value(Number(side['amount']), textIn(side, 'currencyId'))
  const days = numberIn(exchange, 'validDays')
  const what = t('says.exchange', { from: amountOf(from), to: amountOf(to) })
  return days === null ? what : t('says.valid', { what, count: days })
}

function tierText({ t, value }: Saying, tier: ProgrammePart): string {
  return t('says.tier', {
    value: value(Number(tier['amount']), textIn(tier, 'currencyId')),
    months: Number(tier['windowMonths']),
    kept: Number(tier['keepMonths']),
  })
}
