import type { MessageKey } from '../../../i18n/words.js'
import { isSame } from './is-same.js'
import { listIn, numberIn, type ProgrammePart, partIn, partsOf, type Saying, textIn, textsIn } from './saying.js'
import {
  audienceText,
  combinationText,
  conditionsText,
  costsText,
  datesText,
  groupText,
  limitsText,
  linesText,
  rewardText,
  scheduleText,
  subjectText,
  venuesOf,
  whereText,
} from './terms.js'

export interface Sentence {
  readonly key: string
  readonly kind: 'added' | 'changed' | 'removed'
  readonly text: string
}

/**
 * The changes from one programme to another in words: added, then changed, then removed entries.
 *
 * @param base  null: none
 */
export function summaryOf(saying: Saying, base: ProgrammePart | null, changed: ProgrammePart): readonly Sentence[] {
  const parts = saidLists.flatMap(({ list, id, noun, facets }) => {
    const [before, after] = [partsOf(base ?? {}, list, id), partsOf(changed, list, id)]
    return [...new Set([...after.keys(), ...before.keys()])].flatMap((key) => {
      const own = { key: `${list}/${key}`, name: nameOf(saying, noun, key, after.get(key) ?? before.get(key)!), facets }
      return sentencesOf(saying, own, before.get(key), after.get(key))
    })
  })
  const all = [
    ...parts,
    ...venueSentences(saying, base ?? {}, changed),
    ...memberSentences(saying, base ?? {}, changed),
  ]
  return (['added', 'changed', 'removed'] as const).flatMap((kind) => all.filter((one) => one.kind === kind))
}

/** An entry in a sentence: a benefit as "who, when, where, get what"; others facet by facet. */
export function entryText(saying: Saying, facets: readonly Facet[], part: ProgrammePart): string {
  const isOfBenefit = facets === benefitFacets
  const inOrder = (chosen: readonly Facet[]) =>
    chosen
      .map((facet) => partText(saying, facet, part))
      .filter((text) => text !== '')
      .join(', ')
  if (!isOfBenefit) return inOrder(facets)
  const terms = inOrder(whenAndWhere)
  const what = inOrder(facets.filter((facet) => facet !== audience && !whenAndWhere.includes(facet)))
  return saying.t('says.benefit', { who: subjectText(saying, part), terms, has: terms === '' ? 0 : 1, what })
}

function partText(saying: Saying, { fields, text, none, isShown }: Facet, part: ProgrammePart): string {
  const said = saying.part(fields.join(), text(saying, part))
  return said === '' && isShown === true ? saying.unsaid(fields.join(), saying.t(none!)) : said
}

const noFacets: readonly Facet[] = []

/** The same array each time. */
export function facetsOf(list: string): readonly Facet[] {
  return saidLists.find((one) => one.list === list)?.facets ?? noFacets
}

function sentencesOf(
  saying: Saying,
  { key, name, facets }: { readonly key: string; readonly name: string; readonly facets: readonly Facet[] },
  before: ProgrammePart | undefined,
  after: ProgrammePart | undefined,
): readonly Sentence[] {
  const { t } = saying
  const isOn = (part: ProgrammePart) => part['enabled'] !== false
  const said = (kind: Sentence['kind'], text: string): readonly Sentence[] => [{ key, kind, text }]
  const whole = (part: ProgrammePart) => entryText(saying, facets, part)
  const named = (part: ProgrammePart) => ({ name, what: whole(part), has: whole(part) === '' ? 0 : 1 })
  if (after === undefined) {
    return said('removed', t(isOn(before!) ? 'says.removes' : 'says.removesOff', named(before!)))
  }
  if (before === undefined) return said('added', t(isOn(after) ? 'says.adds' : 'says.addsOff', named(after)))
  if (isSame(before, after)) return []
  if (isOn(before) !== isOn(after)) {
    return isOn(after)
      ? said('added', t('says.turnsOn', named(after)))
      : said('removed', t('says.turnsOff', named(after)))
  }
  const what = changesText(saying, facets, before, after)
  return said('changed', t(isOn(after) ? 'says.changes' : 'says.changesOff', { name, what }))
}

