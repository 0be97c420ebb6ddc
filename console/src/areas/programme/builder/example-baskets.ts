import { momentAt } from '../../../parts/offsets.js'
import { listIn, numberIn, type ProgrammePart, partIn, textIn, textsIn } from '../describe/saying.js'
import { bodyOf, type LineSum, type PricedProduct, type PricedVenue } from '../try/basket.js'
import type { Question } from '../try/outcome.js'

interface Examples {
  readonly gets: Question
  /** Differs from the first in one thing; null: nothing is known that would miss it. */
  readonly misses: Question | null
}

interface Asked {
  readonly benefit: ProgrammePart
  readonly document: ProgrammePart
  readonly venue: PricedVenue & { readonly timeZone: string }
  /** `YYYY-MM-DD` at the venue. */
  readonly today: string
  readonly newId: () => string
}

interface Item {
  readonly product: PricedProduct
  readonly units: number
}

interface Occasion {
  readonly day: string
  readonly from: string
  /** The first minute after the hours; null: they do not end. */
  readonly until: string | null
}

interface Sold {
  readonly items: readonly Item[]
  readonly at: string
  readonly isPlain: boolean
}

const daysSearched = 14
/** Payments that the balance of the buyer suffices for. */
const paymentsMax = 10
const unitsMax = 1_000

/**
 * A basket that asks for no more than a benefit needs, and one that lacks one thing of it: the hour, a unit, the audience or the product.
 * null: the price list has no such products.
 */
export function examplesOf(asked: Asked): Examples | null {
  const { benefit, venue } = asked
  const items = itemsFor(asked)
  if (items === null) return null
  const occasion = occasionOf(benefit, asked.today)
  const sold = { items, at: `${occasion.day}T${occasion.from}`, isPlain: false }
  const fewer = withoutUnit(items)
  const isCounted = (product: PricedProduct) =>
    needsOf(benefit).some(({ select }) => matches(asked.document, select, product))
  const other = venue.products.find((product) => !isCounted(product))
  const misses: readonly (Sold | null)[] = [
    occasion.until === null ? null : { ...sold, at: `${occasion.day}T${occasion.until}` },
    fewer.length === 0 ? null : { ...sold, items: fewer },
    partIn(benefit, 'audience') === null && partIn(benefit, 'costs') === null ? null : { ...sold, isPlain: true },
    other === undefined ? null : { ...sold, items: [{ product: other, units: 1 }] },
  ]
  const missed = misses.find((one) => one !== null) ?? null
  return { gets: questionOf(asked, sold), misses: missed === null ? null : questionOf(asked, missed) }
}

function questionOf({ benefit, venue, newId }: Asked, { items, at, isPlain }: Sold): Question {
  const requestedAt = momentAt(at, venue.timeZone).toISOString()
  const sums = items.map(({ product, units }): LineSum => {
    return { product, quantity: units, gross: units * Number(product.unitPrice), discount: 0 }
  })
  const audience = isPlain ? {} : (partIn(benefit, 'audience') ?? {})
  const [tier] = textsIn(audience, 'tiers')
  const [segment] = textsIn(audience, 'segments')
  const [memberId = 'anyone'] = textsIn(audience, 'memberIds')
  const visits = partIn(audience, 'visits')
  return {
    bodyJson: bodyOf(sums, venue, { calculationId: newId(), requestedAt }),
    member: {
      memberId,
      ...(tier === undefined ? {} : { tier }),
      segments: segment === undefined ? [] : [segment],
      ...(partIn(audience, 'birthday') === null ? {} : { birthday: at.slice(5, 10) }),
    },
    ...(visits === null ? {} : { visits: BigInt(numberIn(visits, 'from') ?? numberIn(visits, 'to') ?? 0) }),
    balances: isPlain ? {} : balancesFor(benefit, audience),
    ignoreLimits: true,
  }
}

function balancesFor(benefit: ProgrammePart, audience: ProgrammePart): Record<string, bigint> {
  const costs = partIn(benefit, 'costs')
  const asked = listIn(audience, 'balances').map(
    (each) => [each, numberIn(each, 'from') ?? numberIn(each, 'to')] as const,
  )
  const paid = costs === null ? [] : [[costs, (numberIn(costs, 'amount') ?? 0) * paymentsMax] as const]
  return Object.fromEntries(
    [...paid, ...asked].flatMap(([each, amount]) =>
      Number.isSafeInteger(amount) ? [[textIn(each, 'currencyId'), BigInt(amount!)] as const] : [],
    ),
  )
}

const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

