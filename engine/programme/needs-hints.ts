import type { PricedProgramme } from './benefits-from-json.js'

/** Whether prices, or what is earned, depend on what the ledger alone knows of a member: balances, visits, an earned tier. */
export function needsHints({ benefits, rules, hasTiers }: PricedProgramme): boolean {
  const multipliers = rules.flatMap((rule) => rule.multipliers)
  const isHinted = [...benefits, ...rules, ...multipliers].some(
    ({ audience }) => audience?.visits !== undefined || (hasTiers && audience?.tiers !== undefined),
  )
  return isHinted || benefits.some(({ costs }) => costs !== null)
}