function changesText(saying: Saying, facets: readonly Facet[], before: ProgrammePart, after: ProgrammePart): string {
  const { t } = saying
  const differs = (field: string) => !isSame(before[field], after[field])
  const facetsSaid = facets.filter(({ fields }) => fields.some(differs))
  const shown = facetsSaid.map((facet) => {
    const textOf = (part: ProgrammePart) =>
      facet.text(saying, part) || (facet.none === undefined ? t('says.nothing') : t(facet.none))
    const [was, is] = [textOf(before), textOf(after)]
    return was === is ? fieldNames(saying, facet.fields.filter(differs)) : t('says.instead', { is, was })
  })
  const inFacets = new Set(facetsSaid.flatMap(({ fields }) => fields))
  const text = differs('text') ? [t('says.prints', { is: textIn(after, 'text'), was: textIn(before, 'text') })] : []
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const others = names.filter((field) => differs(field) && !inFacets.has(field) && field !== 'text')
  return [...shown, ...text, ...(others.length === 0 ? [] : [fieldNames(saying, others)])].join('; ')
}

function fieldNames({ t, list }: Saying, fields: readonly string[]): string {
  return t('says.fields', { count: fields.length, fields: list(fields.map((field) => t.of('field', field))) })
}

function nameOf({ t }: Saying, noun: string, id: string, part: ProgrammePart): string {
  const name = textIn(part, 'text') || textIn(part, 'name') || id
  return noun === 'benefit' ? name : t('says.named', { noun: t.of('part', noun), name })
}

/** Venues of the document; a venue that it leaves out stays as it is. */
function venueSentences(saying: Saying, base: ProgrammePart, changed: ProgrammePart): readonly Sentence[] {
  const { t, list } = saying
  const [before, after] = [partsOf(base, 'venues', 'venueId'), partsOf(changed, 'venues', 'venueId')]
  return [...after].flatMap(([id, venue]): readonly Sentence[] => {
    const old = before.get(id)
    const name = textIn(venue, 'name') || id
    if (old === undefined) return [{ key: `venues/${id}`, kind: 'added', text: t('says.addsVenue', { name }) }]
    if (isSame(old, venue)) return []
    const fields = Object.keys({ ...old, ...venue }).filter((field) => !isSame(old[field], venue[field]))
    const what = list(
      fields.map((field) => (field === 'products' ? pricesText(saying, old, venue) : t.of('field', field))),
    )
    return [{ key: `venues/${id}`, kind: 'changed', text: t('says.changesVenue', { name, what }) }]
  })
}

function pricesText({ t }: Saying, before: ProgrammePart, after: ProgrammePart): string {
  const [old, now] = [partsOf(before, 'products', 'productId'), partsOf(after, 'products', 'productId')]
  const added = [...now.keys()].filter((id) => !old.has(id)).length
  const removed = [...old.keys()].filter((id) => !now.has(id)).length
  const changed = [...now].filter(([id, product]) => old.has(id) && !isSame(old.get(id), product)).length
  return t('says.prices', { added, removed, changed })
}

const namedMax = 5

function memberSentences({ t }: Saying, base: ProgrammePart, changed: ProgrammePart): readonly Sentence[] {
  const before = partsOf(base, 'members', 'memberId')
  const members = listIn(changed, 'members')
  const added = members.filter((member) => !before.has(textIn(member, 'memberId'))).length
  const differing = members.filter((member) => {
    const old = before.get(textIn(member, 'memberId'))
    return old !== undefined && !isSame(old, member)
  })
  const names = differing.slice(0, namedMax).map((member) => textIn(member, 'memberId'))
  const count = differing.length
  return [
    ...(added === 0
      ? []
      : [{ key: 'members/added', kind: 'added' as const, text: t('says.enrols', { count: added }) }]),
    ...(count === 0
      ? []
      : [
          {
            key: 'members/changed',
            kind: 'changed' as const,
            text: t('says.changesMembers', { count, names: [...names, ...(count > namedMax ? ['…'] : [])].join(', ') }),
          },
        ]),
  ]
}

