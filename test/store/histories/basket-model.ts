import { sum } from './account-model.js'
import { matches, type RuleModel } from './rules.js'

/** A line of a basket, as sent and as returned; a basket that was not changed is returned as it was sent. */
export interface LineModel {
  readonly kind: number
  /** Thousandths; whole units where 1000 divides it. */
  readonly quantity: number
  readonly sent: Charged
  readonly returned: Charged
}

/** Charge of one line. */
export interface Charged {
  /** Minor units. */
  readonly net: number
  /** Units that were given for nothing. */
  readonly free: number
}

/** Cost of a benefit of the basket as returned, in the order of benefitId. */
export interface CostModel {
  readonly currencyId: string
  readonly per: 'unit' | 'times' | 'basket'
  readonly amount: number
  readonly times: number
  /** Units that it discounts, by position. */
  readonly units: ReadonlyMap<number, number>
}

/** Everything about one calculation that value depends on. */
export interface BasketModel {
  /** null: not found. */
  readonly member: number | null
  readonly isApplied: boolean
  readonly lines: readonly LineModel[]
  /** By rule, in ten-thousandths; 0: it is not open for this basket. */
  readonly factors: readonly number[]
  /** RFC 3339, and its date at the venue. */
  readonly requestedAt: string
  readonly day: string
  readonly timeZone: string
  readonly costs: readonly CostModel[]
  /** The basket that this one replaces. */
  readonly supersedes: number | null
}

/** Which basket a sale charged. */
export type Side = 'sent' | 'returned'

export function netOf({ lines }: Pick<BasketModel, 'lines'>, side: Side): number {
  return sum(lines.map((line) => line[side].net))
}

/** The amount paid for each line: its net, or where less was paid in all, its share by the spreading rule. */
export function paidOf({ lines }: Pick<BasketModel, 'lines'>, side: Side, paidTotal: number | null): number[] {
  const nets = lines.map((line) => line[side].net)
  const net = sum(nets)
  if (paidTotal === null || paidTotal >= net) return nets
  const shares = nets.map((each) => Math.floor((paidTotal * each) / net))
  const remainders = nets.map((each) => (paidTotal * each) % net)
  for (let left = paidTotal - sum(shares); left > 0; left -= 1) {
    const largest = remainders.indexOf(Math.max(...remainders))
    shares[largest]! += 1
    remainders[largest] = -1
  }
  return shares
}

/** Thousandths of each line that were returned; absent: nothing was. */
export type Returned = readonly number[]

/**
 * A rule's count of a basket (4-member-value, sections 2 and 5): base, units, or 1 for a visit; 0 where its conditions do not hold
 * for the kept units.
 */
export function countOf(
  rule: RuleModel,
  basket: Pick<BasketModel, 'lines'>,
  side: Side,
  { paid, returned = [] }: { readonly paid: readonly number[]; readonly returned?: Returned },
): number {
  const left = (at: number, net: number) => net - paidBack(net, basket.lines[at]!, side, returned[at] ?? 0)
  const kept = (at: number) => left(at, paid[at]!)
  const of = (kinds: RuleModel['kinds']) =>
    basket.lines.flatMap((line, at) => (matches(kinds, line.kind) && line[side].net > 0 ? [at] : []))
  const { minimumSpend, per, kinds } = rule
  if (minimumSpend !== null && sum(of(minimumSpend.kinds).map(kept)) < minimumSpend.amount) return 0
  if (per === 'visit') return of(kinds).some((at) => left(at, basket.lines[at]![side].net) > 0) ? 1 : 0
  return sum(
    of(kinds).map((at) => (per === 'amount' ? kept(at) : keptUnits(basket.lines[at]!, side, returned[at] ?? 0))),
  )
}

/** The net of k units of a line: units that were given free are returned last, and weigh nothing. */
export function paidBack(net: number, line: LineModel, side: Side, k: number): number {
  const paid = line.quantity - line[side].free * 1_000
  return Number((BigInt(Math.min(k, paid)) * BigInt(net)) / BigInt(paid))
}

/** Units that were not given free are returned first. */
function keptUnits({ quantity, ...line }: LineModel, side: Side, returned: number): number {
  if (quantity % 1_000 !== 0) return 0
  return Math.max(0, quantity / 1_000 - line[side].free - returned / 1_000)
}

export function costsOf({ costs }: BasketModel): ReadonlyMap<string, number> {
  const sums = new Map<string, number>()
  for (const { currencyId, amount, times } of costs) sums.set(currencyId, (sums.get(currencyId) ?? 0) + amount * times)
  return sums
}

/**
 * The part of a cost that comes back once this much was returned. Units without a discount are returned first, then those of each benefit in turn, free
 * ones last; one on all units of a line counts by itself.
 */
export function discountedBack({ lines, costs }: BasketModel, at: number, returned: Returned): number {
  const { per, amount, times, units } = costs[at]!
  const back = [...units].map(([position, discounted]) => {
    const all = lines[position]!.quantity / 1_000
    const others = costs.map((other) => other.units.get(position) ?? 0).map((each) => (each === all ? 0 : each))
    const { free } = lines[position]!.returned
    const before = discounted === all ? 0 : all - free - sum(others) + sum(others.slice(0, at))
    return Math.min(discounted, Math.max(0, (returned[position] ?? 0) / 1_000 - before))
  })
  if (per === 'unit') return amount * sum(back)
  return sum(back) === sum([...units.values()]) ? amount * times : 0
}