/** The next day on which the benefit is open, not today: it may be over. */
function occasionOf(benefit: ProgrammePart, today: string): Occasion {
  const begins = textIn(benefit, 'validFrom').slice(0, 10)
  const first = new Date(`${begins > today ? begins : today}T12:00:00Z`)
  const windows = listIn(benefit, 'schedule')
  for (let ahead = 1; ahead <= daysSearched; ahead += 1) {
    const day = new Date(first.getTime())
    day.setUTCDate(day.getUTCDate() + ahead)
    const window = windows.find((each) => textsIn(each, 'days').includes(weekdays[day.getUTCDay()]!))
    const text = day.toISOString().slice(0, 10)
    if (windows.length === 0) return { day: text, from: '12:00', until: null }
    if (window === undefined) continue
    const [from, until] = [textIn(window, 'from'), textIn(window, 'until')]
    return { day: text, from: from || '12:00', until: until > from ? until : null }
  }
  return { day: today, from: '12:00', until: null }
}

interface Need {
  readonly select: ProgrammePart
  readonly units: number
}

function itemsFor(asked: Asked): readonly Item[] | null {
  const { benefit, venue } = asked
  const chosen = needsOf(benefit).map(({ select, units }) => {
    const product = productFor(asked, select)
    return product === undefined ? null : { product, units }
  })
  if (chosen.some((item) => item === null)) return null
  const items = joined(chosen.flatMap((item) => (item === null ? [] : [item])))
  const spend = partIn(partIn(benefit, 'conditions') ?? {}, 'minimumSpend')
  if (spend === null) return items
  const select = partIn(spend, 'select') ?? {}
  const matched = (product: PricedProduct) => matches(asked.document, select, product) && Number(product.unitPrice) > 0
  const spent = items.filter(({ product }) => matched(product))
  const lacking =
    Number(spend['amount']) - spent.reduce((sum, { product, units }) => sum + units * Number(product.unitPrice), 0)
  if (!(lacking > 0)) return items
  const filler = spent[0]?.product ?? venue.products.find(matched)
  const units = filler === undefined ? Number.POSITIVE_INFINITY : Math.ceil(lacking / Number(filler.unitPrice))
  return filler === undefined || units > unitsMax ? null : joined([...items, { product: filler, units }])
}

function needsOf(benefit: ProgrammePart): readonly Need[] {
  const reward = partIn(benefit, 'reward') ?? {}
  const conditions = partIn(benefit, 'conditions') ?? {}
  const needOf = (units: ProgrammePart): Need => {
    return { select: partIn(units, 'select') ?? {}, units: Math.ceil(numberIn(units, 'quantity') ?? 1) }
  }
  const [buy, get, per] = ['buy', 'get', 'per'].map((name) => partIn(reward, name))
  const components = listIn(reward, 'components')
  const [tier] = listIn(reward, 'tiers')
  const rewarded = [buy, get, per].flatMap((units) => (units == null ? [] : [needOf(units)]))
  const plain = needOf({ select: partIn(reward, 'select') ?? {}, quantity: tier === undefined ? 1 : tier['quantity'] })
  const own = components.length > 0 ? components.map(needOf) : rewarded.length > 0 ? rewarded : [plain]
  return [...own, ...listIn(conditions, 'requires').map(needOf)]
}

function productFor({ document, venue }: Asked, select: ProgrammePart): PricedProduct | undefined {
  const matched = venue.products.filter((product) => matches(document, select, product) && !product.noDiscount)
  return matched.toSorted((one, other) => Number(one.unitPrice - other.unitPrice))[Math.floor(matched.length / 2)]
}

const ids = {
  productIds: 'productId',
  productGroupIds: 'productGroupId',
  productMasterIds: 'productMasterId',
  eans: 'ean',
} as const

/** As far as a price list tells: a selector by fields of the POS matches none of its products. */
function matches(document: ProgrammePart, select: ProgrammePart, product: PricedProduct): boolean {
  const except = partIn(select, 'not')
  if (except !== null && matches(document, except, product)) return false
  if (partIn(select, 'fields') !== null) return false
  const lists = Object.entries(ids).filter(([list]) => textsIn(select, list).length > 0)
  const collections = textsIn(select, 'collections')
  if (lists.length + collections.length === 0) return true
  const isNamed = lists.some(([list, name]) => textsIn(select, list).includes(String(product[name] ?? '')))
  return (
    isNamed ||
    listIn(document, 'collections').some((each) => {
      const isOwn = collections.includes(textIn(each, 'collectionId'))
      return isOwn && matches(document, partIn(each, 'select') ?? {}, product)
    })
  )
}

function joined(items: readonly Item[]): readonly Item[] {
  const units = new Map<PricedProduct, number>()
  for (const { product, units: more } of items) units.set(product, (units.get(product) ?? 0) + more)
  return [...units].map(([product, all]) => ({ product, units: all }))
}

function withoutUnit(items: readonly Item[]): readonly Item[] {
  const last = items.at(-1)!
  return last.units > 1 ? [...items.slice(0, -1), { ...last, units: last.units - 1 }] : items.slice(0, -1)
}
