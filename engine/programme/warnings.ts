import { benefitsBeaten } from './lint-beaten.js'
import { costsWithoutWorth } from './lint-costs.js'
import { basketsFree } from './lint-free.js'
import { limitsNeverReached } from './lint-limits.js'
import { audiencesUnknown, goodsUnknown, type KnownNames } from './lint-names.js'
import { pricesWithoutEffect } from './lint-prices.js'
import { benefitsNeverApplied } from './lint-reach.js'
import type { Naming } from './naming.js'
import { createPriceLists } from './price-lists.js'
import type { ListedBenefit } from './read-benefit.js'
import type { Warning } from './warning.js'

/**
 * The warnings on a programme without faults, by kind of warning, then in document order.
 *
 * @param benefits  the enabled ones
 * @param namings   what they and the earning rules name
 */
export function warningsFromProgramme(
  benefits: readonly ListedBenefit[],
  namings: readonly Naming[],
  known: KnownNames,
): readonly Warning[] {
  const prices = createPriceLists(known.venues)
  return [
    ...benefitsNeverApplied(benefits, prices),
    ...benefitsBeaten(benefits),
    ...pricesWithoutEffect(benefits, prices),
    ...limitsNeverReached(benefits),
    ...costsWithoutWorth(benefits),
    ...audiencesUnknown(namings, known),
    ...goodsUnknown(namings, known.venues),
    ...basketsFree(benefits, prices),
  ]
}
