import type { ArmSums, DaySums } from '../../../engine/experiments/sums.js'
import type { Dice } from '../../support/dice.js'

/** A chain of cafés with an experiment of happy hour. */
export interface Cafe {
  readonly members: number
  readonly days: number
  /** Share of members in the holdout. */
  readonly holdout: number
  /** How much more a member with the benefit pays. */
  readonly lift: number
}

/** Visits on each weekday, Monday first, relative to their mean. */
const weekdays = [1.15, 1.1, 1.1, 1.15, 1.3, 0.75, 0.45]
const pastDays = 56
const shareNew = 0.25
const shareInHappyHour = 0.3
const shareReturned = 0.02
const returnedWithinDays = 30
const weeksOfHabit = 30
/** In minor units. */
const basketMean = 9_000
const givenShare = 0.1

/** How far a day's weather moves all visits up or down. */
const weather = 0.25

interface Visitor {
  readonly visitsDaily: number
  /** The chance of a visit on the best day. */
  readonly busiest: number
  readonly basketMean: number
  readonly stopsAt: number
  readonly startsAt: number
}

/** One member's row as the store has it. */
interface Row {
  readonly arm: number
  readonly entry: number
  readonly past: number
  readonly spend: number
  metric: number
  given: number
}

interface Sale {
  readonly row: Row
  readonly paid: number
  readonly given: number
}

type Sums = { -readonly [name in keyof ArmSums]: number }

/**
 * The sums of each day of one experiment, as the store keeps them: most baskets are of a few habitual guests, one basket in a hundred is an
 * office's, one in fifty comes back within a month, guests stop coming, and a member enters at the first visit in happy hour.
 */
export function playedCafe(cafe: Cafe, dice: Dice): DaySums[] {
  const arms = [emptySums(), emptySums()]
  const visitors = Array.from({ length: cafe.members }, () => aVisitor(cafe, dice))
  const rows: (Row | undefined)[] = visitors.map(() => undefined)
  const returns = byDay<Sale>(cafe)
  const mayCome = byDay<number>(cafe)
  for (const [at, { startsAt, busiest }] of visitors.entries())
    mayCome[Math.max(0, startsAt) + gap(busiest, dice)]?.push(at)
  return mayCome.map((guests, day) => {
    for (const { row, paid, given } of returns[day]!) sell(arms[row.arm]!, row, -paid, -given)
    const today = (1 + weather * (2 * dice.next() - 1)) * weekdays[day % 7]!
    for (const at of guests) {
      const visitor = visitors[at]!
      if (day >= visitor.stopsAt) continue
      mayCome[day + 1 + gap(visitor.busiest, dice)]?.push(at)
      if (!dice.chance((visitor.visitsDaily * today) / visitor.busiest)) continue
      const isHappyHour = dice.chance(shareInHappyHour)
      const row = rows[at] ?? (isHappyHour ? entered(arms, cafe, visitor, day, dice) : undefined)
      if (!row) continue
      rows[at] = row
      const sale = soldTo(row, visitor, isHappyHour ? givenShare : 0, cafe, dice)
      sell(arms[row.arm]!, row, sale.paid, sale.given)
      if (dice.chance(shareReturned)) returns[day + 1 + dice.below(returnedWithinDays)]?.push(sale)
    }
    return { day, arms: arms.map(exactly) }
  })
}

function byDay<T>({ days }: Cafe): T[][] {
  return Array.from({ length: days }, () => [])
}

/** Days until a guest may come again who does so with this chance each day. */
function gap(chance: number, dice: Dice): number {
  return chance >= 1 ? 0 : Math.floor(Math.log(1 - dice.next()) / Math.log(1 - chance))
}

function soldTo(row: Row, visitor: Visitor, givenShare: number, { lift }: Cafe, dice: Dice): Sale {
  const base = aBasket(visitor, dice)
  return row.arm === 0
    ? { row, paid: Math.round(base), given: 0 }
    : { row, paid: Math.round(base * (1 + lift)), given: Math.round(base * givenShare) }
}

function aVisitor({ days }: Cafe, dice: Dice): Visitor {
  const isNew = dice.chance(shareNew)
  const visitsDaily = Math.min(0.9, 0.06 * Math.exp(1.1 * normal(dice) - 0.6))
  return {
    visitsDaily,
    busiest: Math.min(1, visitsDaily * (1 + weather) * Math.max(...weekdays)),
    basketMean: basketMean * Math.exp(0.5 * normal(dice) - 0.125),
    startsAt: isNew ? dice.below(days) : -pastDays,
    stopsAt: -Math.log(1 - dice.next()) * weeksOfHabit * 7,
  }
}

function aBasket({ basketMean }: Visitor, dice: Dice): number {
  const office = dice.chance(0.01) ? 10 + 10 * dice.next() : 1
  return office * basketMean * Math.exp(0.6 * normal(dice) - 0.18)
}

function normal(dice: Dice): number {
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next())
}

function entered(arms: readonly Sums[], cafe: Cafe, visitor: Visitor, entry: number, dice: Dice): Row {
  const arm = dice.chance(cafe.holdout) ? 0 : 1
  const past = visitor.startsAt < 0 ? 1 : 0
  let spend = 0
  for (let day = gap(visitor.visitsDaily, dice); past && day < pastDays; day += 1 + gap(visitor.visitsDaily, dice))
    spend += Math.round(aBasket(visitor, dice))
  const sums = arms[arm]!
  sums.members += 1
  sums.entry += entry
  sums.entrySquared += entry * entry
  sums.past += past
  sums.pastByEntry += past * entry
  sums.spend += spend
  sums.spendSquared += spend * spend
  sums.spendByEntry += spend * entry
  return { arm, entry, past, spend, metric: 0, given: 0 }
}

/** Changes the sums by a sale, or with negative amounts by a return. */
function sell(sums: Sums, row: Row, paid: number, given: number): void {
  sums.metric += paid
  sums.metricSquared += 2 * row.metric * paid + paid * paid
  sums.metricByEntry += row.entry * paid
  sums.metricByPast += row.past * paid
  sums.metricBySpend += row.spend * paid
  sums.given += given
  sums.givenSquared += 2 * row.given * given + given * given
  sums.givenByEntry += row.entry * given
  sums.givenByPast += row.past * given
  sums.givenBySpend += row.spend * given
  sums.metricByGiven += row.metric * given + row.given * paid + paid * given
  row.metric += paid
  row.given += given
}

function emptySums(): Sums {
  return {
    ...{ members: 0, entry: 0, entrySquared: 0, past: 0, pastByEntry: 0, spend: 0, spendSquared: 0, spendByEntry: 0 },
    ...{ metric: 0, metricSquared: 0, metricByEntry: 0, metricByPast: 0, metricBySpend: 0 },
    ...{ given: 0, givenSquared: 0, givenByEntry: 0, givenByPast: 0, givenBySpend: 0, metricByGiven: 0 },
  }
}

/** Throws past 2^53, where a double is no longer exact. */
function exactly(sums: Sums): ArmSums {
  const entries = Object.entries(sums).map(([name, sum]): [string, bigint] => {
    if (!Number.isSafeInteger(sum)) throw new Error(`${name} is not exact`)
    return [name, BigInt(sum)]
  })
  return Object.fromEntries(entries) as unknown as ArmSums
}
