import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Basket } from '../../engine/core/base/basket.js'
import { percentageWhole, quantityOne } from '../../engine/core/base/money.js'
import type { Benefit } from '../../engine/core/base/programme.js'

/** A line in the format of Medusa's promotion module; amounts in minor units. */
interface MedusaItem {
  readonly id: string
  readonly quantity: number
  readonly subtotal: number
  readonly original_total: number
  readonly is_discountable: boolean
  readonly product_group: string
}

interface MedusaRule {
  readonly attribute: string
  readonly operator: 'in'
  readonly values: readonly { readonly value: string }[]
}

interface MedusaPromotion {
  readonly code: string
  readonly type: 'standard' | 'buyget'
  readonly is_tax_inclusive: false
  readonly rules: readonly MedusaRule[]
  readonly application_method: {
    readonly type: 'percentage'
    readonly target_type: 'items'
    readonly allocation: 'each'
    readonly value: number
    readonly max_quantity: number
    readonly target_rules: readonly MedusaRule[]
    readonly buy_rules?: readonly MedusaRule[]
    readonly buy_rules_min_quantity?: number
    readonly apply_to_quantity?: number
  }
}

/** A computed amount: a number, or Medusa's own decimal type. */
interface MedusaAction {
  readonly action: string
  readonly item_id: string
  readonly amount: { valueOf(): number | string }
}

type Computed = MedusaAction[]
type Applied = Map<string, unknown>

interface ComputeActions {
  sortByBuyGetType(a: MedusaPromotion, b: MedusaPromotion): number
  getComputedActionsForItems(promotion: MedusaPromotion, items: readonly MedusaItem[], applied: Applied): Computed
  getComputedActionsForBuyGet(
    promotion: MedusaPromotion,
    items: readonly MedusaItem[],
    applied: Applied,
    ...taken: [buy: Map<string, unknown>, target: Map<string, unknown>]
  ): Computed
}

interface Validations {
  areRulesValidForContext(rules: readonly MedusaRule[], context: unknown, scope: string): boolean
}

export interface MedusaEngine {
  /** The sum of all discounts, in minor units, not rounded. */
  discountOf(promotions: readonly MedusaPromotion[], items: readonly MedusaItem[]): number
}

const folder = join(import.meta.dirname, 'medusa')
const modules = join(folder, 'node_modules', '@medusajs')
/** Largest quantity, for "unlimited". */
const quantityAtMost = 100_000

export function isMedusaInstalled(): boolean {
  return existsSync(join(modules, 'framework', 'utils.js'))
}

/** Installs Medusa's promotion module from npm (190 MB with dependencies) without install scripts. */
export function installMedusa(): void {
  const words = ['install', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', words, { cwd: folder, stdio: 'inherit' })
  if (status !== 0) throw new Error('npm could not install Medusa')
  // An alias: the module imports this package as framework/utils.
  mkdirSync(join(modules, 'framework'), { recursive: true })
  writeFileSync(join(modules, 'framework', 'utils.js'), "module.exports = require('@medusajs/utils')\n")
}

export function loadMedusa(): MedusaEngine {
  const require = createRequire(join(folder, 'package.json'))
  const compute = require(join(modules, 'promotion/dist/utils/compute-actions')) as ComputeActions
  const { areRulesValidForContext } = require(join(modules, 'promotion/dist/utils/validations')) as Validations
  return { discountOf: (promotions, items) => discountOf({ ...compute, areRulesValidForContext }, promotions, items) }
}

/** The calls that Medusa's service makes for promotions from its database, in the same sequence. */
function discountOf(
  medusa: ComputeActions & Validations,
  promotions: readonly MedusaPromotion[],
  items: readonly MedusaItem[],
): number {
  const applied: Applied = new Map()
  const taken = [new Map<string, unknown>(), new Map<string, unknown>()] as const
  const computed: Computed = []
  for (const promotion of [...promotions].sort(medusa.sortByBuyGetType)) {
    if (!medusa.areRulesValidForContext(promotion.rules, { items, currency_code: 'nok' }, 'order')) continue
    computed.push(
      ...(promotion.type === 'buyget'
        ? medusa.getComputedActionsForBuyGet(promotion, items, applied, ...taken)
        : medusa.getComputedActionsForItems(promotion, items, applied)),
    )
  }
  return computed.reduce((sum, { amount }) => sum + Number(amount.valueOf()), 0)
}

export function medusaItems(basket: Basket): MedusaItem[] {
  return basket.lines.map(({ lineId, productGroupId, quantity, noDiscount, totals }) => ({
    id: lineId,
    quantity: quantity / quantityOne,
    subtotal: totals.gross,
    original_total: totals.gross,
    is_discountable: !noDiscount,
    product_group: productGroupId!,
  }))
}

/** A percentage or a buy_get over product groups in Medusa's format; throws for other rewards. */
export function medusaPromotion({ benefitId, reward }: Benefit): MedusaPromotion {
  const common = { type: 'percentage', target_type: 'items', allocation: 'each', max_quantity: quantityAtMost } as const
  const promotion = { code: benefitId, is_tax_inclusive: false, rules: [] } as const
  if (reward.kind === 'line_percentage') {
    const method = { ...common, value: percentOf(reward.percentage), target_rules: groupRules(reward.select) }
    return { ...promotion, type: 'standard', application_method: method }
  }
  if (reward.kind !== 'buy_get') throw new Error(`no words of Medusa's for ${reward.kind}`)
  const { buy, get } = reward
  const method = {
    ...common,
    value: percentOf(get.percentage),
    target_rules: groupRules(get.select),
    buy_rules: groupRules(buy.select),
    buy_rules_min_quantity: buy.quantity,
    apply_to_quantity: get.quantity,
  }
  return { ...promotion, type: 'buyget', application_method: method }
}

function percentOf(percentage: number): number {
  return (percentage * 100) / percentageWhole
}

function groupRules(select: { readonly productGroupIds?: readonly string[] } | undefined): MedusaRule[] {
  const values = (select?.productGroupIds ?? []).map((value) => ({ value }))
  return [{ attribute: 'items.product_group', operator: 'in', values }]
}
