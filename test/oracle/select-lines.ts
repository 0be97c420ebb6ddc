import type { Benefit, RequiredQuantity, Selector } from '../../engine/core/base/programme.js'
import type { SentBasket, SentLine } from './sent-basket.js'
import { sumOf } from './spread.js'

export interface Selected {
  /** By line: it matches by itself. */
  readonly matches: readonly boolean[]
  /** By line: the nearest line above it that matches by itself and that it follows, or -1. */
  readonly above: readonly number[]
}

/**
 * Lines that match, and those that follow them (benefits 1, Selector and Lines below).
 *
 * @param withFlagged `noDiscount` lines match too, as with `includeNoDiscount`
 */
export function selectLines(basket: SentBasket, select: Selector = {}, withFlagged = false): Selected {
  const isOpen = (line: SentLine) => !line.line.noDiscount || withFlagged || select.includeNoDiscount === true
  const left = select.not === undefined ? null : selectLines(basket, select.not, true)
  const isLeft = (at: number) => left !== null && (left.matches[at]! || left.above[at]! !== -1)
  const matches = basket.lines.map(
    (line, at) => isOpen(line) && !isLeft(at) && isListed(basket, at, select) && isNarrow(basket, at, select),
  )
  const above = basket.lines.map((line, at) => {
    const isOut = matches[at]! || isLeft(at) || (select.fullPrice === true && !isFullPrice(line))
    return select.children !== true || isOut || !isOpen(line) ? -1 : nearest(basket, at, matches)
  })
  return { matches, above }
}

/** Each line that a selector takes, those that follow included. */
export function takenLines(basket: SentBasket, select: Selector | undefined, withFlagged = false): boolean[] {
  const { matches, above } = selectLines(basket, select, withFlagged)
  return matches.map((flag, at) => flag || above[at]! !== -1)
}

function isListed(basket: SentBasket, at: number, select: Selector): boolean {
  const { productMasterIds, eans, productIds, productGroupIds, collections } = select
  if ([productMasterIds, eans, productIds, productGroupIds, collections].every((list) => list === undefined))
    return true
  const { line, identity } = basket.lines[at]!
  if (line.productGroupId !== null && productGroupIds?.includes(line.productGroupId)) return true
  if (collections?.some((each) => isInCollection(basket, at, each))) return true
  return (
    { productMasterId: productMasterIds, ean: eans, productId: productIds }[identity.of]?.includes(identity.id) ?? false
  )
}

/** "Read as if they stood where they are named, but that they narrow only the lines they take." */
function isInCollection(basket: SentBasket, at: number, select: Selector): boolean {
  return selectLines(basket, select, true).matches[at]!
}

function isNarrow(basket: SentBasket, at: number, { fields, fullPrice }: Selector): boolean {
  const line = basket.lines[at]!
  if (fullPrice === true && !isFullPrice(line)) return false
  return (fields ?? []).every(({ name, values }) => {
    const value = basket.fieldOf(line.position, name)
    return value !== undefined && values.includes(value)
  })
}

function isFullPrice({ own, isOverridden }: SentLine): boolean {
  return own === 0 && !isOverridden
}

function nearest(basket: SentBasket, at: number, matches: readonly boolean[]): number {
  let up = basket.lines[at]!.parent
  while (up !== -1 && !matches[up]!) up = basket.lines[up]!.parent
  return up
}

/** Units of the lines that match; with `measure` thousandths of weighed lines and others. */
export function quantityOf(basket: SentBasket, so: Omit<RequiredQuantity, 'quantity'>, withFlagged = false): number {
  const { matches } = selectLines(basket, so.select, withFlagged)
  return sumOf(basket.lines.map((line, at) => (matches[at]! ? quantityOfLine(line, so.measure) : 0)))
}

function quantityOfLine({ whole, slots, quantity }: SentLine, measure: boolean | undefined): number {
  if (measure === true) return quantity
  return whole ? slots : 0
}

/** The same for `units` units of each line. */
export function quantityOfUnits(
  basket: SentBasket,
  so: Omit<RequiredQuantity, 'quantity'>,
  units: readonly number[],
  withFlagged = false,
): number {
  const { matches } = selectLines(basket, so.select, withFlagged)
  return sumOf(units.map((count, at) => (matches[at]! ? count * (so.measure === true ? 1000 : 1) : 0)))
}

/** The required spend and quantities (benefits 2). */
export function meetsConditions(basket: SentBasket, benefit: Benefit): boolean {
  const spend = benefit.conditions?.minimumSpend
  if (spend !== undefined) {
    const taken = takenLines(basket, spend.select)
    if (sumOf(basket.lines.map((line, at) => (taken[at]! ? line.net : 0))) < spend.amount) return false
  }
  return (benefit.conditions?.requires ?? []).every((entry) => quantityOf(basket, entry) >= entry.quantity)
}
