import { moneyMax } from '../core/base/money.js'
import type { Benefit, Cost, Limit, Reward, ScheduleWindow, Selector } from '../core/base/programme.js'
import type { Place } from './place.js'
import { readAudience } from './read-audience.js'
import { type ProgrammeCurrency, readCurrencyId } from './read-programme-currency.js'
import { hasTimes, orderKinds, readReward } from './read-reward.js'
import { readRequired, readSelect } from './read-selector.js'
import {
  checkNotes,
  Once,
  openFields,
  priorityMax,
  readFlag,
  readId,
  readInteger,
  readList,
  readMoment,
  readMoney,
  readOptional,
  readText,
  readTimeOfDay,
  readWord,
} from './read-values.js'
import { readOwn } from './read-venue.js'

export interface BenefitIdentities {
  readonly benefitIds: Once
  readonly limitIds: Once
  readonly currencies: readonly ProgrammeCurrency[]
}

export function createBenefitIdentities(currencies: readonly ProgrammeCurrency[]): BenefitIdentities {
  return { benefitIds: new Once('benefitId'), limitIds: new Once('limitId'), currencies }
}

const benefitFields = [
  'benefitId',
  'text',
  'campaign',
  'priority',
  'sequence',
  'group',
  'validFrom',
  'validUntil',
  'schedule',
  'venueIds',
  'channels',
  'audience',
  'conditions',
  'existingDiscounts',
  'combination',
  'reward',
  'limits',
  'costs',
  'enabled',
  'description',
  'metadata',
] as const

const stackableKinds: readonly Reward['kind'][] = ['line_percentage', 'line_amount', ...orderKinds]

export interface ListedBenefit {
  readonly benefit: Benefit
  /** Its path, such as `benefits[3]`. */
  readonly path: string
  readonly isEnabled: boolean
}

export function readBenefit(place: Place, identities: BenefitIdentities): ListedBenefit {
  const at = openFields(place, benefitFields)
  checkNotes(at)
  const benefit: Benefit = {
    benefitId: readOwn(at('benefitId'), identities.benefitIds),
    text: readText(at('text')),
    campaign: readOptional(at('campaign'), readText),
    priority: readOptional(at('priority'), readRank) ?? 0,
    sequence: readOptional(at('sequence'), readRank) ?? 0,
    group: readOptional(at('group'), readId),
    validFrom: readOptional(at('validFrom'), readMoment),
    validUntil: readOptional(at('validUntil'), readMoment),
    schedule: readOptional(at('schedule'), (list) => readList(list, readWindow)),
    venueIds: readOptional(at('venueIds'), (list) => readList(list, readId)),
    channels: readOptional(at('channels'), (list) => readList(list, readId)),
    audience: readOptional(at('audience'), (each) => readAudience(each, identities.currencies)),
    conditions: readOptional(at('conditions'), readConditions),
    existingDiscounts:
      readOptional(at('existingDiscounts'), (word) => readWord(word, ['replace', 'keep', 'add'])) ?? 'replace',
    combination:
      readOptional(at('combination'), (word) => readWord(word, ['normal', 'stackable', 'exclusive'])) ?? 'normal',
    reward: readReward(at('reward')),
    limits:
      readOptional(at('limits'), (list) => readList(list, (entry) => readLimit(entry, identities.limitIds))) ?? [],
    costs: readOptional(at('costs'), (cost) => readCost(cost, identities.currencies)),
  }
  checkBenefit(benefit, at)
  return { benefit, path: place.path, isEnabled: readOptional(at('enabled'), readFlag) ?? true }
}

function readRank(value: Place): number {
  return readInteger(value, -priorityMax, priorityMax)
}

function checkBenefit(benefit: Benefit, at: (field: (typeof benefitFields)[number]) => Place): void {
  const { validFrom, validUntil, combination, existingDiscounts, reward } = benefit
  if (validFrom !== null && validUntil !== null && validFrom >= validUntil) {
    at('validUntil').fault('a moment after validFrom')
  }
  if (combination === 'stackable' && !stackableKinds.includes(reward.kind)) {
    at('combination').fault(`normal or exclusive; stackable is for ${stackableKinds.join(', ')}`)
  }
  if (reward.kind === 'price_override' && existingDiscounts === 'add') {
    at('existingDiscounts').fault('replace or keep for a price_override')
  }
  const unlimited = stackableKinds.includes(reward.kind) ? whyNoUnits(benefit) : null
  if ('maximumUnits' in reward && unlimited !== null) {
    inside(at('reward'), 'maximumUnits').fault(`no maximum, since ${unlimited}`)
  }
  checkCost(benefit, at('costs'))
  checkBirthdayLimits(benefit, at('limits'))
  const [noUnits, noMoney] = [whyNoUnits(benefit), whyNoMoney(benefit)]
  for (const [position, { counts }] of benefit.limits.entries()) {
    const why = counts === 'units' ? noUnits : counts === 'amount' ? noMoney : null
    if (why === null) continue
    const others = [...(noUnits === null ? ['units'] : []), ...(noMoney === null ? ['amount'] : [])]
    limitField(at('limits'), position, 'counts').fault(`${['baskets', ...others].join(' or ')}, since ${why}`)
  }
}

