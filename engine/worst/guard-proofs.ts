import type { VenueFacts } from '../core/base/basket.js'
import { percentageWhole } from '../core/base/money.js'
import type { Benefit, Guard, Selector } from '../core/base/programme.js'
import { isMatched, rewardSelections } from '../programme/matching.js'
import type { Programme } from '../programme/read-programme.js'

export interface GuardProof {
  readonly guardId: string
  readonly by: 'not_selected' | 'bounded'
  readonly atMost: number
}

interface Proving {
  readonly programme: Programme
  readonly venues: readonly VenueFacts[]
}

export function proofsOf(guards: readonly Guard[], { programme, venues }: Proving): readonly GuardProof[] {
  const products = venues.flatMap((venue) => venue.products)
  if (products.length === 0 || venues.some((venue) => venue.products.length === 0)) return []
  return guards.flatMap((guard): GuardProof[] => {
    const allowed = allowedBy(guard)
    let atMost = 0
    for (const product of products) {
      if (!isMatched(guard.select, product, false) || product.noDiscount) continue
      const taking = programme.benefits.filter((benefit) => canTake(benefit, product))
      atMost = Math.max(atMost, mostOff(taking))
    }
    if (atMost > allowed) return []
    return [{ guardId: guard.guardId, by: atMost === 0 ? 'not_selected' : 'bounded', atMost }]
  })
}

function allowedBy({ rule }: Guard): number {
  if (rule.kind === 'never_discounted') return 0
  if (rule.kind === 'at_most') return rule.percentage
  return percentageWhole - rule.percentage - (rule.posDiscount ?? 0)
}

function canTake({ reward }: Benefit, product: VenueFacts['products'][number]): boolean {
  if (reward.kind === 'free_product') return reward.productId === product.productId
  const taken = reward.kind === 'buy_get' ? [reward.get.select] : rewardSelections(reward)
  return taken.some((select) => select?.children === true || isMatched(loosened(select), product, false))
}

/** A selector without an exception that a discount of the POS's own could lift. */
function loosened(select: Selector | undefined): Selector | undefined {
  if (select?.not === undefined || !JSON.stringify(select.not).includes('"fullPrice":true')) return select
  const { not, ...others } = select
  return others
}

function mostOff(taking: readonly Benefit[]): number {
  const isOrder = ({ reward }: Benefit) => reward.kind.startsWith('order_')
  const stackable = taking.filter(({ combination }) => combination === 'stackable')
  const others = taking.filter(({ combination }) => combination !== 'stackable')
  const largest = (list: readonly Benefit[]) => Math.max(0, ...list.map(shareOf))
  const shares = [
    largest(others.filter((benefit) => !isOrder(benefit))),
    largest(others.filter(isOrder)),
    ...stackable.map(shareOf),
  ]
  const left = shares.reduce((rest, share) => (rest * (percentageWhole - share)) / percentageWhole, percentageWhole)
  return Math.ceil(percentageWhole - left)
}

/** The largest part of a line that a benefit takes off; all of it where it is no percentage. */
function shareOf({ reward }: Benefit): number {
  if (reward.kind === 'line_percentage' || reward.kind === 'order_percentage') return reward.percentage
  if (reward.kind === 'volume_percentage') return Math.max(...reward.tiers.map(({ percentage }) => percentage))
  return reward.kind === 'buy_get' ? reward.get.percentage : percentageWhole
}
