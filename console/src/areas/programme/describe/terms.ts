import { absent } from '../../../i18n/format-message.js'
import type { Words } from '../../../i18n/words.js'
import { listIn, numberIn, type ProgrammePart, partIn, type Saying, textIn, textsIn } from './saying.js'

const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Opening hours in the week; empty: always. */
export function scheduleText(saying: Saying, part: ProgrammePart): string {
  const { t } = saying
  const windows = listIn(part, 'schedule').map((window) => {
    const [from, until] = [textIn(window, 'from'), textIn(window, 'until')]
    const days = daysText(saying, textsIn(window, 'days'))
    return from === until ? days : t('says.window', { days, from, until })
  })
  return windows.length === 0 ? '' : saying.list(windows)
}

function daysText({ t, list }: Saying, days: readonly string[]): string {
  const names = dayNames(t, days)
  return names === null ? t('says.everyDay') : list(names)
}

/** Names of days, three or more in a row as one span such as `Mon–Fri`; null: every day. */
export function dayNames(t: Words, days: readonly string[]): readonly string[] | null {
  const places = week.flatMap((day, at) => (days.includes(day) ? [at] : []))
  if (places.length === week.length) return null
  const runs: number[][] = []
  for (const place of places) {
    const last = runs.at(-1)
    if (last !== undefined && last.at(-1) === place - 1) last.push(place)
    else runs.push([place])
  }
  const name = (place: number) => t.of('option', week[place]!)
  return runs.flatMap((run) => (run.length < 3 ? run.map(name) : [`${name(run[0]!)}–${name(run.at(-1)!)}`]))
}

/** Venues; empty: everywhere. */
export function whereText(saying: Saying, part: ProgrammePart): string {
  const { t, list, venueName } = saying
  const venues = textsIn(part, 'venueIds')
  const channels = textsIn(part, 'channels')
  return [
    ...(venues.length === 0 ? [] : [t('says.at', { venues: list(venues.map(venueName)) })]),
    ...(channels.length === 0 ? [] : [t('says.channels', { channels: list(channels) })]),
  ].join(', ')
}

export function audienceText(saying: Saying, part: ProgrammePart): string {
  const who = membersText(saying, part)
  return who === '' ? saying.t('says.everyone') : saying.t('says.for', { who })
}

/** The members of an audience as the subject of a sentence. */
export function subjectText(saying: Saying, part: ProgrammePart): string {
  const who = membersText(saying, part)
  return who === ''
    ? saying.unsaid('audience', saying.t('says.all')) || saying.t('says.all')
    : saying.part('audience', saying.t('says.who', { who }))
}

function membersText(saying: Saying, part: ProgrammePart): string {
  const { t, list, anyOf } = saying
  const audience = partIn(part, 'audience') ?? {}
  const [tiers, segments, members] = ['tiers', 'segments', 'memberIds'].map((name) => textsIn(audience, name))
  const [visits, birthday, anniversary, lastVisit] = ['visits', 'birthday', 'anniversary', 'lastVisit'].map((name) =>
    partIn(audience, name),
  )
  const joined = numberIn(audience, 'joinedWithinDays')
  return list([
    ...(tiers!.length === 0 ? [] : [t('says.tiers', { tiers: anyOf(tiers!) })]),
    ...(segments!.length === 0 ? [] : [t('says.segments', { segments: anyOf(segments!) })]),
    ...(members!.length === 0 ? [] : [t('says.members', { count: members!.length })]),
    ...(visits ? [visitsText(saying, visits)] : []),
    ...(birthday ? [t('says.birthday', daysAround(birthday))] : []),
    ...(anniversary ? [t('says.anniversary', daysAround(anniversary))] : []),
    ...(joined === null ? [] : [t('says.joined', { count: joined })]),
    ...(lastVisit ? [lastVisitText(t, numberIn(lastVisit, 'atLeastDays'), numberIn(lastVisit, 'atMostDays'))] : []),
    ...listIn(audience, 'balances').map((each) =>
      balanceText(t, amountIn(saying, each, 'from'), amountIn(saying, each, 'to')),
    ),
  ])
}

function visitsText({ t }: Saying, visits: ProgrammePart): string {
  const [from, to] = [numberIn(visits, 'from'), numberIn(visits, 'to')]
  if (to === null) return t('says.visitsFrom', { from: from ?? 0 })
  return from === null ? t('says.visitsTo', { to }) : t('says.visits', { from, to })
}

