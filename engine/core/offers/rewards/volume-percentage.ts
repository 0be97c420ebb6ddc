import type { VolumeTier } from '../../base/programme.js'

/** The highest tier reached; null below the first. Tiers ascend, which publishing checks. */
export function tierFor(tiers: readonly VolumeTier[], units: number): VolumeTier | null {
  let reached: VolumeTier | null = null
  for (const tier of tiers) if (tier.quantity <= units) reached = tier
  return reached
}
