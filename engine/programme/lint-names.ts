import type { VenueProduct } from '../core/base/basket.js'
import { identityOf } from './matching.js'
import type { NamedSelector, Naming } from './outline.js'
import type { ProgrammeTier } from './read-earning.js'
import type { ProgrammeMember, ProgrammeVenue } from './read-venue.js'
import type { Warning } from './warning.js'

export interface KnownNames {
  readonly venues: readonly ProgrammeVenue[]
  readonly members: readonly ProgrammeMember[]
  readonly tiers: readonly ProgrammeTier[]
}

export function audiencesUnknown(namings: readonly Naming[], { members, tiers }: KnownNames): Warning[] {
  const memberTiers = members.flatMap(({ tier }) => (tier === null ? [] : [tier]))
  const tierIds = new Set([...tiers.map(({ tierId }) => tierId), ...memberTiers])
  const segments = new Set(members.flatMap((member) => member.segments))
  return namings.flatMap(({ audiences }) =>
    audiences.flatMap(({ path, audience }) => [
      ...unknown('tier_unknown', `${path}.tiers`, audience.tiers, tierIds),
      ...unknown('segment_unknown', `${path}.segments`, audience.segments, segments),
    ]),
  )
}

export interface NamedPrices {
  readonly venueId: string
  readonly products: readonly Pick<VenueProduct, 'productId' | 'productGroupId' | 'productMasterId' | 'ean'>[]
}

/** Products and groups that no price list of their venues has, or no line is looked up by. Every venue needs a price list. */
export function goodsUnknown(namings: readonly Naming[], lists: readonly NamedPrices[]): Warning[] {
  return namings.flatMap(({ venueIds, selectors }) => {
    if (selectors.length === 0) return []
    const open = lists.filter(({ venueId }) => venueIds?.includes(venueId) ?? true)
    if (open.length === 0 || open.some(({ products }) => products.length === 0)) return []
    const goods = goodsOf(open)
    return selectors.flatMap((named) => goodsUnknownIn(named, goods))
  })
}

const productLists = ['productMasterIds', 'eans', 'productIds'] as const

interface Goods {
  readonly groups: ReadonlySet<string>
  readonly identities: ReadonlyMap<string, ReadonlySet<string>>
  readonly others: ReadonlyMap<string, ReturnType<typeof identityOf>>
}

function goodsOf(lists: readonly NamedPrices[]): Goods {
  const groups = new Set<string>()
  const identities = new Map<string, Set<string>>(productLists.map((list) => [list, new Set()]))
  const others = new Map<string, ReturnType<typeof identityOf>>()
  for (const { products } of lists) {
    for (const product of products) {
      if (product.productGroupId !== null) groups.add(product.productGroupId)
      const identity = identityOf(product)
      identities.get(identity.list)!.add(identity.id)
      others.set(`productIds/${product.productId}`, identity)
      if (product.ean !== null) others.set(`eans/${product.ean}`, identity)
    }
  }
  return { groups, identities, others }
}

function goodsUnknownIn({ path, selector }: NamedSelector, { groups, identities, others }: Goods): Warning[] {
  const takes = ({ list, id }: ReturnType<typeof identityOf>) => selector[list]?.includes(id) ?? false
  const groupsUnknown = unknown('group_unknown', `${path}.productGroupIds`, selector.productGroupIds, groups)
  const products = productLists.flatMap((list) => {
    const known = identities.get(list)!
    const missing = (selector[list] ?? []).filter((id) => {
      const other = others.get(`${list}/${id}`)
      return !known.has(id) && (other === undefined || !takes(other))
    })
    const [first] = missing
    if (first === undefined) return []
    const meant = others.get(`${list}/${first}`)
    const message =
      meant === undefined
        ? unknownMessage('a product of a price list', missing, known)
        : `expected its ${meant.list} ${meant.id}, by which its lines are looked up, received ${list} ${first}`
    return [{ path: `${path}.${list}`, word: 'product_unknown' as const, message }]
  })
  return [...groupsUnknown, ...products]
}

const whatIs = {
  tier_unknown: 'a tier of this document or of a member in it',
  segment_unknown: 'a segment of a member in this document',
  group_unknown: 'a product group of a price list',
} as const

function unknown(
  word: keyof typeof whatIs,
  path: string,
  names: readonly string[] | undefined,
  known: ReadonlySet<string>,
): Warning[] {
  const missing = known.size === 0 ? [] : (names ?? []).filter((name) => !known.has(name))
  return missing.length === 0 ? [] : [{ path, word, message: unknownMessage(whatIs[word], missing, known) }]
}

/** The most letters by which a typing error differs from the name meant. */
const slipMax = 2
/** Known names compared with a typing error: bounds the cost of many names. */
const lookedMax = 2_000

export function unknownMessage(expected: string, unknown: readonly string[], known: ReadonlySet<string>): string {
  const [first = '', ...others] = unknown
  const near = nearestTo(first, known)
  const meant = near === null ? '' : ` (did you mean ${near}?)`
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return `expected ${expected}, received ${first}${meant}${more}`
}

function nearestTo(name: string, known: ReadonlySet<string>): string | null {
  let nearest: { readonly name: string; readonly distance: number } | null = null
  let looked = 0
  for (const other of known) {
    looked += 1
    if (looked > lookedMax) break
    const most = Math.min(slipMax, Math.floor(name.length / 2), (nearest?.distance ?? slipMax + 1) - 1)
    const distance = distanceOf(name, other, most)
    if (distance <= most) nearest = { name: other, distance }
  }
  return nearest?.name ?? null
}

function distanceOf(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const changed = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[right.length]!
}