function daysAround(window: ProgrammePart) {
  return { before: Number(window['daysBefore']), after: Number(window['daysAfter']) }
}

function amountIn({ value }: Saying, balance: ProgrammePart, name: 'from' | 'to'): string | null {
  const amount = numberIn(balance, name)
  return amount === null ? null : value(amount, textIn(balance, 'currencyId'))
}

export function lastVisitText(t: Words, from: number | null, to: number | null): string {
  if (to === null) return t('says.lastVisitFrom', { from: from ?? 0 })
  return from === null ? t('says.lastVisitTo', { to }) : t('says.lastVisit', { from, to })
}

export function balanceText(t: Words, from: string | null, to: string | null): string {
  if (to === null) return t('says.balanceFrom', { from: from ?? '' })
  return from === null ? t('says.balanceTo', { to }) : t('says.balance', { from, to })
}

/** First and last day; empty: always. */
export function datesText(saying: Saying, part: ProgrammePart): string {
  const [from, until] = [textIn(part, 'validFrom'), textIn(part, 'validUntil')]
  const venues = venuesOf(part)
  return [
    ...(from === '' ? [] : [saying.from(from, venues)]),
    ...(until === '' ? [] : [saying.until(until, venues)]),
  ].join(' ')
}

/** Conditions on the basket; empty: none. */
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

/** Limits on its use; empty: none. */
export function limitsText(saying: Saying, part: ProgrammePart): string {
  const { t, list, money } = saying
  const limitText = (limit: ProgrammePart) => {
    const [scope, period, counts] = ['scope', 'period', 'counts'].map((name) => textIn(limit, name))
    const count = Number(limit['maximum'])
    const values = { count, period: t.of('period', period!), scope: t.of('shared', scope!) }
    if (counts === 'amount') return t('says.limitAmount', { ...values, size: money(count, venuesOf(part)) })
    return t(counts === 'units' ? 'says.limitUnits' : 'says.limitBaskets', values)
  }
  return list(listIn(part, 'limits').map((limit, at) => saying.part(`limits[${at}]`, limitText(limit))))
}

/** The cost to the member; empty: none. */
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

const lists = ['productGroupIds', 'productMasterIds', 'eans', 'productIds'] as const

/** The lines that a selector takes, such as "Bakery and Cappuccino at full price except Mug". */
export function linesText(saying: Saying, select: ProgrammePart | null): string {
  const { t } = saying
  if (select === null) return t('says.everything')
  const named = [
    ...lists.flatMap((list) => textsIn(select, list)).map(saying.productName),
    ...textsIn(select, 'collections').map(saying.collectionName),
  ]
  const [fields, except] = [partIn(select, 'fields'), partIn(select, 'not')]
  let lines = named.length === 0 ? t('says.everything') : saying.list(named)
  if (fields !== null) lines = t('says.withFields', { lines, fields: fieldsText(saying, fields) })
  if (select['fullPrice'] === true) lines = t('says.atFullPrice', { lines })
  if (select['children'] === true) lines = t('says.withBelow', { lines })
  if (select['includeNoDiscount'] === true) lines = t('says.withNoDiscount', { lines })
  return except === null ? lines : t('says.except', { lines, except: linesText(saying, except) })
}

function fieldsText({ list, anyOf }: Saying, fields: ProgrammePart): string {
  return list(Object.keys(fields).map((name) => `${name} ${anyOf(textsIn(fields, name))}`))
}

function unitsText(saying: Saying, units: ProgrammePart): string {
  const lines = linesText(saying, partIn(units, 'select'))
  const count = Number(units['quantity'] ?? 1)
  if (units['measure'] === true) return saying.t('says.measured', { quantity: saying.number(count), lines })
  return saying.t('says.units', { count, lines })
}

/** How it goes with other benefits and with discounts of the POS; empty: as is usual. */
export function combinationText({ t }: Saying, benefit: ProgrammePart): string {
  const [combination, existing] = [textIn(benefit, 'combination'), textIn(benefit, 'existingDiscounts')]
  return [
    ...(combination === '' || combination === 'normal' ? [] : [t.of('combines', combination)]),
    ...(existing === '' || existing === 'replace' ? [] : [t.of('combines', existing)]),
  ].join(', ')
}

/** The benefits that it excludes or follows; empty: none. */
export function groupText({ t }: Saying, benefit: ProgrammePart): string {
  const [group, sequence] = [textIn(benefit, 'group'), numberIn(benefit, 'sequence')]
  return [
    ...(group === '' ? [] : [t('says.group', { group })]),
    ...(sequence === null ? [] : [t('says.sequence', { sequence })]),
  ].join(', ')
}