/** A limit by birthday needs one member, and one date that its windows are about (benefits 5). */
function checkBirthdayLimits({ audience, limits }: Benefit, list: Place): void {
  const hasOneDate = (audience?.birthday === undefined) !== (audience?.anniversary === undefined)
  for (const [position, { scope, period }] of limits.entries()) {
    if (period !== 'birthday') continue
    if (scope !== 'member') limitField(list, position, 'scope').fault('member, since the period is birthday')
    if (!hasOneDate) {
      const why = 'birthday is for an audience with either birthday or anniversary'
      limitField(list, position, 'period').fault(`another period, since ${why}`)
    }
  }
}

function checkCost(benefit: Benefit, costs: Place): void {
  const { reward } = benefit
  const per = inside(costs, 'per')
  const unlimited = whyNoUnits(benefit)
  if (per.value === 'unit' && unlimited !== null) per.fault(`basket, since ${unlimited}`)
  if (per.value === 'times' && !hasTimes(reward)) {
    per.fault('unit or basket; times is for buy_get, bundles and an order_amount with maximumTimes')
  }
}

function whyNoUnits({ reward, combination }: Benefit): string | null {
  if (orderKinds.includes(reward.kind)) return 'the reward is on the order'
  if (reward.kind === 'line_amount' && reward.per === 'line') return 'the amount is per line'
  return combination === 'stackable' ? 'the benefit is stackable' : null
}

function whyNoMoney({ reward, combination }: Benefit): string | null {
  if (reward.kind === 'price_override') return 'a price_override is no discount'
  if (reward.kind === 'free_product') return 'a free_product adds units'
  return combination === 'stackable' ? 'the benefit is stackable' : null
}

export function limitField(list: Place, position: number, field: keyof Limit): Place {
  return inside(list.below(position, (list.value as readonly unknown[])[position]), field)
}

function inside(place: Place, field: string): Place {
  return place.below(field, (place.value as Readonly<Record<string, unknown>> | null | undefined)?.[field])
}

export function readWindow(place: Place): ScheduleWindow {
  const at = openFields(place, ['days', 'from', 'until'])
  return {
    days: readList(at('days'), (day) => readWord(day, ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])),
    from: readTimeOfDay(at('from')),
    until: readTimeOfDay(at('until')),
  }
}

function readConditions(place: Place): NonNullable<Benefit['conditions']> {
  const at = openFields(place, ['minimumSpend', 'requires'])
  const minimumSpend = readOptional(at('minimumSpend'), readMinimumSpend)
  const requires = readOptional(at('requires'), (list) => readList(list, readRequired))
  return { ...(minimumSpend === null ? {} : { minimumSpend }), ...(requires === null ? {} : { requires }) }
}

export function readMinimumSpend(place: Place): { readonly amount: number; readonly select?: Selector } {
  const at = openFields(place, ['amount', 'select'])
  return { amount: readMoney(at('amount')), ...readSelect(at('select')) }
}

export const periods = ['ever', 'day', 'week', 'month', 'year', 'birthday'] as const

function readLimit(place: Place, limitIds: Once): Limit {
  const at = openFields(place, ['limitId', 'scope', 'period', 'counts', 'maximum'])
  return {
    limitId: readOwn(at('limitId'), limitIds),
    scope: readWord(at('scope'), ['everyone', 'member', 'venue']),
    period: readWord(at('period'), periods),
    counts: readWord(at('counts'), ['baskets', 'units', 'amount']),
    maximum: readInteger(at('maximum'), 1, moneyMax),
  }
}

function readCost(place: Place, currencies: readonly ProgrammeCurrency[]): Cost {
  const at = openFields(place, ['currencyId', 'amount', 'per', 'worth'])
  return {
    currencyId: readCurrencyId(at('currencyId'), currencies),
    amount: readInteger(at('amount'), 1, moneyMax),
    per: readWord(at('per'), ['unit', 'times', 'basket']),
    worth: readOptional(at('worth'), readMoney) ?? 0,
  }
}
