import { type Counted, type Earning, factorOne } from '../base/earning.js'
import type { Money } from '../base/money.js'
import { isAudience } from '../match/audience.js'
import { dateOf, dateText, dayAt, dayOf } from '../match/calendar.js'
import type { CompiledEarning, CompiledRule } from '../match/compile-rule.js'
import type { Matched } from '../match/matched-lines.js'
import { isAtTime, isOpenBy, type Occasion } from '../match/open.js'
import { dateOfWindow, lastBirthday } from '../match/yearly-date.js'
import { type Charge, chargeAsReturned, chargeAsSent, givenBy, type PricedFor } from './charge.js'
import { type ChargedLines, linesAsReturned, linesAsSent } from './charged-lines.js'
import { type RuleCharged, ruleLinesOf } from './rule-lines.js'

/**
 * Counts of a programme's rules in a basket, as returned and as sent (4-member-value 2 and 4), at `requestedAt`.
 * Pure; does not depend on other sales.
 *
 * @returns null: nothing
 */
export function earningOf({ rules, givesFree }: CompiledEarning, occasion: Occasion, it: PricedFor): Earning | null {
  const { basket, basis, changed, paidTotal: paid = null } = it
  const sentHow = { paid, isGiven: givenBy(givesFree, it.discountCode) }
  let [returned, sent]: [Charge | null, Charge | null] = [null, null]
  let [returnedLines, sentLines]: [ChargedLines | null, ChargedLines | null] = [null, null]
  const counted: Counted[] = []
  for (let index = 0; index < rules.length; index++) {
    const compiled = rules[index]!
    if (!isOpenBy(compiled.rule, compiled, occasion)) continue
    let [asSent, asReturned] = [0, 0]
    if (compiled.asksFullPrice) {
      returnedLines ??= linesAsReturned(it)
      sentLines ??= changed ? linesAsSent(basket, basis, sentHow) : returnedLines
      asSent = countAtPrices(compiled, { ...sentLines, matched: it.matched })
      asReturned = changed ? countAtPrices(compiled, { ...returnedLines, matched: it.matched }) : asSent
    } else {
      returned ??= chargeAsReturned(it.priced, it.settled, { basis, paid })
      sent ??= changed ? chargeAsSent(basket, basis, sentHow) : returned
      asSent = countIn(compiled, sent, it.matched)
      asReturned = changed ? countIn(compiled, returned, it.matched) : asSent
    }
    if (asSent === 0 && asReturned === 0) continue
    counted.push(countedBy(compiled, occasion, { sent: asSent, returned: asReturned }))
  }
  return counted.length === 0 ? null : earningAt(occasion, counted)
}

function countAtPrices(compiled: CompiledRule, charged: RuleCharged): number {
  return ruleLinesOf(compiled, charged)?.count ?? 0
}

function earningAt({ basket, venue, clock }: Occasion, counted: readonly Counted[]): Earning {
  const day = dayOf(dayAt(clock(), venue.dayStartsAt))
  return { at: basket.requestedAt, day, timeZone: venue.timeZone, counted }
}

function countedBy(
  compiled: CompiledRule,
  occasion: Occasion,
  { sent, returned }: Pick<Counted, 'sent' | 'returned'>,
): Counted {
  const { rule } = compiled
  const counted = { rule, factor: factorFor(compiled, occasion), sent, returned }
  if (rule.maximum?.period !== 'birthday') return counted
  const today = dayAt(occasion.clock(), occasion.venue.dayStartsAt)
  const date = dateOfWindow(rule.audience, occasion.member, today) ?? lastBirthday(occasion.member, today)
  return date === null ? counted : { ...counted, about: dateText(dateOf(date)) }
}

function countIn({ rule, select, minimumSpend }: CompiledRule, charge: Charge, matched: Matched): number {
  if (minimumSpend !== null) {
    let spent = 0
    const spending = matched.money(minimumSpend, minimumSpend.includeNoDiscount)
    for (let index = 0; index < spending.length; index++) spent += charge.nets[spending[index]!]!
    if (spent < rule.minimumSpend!.amount) return 0
  }
  const { per, includeNoDiscount } = rule
  const positions = (per.kind === 'amount' ? matched.money : matched.own)(select, includeNoDiscount)
  let count = 0
  for (let index = 0; index < positions.length; index++) {
    const at = positions[index]!
    if (charge.due[at] === 0) continue
    if (per.kind === 'visit') return 1
    count += per.kind === 'amount' ? charge.nets[at]! : charge.units[at]!
  }
  return count
}

function factorFor({ multipliers }: CompiledRule, occasion: Occasion): number {
  const found = multipliers.find((each) => isAudience(each, occasion) && isAtTime(each.schedule, occasion.clock))
  return found?.factor ?? factorOne
}

export interface SaleEarning {
  readonly earning: Earning | null
  /** True: an open rule needs the basket. For support. */
  readonly isPartial: boolean
}

/**
 * Counts of the rules in a sale that failed for an unknown calculation (4-member-value 4): `visit` and amount rules
 * without selectors, of the amount paid.
 *
 * @param occasion  with the sale's `requestedAt`
 */
export function earningOfSale({ rules }: CompiledEarning, occasion: Occasion, paidTotal: Money): SaleEarning {
  const open = rules.filter((compiled) => isOpenBy(compiled.rule, compiled, occasion))
  const countable = open.filter(isCountable)
  const isPartial = countable.length < open.length
  const counted: Counted[] = countable
    .filter(({ rule }) => paidTotal > 0 && paidTotal >= (rule.minimumSpend?.amount ?? 0))
    .map((compiled) => {
      const count = compiled.rule.per.kind === 'visit' ? 1 : paidTotal
      return countedBy(compiled, occasion, { sent: count, returned: count })
    })
  return { earning: counted.length === 0 ? null : earningAt(occasion, counted), isPartial }
}

function isCountable({ rule: { per, select, minimumSpend } }: CompiledRule): boolean {
  return per.kind !== 'units' && select === null && minimumSpend?.select === undefined
}