/** The effect of a benefit on the basket, such as "30 % off Bakery, at most 6 units a basket". */
export function rewardText(saying: Saying, benefit: ProgrammePart): string {
  const reward = partIn(benefit, 'reward')
  if (reward === null) return ''
  const { t } = saying
  const [most, units, times] = ['maximumAmount', 'maximumUnits', 'maximumTimes'].map((name) => numberIn(reward, name))
  const kind = kindText(saying, benefit, reward)
  return [
    kind === '' ? saying.unsaid('reward', absent) : kind,
    ...(reward['sameProduct'] === true ? [t('says.sameProduct')] : []),
    ...(most == null ? [] : [t('says.most', { amount: saying.money(most, venuesOf(benefit)) })]),
    ...(units == null ? [] : [t('says.mostUnits', { count: units })]),
    ...(times == null ? [] : [t('says.times', { count: times })]),
  ].join(', ')
}

function kindText(saying: Saying, benefit: ProgrammePart, reward: ProgrammePart): string {
  const { t } = saying
  const money = (name: string) => saying.money(Number(reward[name]), venuesOf(benefit))
  const lines = selectText(saying, reward, linesText)
  const percentage = saying.number(Number(reward['percentage']))
  switch (textIn(reward, 'kind')) {
    case 'line_percentage':
      return t('says.percentage', { percentage, lines })
    case 'order_percentage':
      return t('says.orderPercentage', { percentage, of: basketText(saying, reward) })
    case 'line_amount':
      return t(reward['per'] === 'line' ? 'says.amountLine' : 'says.amountUnit', { amount: money('amount'), lines })
    case 'order_amount':
      return t('says.orderAmount', { amount: money('amount'), of: basketText(saying, reward) })
    case 'member_price':
    case 'price_override':
      return t('says.price', { price: money('unitPrice'), lines })
    case 'volume_percentage':
      return t(reward['measure'] === true ? 'says.volumeMeasured' : 'says.volume', {
        lines,
        steps: stepsText(saying, reward),
      })
    case 'buy_get':
      return buyGetText(saying, reward)
    case 'bundle_price':
      return t('says.bundle', { parts: partsText(saying, reward), price: money('price') })
    case 'bundle_discount': {
      const off = reward['percentage'] == null ? money('amount') : t('says.percent', { percentage })
      return t('says.bundleOff', { parts: partsText(saying, reward), off })
    }
    case 'free_product': {
      const per = partIn(reward, 'per')
      const product = saying.productName(textIn(reward, 'productId'))
      const what = t('says.free', { count: Number(reward['quantity']), product })
      return per === null ? what : t('says.per', { what, units: unitsText(saying, per) })
    }
    default:
      return textIn(reward, 'kind')
  }
}

function partsText(saying: Saying, reward: ProgrammePart): string {
  const components = listIn(reward, 'components')
  return saying.list(components.map((units, at) => saying.part(`reward.components[${at}]`, unitsText(saying, units))))
}

function basketText(saying: Saying, reward: ProgrammePart): string {
  return selectText(saying, reward, () => saying.t('says.basket'))
}

/** The lines of a reward; `all` is the text where it names none. */
function selectText(saying: Saying, reward: ProgrammePart, all: (saying: Saying, select: null) => string): string {
  const select = partIn(reward, 'select')
  if (select !== null) return saying.part('reward.select', linesText(saying, select))
  return saying.unsaid('reward.select', all(saying, null)) || all(saying, null)
}

function stepsText({ t, list, number }: Saying, reward: ProgrammePart): string {
  return list(
    listIn(reward, 'tiers').map((step) => {
      const [percentage, count] = [number(Number(step['percentage'])), Number(step['quantity'])]
      return reward['measure'] === true
        ? t('says.stepMeasured', { percentage, quantity: number(count) })
        : t('says.step', { percentage, count })
    }),
  )
}

function buyGetText(saying: Saying, reward: ProgrammePart): string {
  const [buy, get] = [partIn(reward, 'buy') ?? {}, partIn(reward, 'get') ?? {}]
  const values = {
    buy: saying.part('reward.buy', unitsText(saying, buy)),
    get: saying.part('reward.get', unitsText(saying, get)),
  }
  const percentage = Number(get['percentage'])
  return percentage === 100
    ? saying.t('says.buyGetFree', values)
    : saying.t('says.buyGet', { ...values, percentage: saying.number(percentage) })
}
