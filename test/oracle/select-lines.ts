import type { Line } from '../../engine/core/base/basket.js'
import type { Benefit, Selector } from '../../engine/core/base/programme.js'
import type { SentBasket } from './sent-basket.js'
import { sumOf } from './spread.js'

/**
 * The lines that a selector takes, one flag per line (benefits 1, Selector).
 *
 * Reading: "`not` is a selector like any other: what it takes is left out" is applied last, so a line below a matching line stays
 * taken when only its parent is left out.
 */
export function selectLines(basket: SentBasket, select: Selector | undefined): boolean[] {
  if (select === undefined) return basket.lines.map(() => true)
  const direct = basket.lines.map(({ line }) => matches(line, select))
  const taken = basket.lines.map((_, at) => direct[at]! || (select.children === true && below(basket, at, direct)))
  const left = select.not === undefined ? basket.lines.map(() => false) : selectLines(basket, select.not)
  return taken.map((flag, at) => flag && !left[at]!)
}

function matches(line: Line, select: Selector): boolean {
  const lists = [select.productMasterIds, select.eans, select.productIds, select.productGroupIds]
  if (lists.every((list) => list === undefined)) return true
  if (line.productGroupId !== null && select.productGroupIds?.includes(line.productGroupId)) return true
  if (line.productMasterId !== null) return select.productMasterIds?.includes(line.productMasterId) ?? false
  if (line.ean !== null) return select.eans?.includes(line.ean) ?? false
  return select.productIds?.includes(line.productId) ?? false
}

function below(basket: SentBasket, at: number, direct: readonly boolean[]): boolean {
  for (let up = basket.lines[at]!.parent; up !== -1; up = basket.lines[up]!.parent) {
    if (direct[up]!) return true
  }
  return false
}

/** Whole units on the lines of a selector, undiscountable lines included; weighed lines have none. */
export function unitsOf(basket: SentBasket, select: Selector | undefined): number {
  const taken = selectLines(basket, select)
  return sumOf(basket.lines.map((line, at) => (taken[at]! && line.whole ? line.slots : 0)))
}

/** Whether the basket has the required spend and units (benefits 2). */
export function meetsConditions(basket: SentBasket, benefit: Benefit): boolean {
  const spend = benefit.conditions?.minimumSpend
  if (spend !== undefined) {
    const taken = selectLines(basket, spend.select)
    if (sumOf(basket.lines.map((line, at) => (taken[at]! ? line.net : 0))) < spend.amount) return false
  }
  return (benefit.conditions?.requires ?? []).every((entry) => unitsOf(basket, entry.select) >= entry.quantity)
}
