import type { VolumeTier } from '../../base/programme.js'

/** The highest tier that so many units reach; null below the first (tiers ascend, checked when published). */
export function tierFor(tiers: readonly VolumeTier[], units: number): VolumeTier | null {
  let reached: VolumeTier | null = null
  for (const tier of tiers) if (tier.quantity <= units) reached = tier
  return reached
}