export interface Facet {
  readonly fields: readonly string[]
  /** Empty: no text. */
  readonly text: (saying: Saying, part: ProgrammePart) => string
  /** The text where a change leaves no text; absent: that the term is gone. */
  readonly none?: MessageKey
  /** Its text without a value stands in a marked sentence. */
  readonly isShown?: boolean
}

const whenAndWhere: readonly Facet[] = [
  { fields: ['schedule'], text: scheduleText, none: 'says.always', isShown: true },
  { fields: ['venueIds', 'channels'], text: whereText, none: 'says.everywhere', isShown: true },
]
const audience: Facet = { fields: ['audience'], text: audienceText }
const terms: readonly Facet[] = [...whenAndWhere, audience]
const dates: Facet = { fields: ['validFrom', 'validUntil'], text: datesText, none: 'says.atOnce' }

export const benefitFacets: readonly Facet[] = [
  { fields: ['reward'], text: rewardText },
  ...terms,
  { fields: ['conditions'], text: conditionsText, none: 'says.noCondition' },
  {
    fields: ['combination', 'existingDiscounts'],
    text: combinationText,
    none: 'says.combines',
    isShown: true,
  },
  { fields: ['group', 'sequence'], text: groupText },
  { fields: ['costs'], text: costsText, none: 'says.noCosts' },
  { fields: ['limits'], text: limitsText, none: 'says.noLimit' },
  dates,
]

const ruleFacets: readonly Facet[] = [
  { fields: ['currencyId', 'give', 'per', 'select', 'includeNoDiscount'], text: givesText },
  { fields: ['multipliers'], text: multipliersText, none: 'says.noMultiplier' },
  ...terms,
  { fields: ['minimumSpend'], text: conditionsText, none: 'says.noCondition' },
  { fields: ['maximum'], text: maximumText, none: 'says.noLimit' },
  dates,
]

const exchangeFacets: readonly Facet[] = [{ fields: ['from', 'to', 'validDays'], text: exchangeText }]

const tierFacets: readonly Facet[] = [
  { fields: ['currencyId', 'amount', 'windowMonths', 'keepMonths'], text: tierText },
]

const experimentFacets: readonly Facet[] = [
  { fields: ['benefitIds', 'holdout', 'arms'], text: armsText },
  {
    fields: ['from', 'until'],
    text: (saying, part) => datesText(saying, { validFrom: part['from'], validUntil: part['until'] }),
  },
]

const saidLists = [
  { list: 'benefits', id: 'benefitId', noun: 'benefit', facets: benefitFacets },
  { list: 'currencies', id: 'currencyId', noun: 'currency', facets: [] },
  { list: 'earning', id: 'ruleId', noun: 'earning', facets: ruleFacets },
  { list: 'tiers', id: 'tierId', noun: 'tier', facets: tierFacets },
  { list: 'exchanges', id: 'exchangeId', noun: 'exchange', facets: exchangeFacets },
  { list: 'experiments', id: 'experimentId', noun: 'experiment', facets: experimentFacets },
] as const

function givesText(saying: Saying, rule: ProgrammePart): string {
  const { t, value } = saying
  const given = value(Number(rule['give']), textIn(rule, 'currencyId'))
  const select = partIn(rule, 'select')
  const lines = linesText(saying, select)
  const per = partIn(rule, 'per')
  if (per === null) return t('says.perVisit', { given })
  if ('units' in per) return t('says.perUnits', { given, count: numberIn(per, 'units') ?? Number.NaN, lines })
  const amount = saying.money(numberIn(per, 'amount') ?? Number.NaN, venuesOf(rule))
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

function armsText({ t, list }: Saying, experiment: ProgrammePart): string {
  const arms = listIn(experiment, 'arms')
  const benefits = list(textsIn(experiment, 'benefitIds'))
  if (arms.length === 0) return t('says.holdout', { percentage: Number(experiment['holdout']), benefits })
  const shares = arms.map((arm) => `${textIn(arm, 'armId')} ${Number(arm['percentage'])} %`)
  return t('says.arms', { arms: list(shares) })
}
