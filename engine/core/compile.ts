import { compareCodePoints } from './code-points.js'
import type { Benefit } from './programme.js'
import { areAlike, type CompiledSelector, compileSelector, type Identified } from './selector.js'

/** A benefit prepared for pricing. */
export interface CompiledBenefit {
  readonly benefit: Benefit
  /** Its place among all benefits by benefitId, code point by code point. */
  readonly rank: number
  /**
   * The reward's selectors: one, the buy and the get of a `buy_get`, the components of a bundle; none for a free product.
   * Where what is bought and what is got are the same lines, one and the same selector.
   */
  readonly selects: readonly CompiledSelector[]
  readonly minimumSpend: CompiledSelector | null
  readonly requires: readonly CompiledSelector[]
  readonly venueIds: ReadonlySet<string> | null
  readonly tiers: ReadonlySet<string> | null
  readonly segments: ReadonlySet<string> | null
  readonly memberIds: ReadonlySet<string> | null
}

/** A programme's benefits with an index, so that a basket costs what can match it and not what exists. */
export interface CompiledProgramme {
  /** In the order of benefitId. */
  readonly benefits: readonly CompiledBenefit[]
  /** Ranks of benefits without lists in their leading selector: every basket is their business. */
  readonly everywhere: readonly number[]
  readonly byMaster: ReadonlyMap<string, readonly number[]>
  readonly byEan: ReadonlyMap<string, readonly number[]>
  readonly byProduct: ReadonlyMap<string, readonly number[]>
  readonly byGroup: ReadonlyMap<string, readonly number[]>
  /** Products that a `free_product` may add: of a venue's price list the engine needs no others. */
  readonly freeProductIds: readonly string[]
}

/** Compiles benefits once per programme version; they are valid (checked when published). */
export function compileProgramme(benefits: readonly Benefit[]): CompiledProgramme {
  const sorted = [...benefits].sort((a, b) => compareCodePoints(a.benefitId, b.benefitId))
  const compiled = sorted.map(compileBenefit)
  const index = {
    everywhere: [] as number[],
    byMaster: new Map<string, number[]>(),
    byEan: new Map<string, number[]>(),
    byProduct: new Map<string, number[]>(),
    byGroup: new Map<string, number[]>(),
  }
  for (const { rank, selects } of compiled) {
    const leading = leadingSelector(selects)
    if (leading === null) index.everywhere.push(rank)
    else {
      post(index.byMaster, leading.productMasterIds, rank)
      post(index.byEan, leading.eans, rank)
      post(index.byProduct, leading.productIds, rank)
      post(index.byGroup, leading.productGroupIds, rank)
    }
  }
  const free = sorted.flatMap(({ reward }) => (reward.kind === 'free_product' ? [reward.productId] : []))
  return { benefits: compiled, ...index, freeProductIds: [...new Set(free)] }
}

/**
 * The benefits that have something to look at in these lines, by rank, with the lines their leading selector's lists
 * name, ascending. One without lists in it looks at every basket and comes with no lines.
 */
export function touchedBy(programme: CompiledProgramme, lines: readonly Identified[]): Map<number, number[]> {
  const touched = new Map<number, number[]>()
  for (const rank of programme.everywhere) touched.set(rank, [])
  for (const [position, line] of lines.entries()) {
    const group = line.productGroupId === null ? undefined : programme.byGroup.get(line.productGroupId)
    if (group !== undefined) note(touched, group, position)
    const own = ownRanks(programme, line)
    if (own !== undefined) note(touched, own, position)
  }
  return touched
}

function ownRanks(programme: CompiledProgramme, line: Identified): readonly number[] | undefined {
  if (line.productMasterId !== null) return programme.byMaster.get(line.productMasterId)
  if (line.ean !== null) return programme.byEan.get(line.ean)
  return programme.byProduct.get(line.productId)
}

function note(touched: Map<number, number[]>, ranks: readonly number[], position: number): void {
  for (const rank of ranks) {
    const lines = touched.get(rank)
    if (lines === undefined) touched.set(rank, [position])
    else if (lines[lines.length - 1] !== position) lines.push(position)
  }
}

function compileBenefit(benefit: Benefit, rank: number): CompiledBenefit {
  const { audience, conditions } = benefit
  const spend = conditions?.minimumSpend
  return {
    benefit,
    rank,
    selects: compiledSelects(benefit),
    minimumSpend: spend === undefined ? null : compileSelector(spend.select),
    requires: (conditions?.requires ?? []).map(({ select }) => compileSelector(select)),
    venueIds: setOf(benefit.venueIds ?? undefined),
    tiers: setOf(audience?.tiers),
    segments: setOf(audience?.segments),
    memberIds: setOf(audience?.memberIds),
  }
}

function compiledSelects(benefit: Benefit): CompiledSelector[] {
  const selects = selectsOf(benefit).map(compileSelector)
  const isBuyGet = benefit.reward.kind === 'buy_get'
  return isBuyGet && areAlike(selects[0]!, selects[1]!) ? [selects[0]!, selects[0]!] : selects
}

function selectsOf({ reward }: Benefit) {
  switch (reward.kind) {
    case 'buy_get':
      return [reward.buy.select ?? {}, reward.get.select ?? {}]
    case 'bundle_price':
      return reward.components.map(({ select }) => select ?? {})
    case 'free_product':
      return []
    default:
      return [reward.select ?? {}]
  }
}

// A basket without a line for one of the selectors cannot have the benefit, so the narrowest one is enough to find it.
function leadingSelector(selects: readonly CompiledSelector[]): CompiledSelector | null {
  const listed = selects.filter((select) => !select.every)
  if (listed.length === 0) return null
  return listed.reduce((least, select) => (breadth(select) < breadth(least) ? select : least))
}

function breadth({ productMasterIds, eans, productIds, productGroupIds }: CompiledSelector): number {
  const products = (productMasterIds?.size ?? 0) + (eans?.size ?? 0) + (productIds?.size ?? 0)
  return products + (productGroupIds?.size ?? 0) * groupBreadth
}

// A group is taken to hold as many products as this; it only steers which list is indexed.
const groupBreadth = 20

function post(index: Map<string, number[]>, keys: ReadonlySet<string> | null, rank: number): void {
  for (const key of keys ?? []) {
    const ranks = index.get(key)
    if (ranks === undefined) index.set(key, [rank])
    else ranks.push(rank)
  }
}

function setOf(list: readonly string[] | undefined): ReadonlySet<string> | null {
  return list === undefined ? null : new Set(list)
}
