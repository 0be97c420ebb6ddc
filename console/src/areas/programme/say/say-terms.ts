import { listIn, numberIn, type ProgrammePart, partIn, textIn, textsIn } from './parts-of.js'
import { linesText, unitsText } from './say-lines.js'
import type { Saying } from './saying.js'

const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** When it is open in the week; empty: always. */
export function scheduleText(saying: Saying, part: ProgrammePart): string {
  const { t } = saying
  const windows = listIn(part, 'schedule').map((window) => {
    const [from, until] = [textIn(window, 'from'), textIn(window, 'until')]
    const days = daysText(saying, textsIn(window, 'days'))
    return from === until ? days : t('says.window', { days, from, until })
  })
  return windows.length === 0 ? '' : saying.list(windows)
}

/** Days of the week; three and more in a row by the first and the last. */
function daysText({ t, list }: Saying, days: readonly string[]): string {
  const places = week.flatMap((day, at) => (days.includes(day) ? [at] : []))
  if (places.length === week.length) return t('says.everyDay')
  const runs: number[][] = []
  for (const place of places) {
    const last = runs.at(-1)
    if (last !== undefined && last.at(-1) === place - 1) last.push(place)
    else runs.push([place])
  }
  const name = (place: number) => t.of('day', week[place]!)
  return list(runs.flatMap((run) => (run.length < 3 ? run.map(name) : [`${name(run[0]!)}–${name(run.at(-1)!)}`])))
}

/** Where it is open; empty: everywhere. */
export function whereText(saying: Saying, part: ProgrammePart): string {
  const { t, list, venueName } = saying
  const venues = textsIn(part, 'venueIds')
  const channels = textsIn(part, 'channels')
  return [
    ...(venues.length === 0 ? [] : [t('says.at', { venues: list(venues.map(venueName)) })]),
    ...(channels.length === 0 ? [] : [t('says.channels', { channels: list(channels) })]),
  ].join(', ')
}

/** Whom it is for. */
export function audienceText(saying: Saying, part: ProgrammePart): string {
  const { t, list, anyOf } = saying
  const audience = partIn(part, 'audience') ?? {}
  const [tiers, segments, members] = ['tiers', 'segments', 'memberIds'].map((name) => textsIn(audience, name))
  const [visits, birthday] = [partIn(audience, 'visits'), partIn(audience, 'birthday')]
  const joined = numberIn(audience, 'joinedWithinDays')
  const terms = [
    ...(tiers!.length === 0 ? [] : [t('says.tiers', { tiers: anyOf(tiers!) })]),
    ...(segments!.length === 0 ? [] : [t('says.segments', { segments: anyOf(segments!) })]),
    ...(members!.length === 0 ? [] : [t('says.members', { count: members!.length })]),
    ...(visits === null ? [] : [visitsText(saying, visits)]),
    ...(birthday === null ? [] : [birthdayText(saying, birthday)]),
    ...(joined === null ? [] : [t('says.joined', { count: joined })]),
  ]
  return terms.length === 0 ? t('says.everyone') : t('says.for', { who: list(terms) })
}

function visitsText({ t }: Saying, visits: ProgrammePart): string {
  const [from, to] = [numberIn(visits, 'from'), numberIn(visits, 'to')]
  if (to === null) return t('says.visitsFrom', { from: from ?? 0 })
  return from === null ? t('says.visitsTo', { to }) : t('says.visits', { from, to })
}

function birthdayText({ t }: Saying, birthday: ProgrammePart): string {
  return t('says.birthday', { before: Number(birthday['daysBefore']), after: Number(birthday['daysAfter']) })
}

/** From when to when; empty: always. */
export function datesText(saying: Saying, part: ProgrammePart): string {
  const [from, until] = [textIn(part, 'validFrom'), textIn(part, 'validUntil')]
  const venues = venuesOf(part)
  return [
    ...(from === '' ? [] : [saying.from(from, venues)]),
    ...(until === '' ? [] : [saying.until(until, venues)]),
  ].join(' ')
}

/** What the basket must hold; empty: nothing. */
export function conditionsText(saying: Saying, part: ProgrammePart): string {
  const { t, list } = saying
  const conditions = partIn(part, 'conditions') ?? part
  const spend = partIn(conditions, 'minimumSpend')
  const requires = listIn(conditions, 'requires').map((units) => unitsText(saying, units))
  return [
    ...(spend === null ? [] : [spendText(saying, spend, part)]),
    ...(requires.length === 0 ? [] : [t('says.requires', { units: list(requires) })]),
  ].join(', ')
}

function spendText(saying: Saying, spend: ProgrammePart, part: ProgrammePart): string {
  const { t, money } = saying
  const amount = money(Number(spend['amount']), venuesOf(part))
  const select = partIn(spend, 'select')
  return select === null ? t('says.spend', { amount }) : t('says.spendOf', { amount, lines: linesText(saying, select) })
}

/** How often it applies; empty: no limit. */
export function limitsText(saying: Saying, part: ProgrammePart): string {
  const { t, list, money } = saying
  const limits = listIn(part, 'limits').map((limit) => {
    const [scope, period, counts] = ['scope', 'period', 'counts'].map((name) => textIn(limit, name))
    const count = Number(limit['maximum'])
    const values = { count, period: t.of('period', period!), scope: t.of('shared', scope!) }
    if (counts === 'amount') return t('says.limitAmount', { ...values, size: money(count, venuesOf(part)) })
    return t(counts === 'units' ? 'says.limitUnits' : 'says.limitBaskets', values)
  })
  return list(limits)
}

/** What it takes from the member; empty: nothing. */
export function costsText(saying: Saying, part: ProgrammePart): string {
  const costs = partIn(part, 'costs')
  if (costs === null) return ''
  const value = saying.value(Number(costs['amount']), textIn(costs, 'currencyId'))
  return saying.t('says.costs', { value, per: saying.t.of('costPer', textIn(costs, 'per')) })
}

/** The venues of an entry; null: all. */
export function venuesOf(part: ProgrammePart): readonly string[] | null {
  const venues = textsIn(part, 'venueIds')
  return venues.length === 0 ? null : venues
}
