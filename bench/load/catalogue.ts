import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Benefit } from '../../engine/core/base/programme.js'
import { readProgramme } from '../../engine/programme/read-programme.js'
import type { ProgrammeMember, ProgrammeVenue } from '../../engine/programme/read-venue.js'
import { Dice } from '../../test/support/dice.js'
import { buildBenefit, drawMix, percent, publishedBenefits, selectorOf } from '../engine/draw-benefits.js'
import { createShop, type Product, type Shop } from '../engine/shop.js'
import { promotions } from '../peers/shop.js'

/** How to draw a catalogue; the same spec gives the same catalogue in every process. */
export type CatalogueSpec =
  | { readonly kind: 'sample' }
  /** A generated retailer; members `member-0` to before `members`. */
  | { readonly kind: 'retail'; readonly seed: number; readonly benefits: number; readonly members: number }
  /** The shop of the peers: a product for each promotion, and one member. */
  | { readonly kind: 'promotions' }

export interface Catalogue {
  readonly venues: readonly ProgrammeVenue[]
  readonly weighed: ReadonlySet<string>
  /** Products with a limited benefit; no other product has one. */
  readonly coupons: readonly string[]
  loyaltyId(dice: Dice): string
  document(): string
}

const sampleFile = join(import.meta.dirname, '..', '..', 'engine', 'programme', 'sample-programme.json')
const weighedGroup = 'weighed'

/** At 1,000 benefits every second line meets a benefit, as in the engine's cases. */
const productsInShop = 6_000
const productsInGroup = 10
const couponProducts = 20
/** Members in the document at most; cases that need more add them to the ledger. */
const membersInDocument = 2_000
/** Benefits on the whole order at most, as a retailer has. */
const orderBenefitsMax = 3

export function createCatalogue(spec: CatalogueSpec): Catalogue {
  if (spec.kind === 'retail') return retailCatalogue(spec)
  return spec.kind === 'sample' ? sampleCatalogue() : promotionsCatalogue()
}

function loyaltyIdOf(member: number): string {
  return `LOY-${String(member).padStart(7, '0')}`
}

function sampleCatalogue(): Catalogue {
  const document = readFileSync(sampleFile, 'utf8')
  const read = readProgramme(document)
  if (read.kind === 'faulty') throw new Error('the sample programme is faulty')
  const { venues, members } = read.programme
  const active = members.filter(({ blocked }) => !blocked)
  const weighed = venues.flatMap(({ products }) => products.filter((one) => one.productGroupId === weighedGroup))
  return {
    venues,
    weighed: new Set(weighed.map(({ productId }) => productId)),
    coupons: [],
    loyaltyId: (dice) => active[dice.below(active.length)]!.loyaltyIds[0]!,
    document: () => document,
  }
}

function retailCatalogue({ seed, benefits, members }: CatalogueSpec & { readonly kind: 'retail' }): Catalogue {
  const dice = new Dice(seed)
  const size = { products: productsInShop, groups: productsInShop / productsInGroup }
  const shop = createShop(dice, { name: 'shop', ...size })
  const coupons = createShop(dice, { name: 'coupon', products: couponProducts, groups: 1 })
  const couponed = coupons.products.map((product) => ({ ...product, noDiscount: false, noPercentageDiscount: false }))
  const products = [...shop.products, ...couponed]
  const venues = ['venue-1', 'venue-2'].map((venueId, at) => venueOf(venueId, String(7_100_001 + at), products))
  return {
    venues,
    weighed: new Set(products.filter(({ weighed }) => weighed).map(({ productId }) => productId)),
    coupons: couponed.filter(({ weighed }) => !weighed).map(({ productId }) => productId),
    loyaltyId: (at) => loyaltyIdOf(at.below(members)),
    document: () => documentOf(venues, membersOf(members), drawBenefits(dice, shop, { couponed, count: benefits })),
  }
}

function promotionsCatalogue(): Catalogue {
  const products = promotions.map(({ name, price }) => ({
    ...{ productId: name, name, unitPrice: price * 100, productGroupId: 'all', productMasterId: null, ean: null },
    ...{ noDiscount: false, noPercentageDiscount: false, weighed: false },
  }))
  const benefits = promotions.map(({ name, percentage }) => {
    const select = { productIds: [name] }
    return buildBenefit(`off-${name}`, { kind: 'line_percentage', select, percentage: percent(percentage) })
  })
  const venues = [venueOf('venue-1', '7100001', products)]
  return {
    ...{ venues, weighed: new Set(), coupons: [], loyaltyId: () => loyaltyIdOf(0) },
    document: () => documentOf(venues, membersOf(1), benefits),
  }
}

function venueOf(venueId: string, baxId: string, products: readonly Product[]): ProgrammeVenue {
  return {
    venueId,
    name: venueId,
    environment: 'staging',
    currency: 'NOK',
    timeZone: 'Europe/Oslo',
    baxIds: [baxId],
    products: products.map(({ weighed: _, ...product }) => product),
  }
}

function membersOf(members: number): ProgrammeMember[] {
  return Array.from({ length: Math.min(members, membersInDocument) }, (_, at) => ({
    memberId: `member-${at}`,
    loyaltyIds: [loyaltyIdOf(at)],
    tier: 'gold',
    segments: ['newsletter'],
    blocked: false,
  }))
}

interface Wanted {
  readonly couponed: readonly Product[]
  readonly count: number
}

/** Only coupons have limits, so that a case can tell which baskets take something limited. */
function drawBenefits(dice: Dice, shop: Shop, { couponed, count }: Wanted): Benefit[] {
  let onOrders = 0
  const drawn = drawMix(dice, shop, Math.max(0, count - couponed.length)).map((benefit): Benefit => {
    const { reward } = benefit
    const isOnOrder = reward.kind === 'order_percentage' || reward.kind === 'order_amount'
    if (isOnOrder) onOrders += 1
    if (!isOnOrder || onOrders <= orderBenefitsMax) return { ...benefit, limits: [] }
    const start = dice.below(shop.products.length - productsInGroup)
    const select = selectorOf(shop.products.slice(start, start + productsInGroup))
    return { ...benefit, limits: [], reward: { ...reward, select } }
  })
  return [...drawn, ...couponed.slice(0, count).map(couponBenefit)]
}

/** Half of the coupons have a limit per member and day, half one limit for everyone. */
function couponBenefit(product: Product, at: number): Benefit {
  const benefitId = `coupon-${at}`
  const reward: Benefit['reward'] = { kind: 'line_percentage', select: selectorOf([product]), percentage: percent(50) }
  const often = { limitId: `limit-${benefitId}`, counts: 'units' } as const
  const limit: Benefit['limits'][number] =
    at % 2 === 0
      ? { ...often, scope: 'member', period: 'day', maximum: 3 }
      : { ...often, scope: 'everyone', period: 'ever', maximum: 1_000_000_000 }
  return buildBenefit(benefitId, reward, { limits: [limit] })
}

function documentOf(
  venues: readonly ProgrammeVenue[],
  members: readonly ProgrammeMember[],
  benefits: readonly Benefit[],
): string {
  return `{"venues":${JSON.stringify(venues)},"members":${JSON.stringify(members)},"benefits":${publishedBenefits(benefits)}}`
}
