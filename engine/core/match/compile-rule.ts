import type { EarningRule } from '../base/earning.js'
import { percentageWhole } from '../base/money.js'
import type { Benefit, ScheduleWindow } from '../base/programme.js'
import { type AudienceSets, audienceSets } from './audience.js'
import type { CompiledSelector, Selectors } from './selector.js'

export interface CompiledMultiplier extends AudienceSets {
  readonly schedule: readonly ScheduleWindow[] | null
  readonly factor: number
}

export interface CompiledRule extends AudienceSets {
  readonly rule: EarningRule
  readonly select: CompiledSelector
  readonly minimumSpend: CompiledSelector | null
  readonly asksFullPrice: boolean
  readonly venueIds: ReadonlySet<string> | null
  readonly multipliers: readonly CompiledMultiplier[]
}

export interface CompiledEarning {
  readonly rules: readonly CompiledRule[]
  readonly givesFree: ReadonlySet<string>
}

export function compileEarning(
  rules: readonly EarningRule[],
  benefits: readonly Benefit[],
  selectors: Selectors,
): CompiledEarning | null {
  if (rules.length === 0) return null
  return {
    rules: rules.map((rule) => compileRule(rule, selectors)),
    givesFree: saidFree(benefits),
  }
}

export function saidFree(benefits: readonly Benefit[]): ReadonlySet<string> {
  return new Set(benefits.filter(canGiveFree).map(saidOf))
}

/** Text and campaign of a discount, by which the service recognises it in a later basket. */
export function saidOf({ text, campaign }: { readonly text: string | null; readonly campaign: string | null }): string {
  return JSON.stringify([text, campaign])
}

function compileRule(rule: EarningRule, selectors: Selectors): CompiledRule {
  const { multipliers } = rule
  const select = selectors.compiled(rule.select ?? {})
  const minimumSpend = rule.minimumSpend === null ? null : selectors.compiled(rule.minimumSpend.select)
  return {
    ...{ rule, select, minimumSpend },
    asksFullPrice: judgesPrices(select) || (minimumSpend !== null && judgesPrices(minimumSpend)),
    venueIds: rule.venueIds === null ? null : new Set(rule.venueIds),
    ...audienceSets(rule.audience),
    multipliers: multipliers
      .map(({ audience, schedule, factor }) => ({ ...audienceSets(audience), schedule, factor }))
      .sort((a, b) => b.factor - a.factor),
  }
}

function judgesPrices({ fullPrice, narrowed, not }: CompiledSelector): boolean {
  return fullPrice || narrowed.some(judgesPrices) || (not !== null && judgesPrices(not))
}

// Any tier of a volume_percentage may be 100 %.
function canGiveFree({ reward }: Benefit): boolean {
  switch (reward.kind) {
    case 'line_percentage':
      return reward.percentage === percentageWhole
    case 'volume_percentage':
      return reward.tiers.some(({ percentage }) => percentage === percentageWhole)
    case 'buy_get':
      return reward.get.percentage === percentageWhole
    case 'free_product':
      return true
    default:
      return false
  }
}
