import type { ListedRule } from './read-earning.js'
import type { ProgrammeTier } from './read-tier.js'
import type { Warning } from './warning.js'

/** Tiers that no member reaches or keeps by this programme: nothing earns their currency, or a higher one is no harder to have. */
export function tiersNeverHad(tiers: readonly ProgrammeTier[], rules: readonly ListedRule[]): Warning[] {
  return tiers.flatMap((tier, place): Warning[] => {
    const why = whyNeverHad(tier, tiers, rules)
    return why === null ? [] : [{ path: `tiers[${place}]`, word: 'never_applies', message: `nobody gets it: ${why}` }]
  })
}

function whyNeverHad(
  tier: ProgrammeTier,
  tiers: readonly ProgrammeTier[],
  rules: readonly ListedRule[],
): string | null {
  if (!rules.some(({ rule }) => rule.currencyId === tier.currencyId)) return `no earning rule gives ${tier.currencyId}`
  const higher = tiers.find((other) => other.rank > tier.rank && isNoHarder(other, tier))
  return higher === undefined ? null : `${higher.tierId} ranks higher and asks for no more`
}

/** Whether who has `tier` has `other` too. */
function isNoHarder(other: ProgrammeTier, tier: ProgrammeTier): boolean {
  return (
    other.currencyId === tier.currencyId &&
    other.amount <= tier.amount &&
    other.windowMonths >= tier.windowMonths &&
    other.keepMonths >= tier.keepMonths
  )
}
