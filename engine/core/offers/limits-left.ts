import type { BasisLine } from '../base/basis.js'
import type { Dropped } from '../base/outcome.js'
import type { Reward } from '../base/programme.js'
import type { LimitLeft, Offer } from './offer.js'

/**
 * Units that limits leave to a basket (3-benefits 5): 0 if a limit of baskets is exhausted, Infinity without limits of
 * units.
 */
export function unitsLeft(limits: readonly LimitLeft[]): number {
  let left = Number.POSITIVE_INFINITY
  for (const limit of limits) {
    if (limit.counts === 'units') left = Math.min(left, limit.left)
    else if (limit.left === 0) left = 0
  }
  return left
}

/** The offer without its limits, and with what is held of its account; the same object if that changes nothing. */
export function unlimited(offer: Offer, lines: readonly BasisLine[]): Offer {
  const wished = withoutLimits(offer, lines)
  const { cost } = wished
  return cost === null || cost.free >= cost.balance ? wished : { ...wished, cost: { ...cost, free: cost.balance } }
}

function withoutLimits(offer: Offer, lines: readonly BasisLine[]): Offer {
  const { shape } = offer
  const isEnough = (left: number) =>
    left >= (shape.kind === 'free' ? shape.quantity : piecesUpTo(offer, lines, left + 1))
  const isUnlimited = offer.limits.every(({ counts, left }) => (counts === 'baskets' ? left >= 1 : isEnough(left)))
  return isUnlimited ? offer : limitedBy(offer, [])
}

// Stops counting at `most`.
function piecesUpTo(offer: Offer, lines: readonly BasisLine[], most: number): number {
  let pieces = 0
  for (let index = 0; index < offer.lines.length && pieces < most; index++) pieces += lines[offer.lines[index]!]!.pieces
  return pieces
}

function limitedBy(offer: Offer, limits: readonly LimitLeft[]): Offer {
  const left = unitsLeft(limits)
  const { shape, benefit } = offer
  if (shape.kind !== 'buy_get' && shape.kind !== 'bundle') return { ...offer, unitsMax: left }
  const { maximumTimes } = benefit.reward as Extract<Reward, { kind: 'buy_get' | 'bundle_price' }>
  const unitsEach = shape.kind === 'buy_get' ? shape.get : 1
  const timesMax = Math.min(maximumTimes ?? Number.POSITIVE_INFINITY, Math.floor(left / unitsEach))
  return { ...offer, unitsMax: timesMax * unitsEach, shape: { ...shape, timesMax } }
}

/**
 * The limit that alone prevents a gain for longest; if none does, the one short for longest. Null: none is short.
 *
 * @param units  units wanted of limits of units, above 0
 * @param gains  whether an offer alone would gain
 */
export function shortLimit(offer: Offer, units: number, gains: (limited: Offer) => boolean): Dropped | null {
  const wantedOf = ({ counts }: LimitLeft) => (counts === 'baskets' ? 1 : units)
  const endOf = (limit: LimitLeft) => limit.backAt() ?? Number.MAX_VALUE
  const short = offer.limits.filter((limit) => limit.left < wantedOf(limit))
  const keeps = new Set(short.filter((limit) => short.length === 1 || !gains(limitedBy(offer, [limit]))))
  const [last] = short.sort((a, b) => Number(keeps.has(b)) - Number(keeps.has(a)) || endOf(b) - endOf(a))
  if (last === undefined) return null
  const { limitId, period, left } = last
  return { stage: 'limit_exhausted', limitId, period, left, wanted: wantedOf(last), backAt: last.backAt() }
}
