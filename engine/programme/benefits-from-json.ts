import type { Benefit } from '../core/base/programme.js'
import { Faults, Place } from './place.js'
import { createBenefitIdentities, readBenefit } from './read-benefit.js'
import { readOptionalList } from './read-values.js'

/**
 * The enabled benefits of a published programme, from their JSON array: defaults filled in, moments in milliseconds,
 * percentages in ten-thousandths, times of day in minutes. The input was validated when published; anything else
 * throws.
 */
export function benefitsFromJson(text: string): readonly Benefit[] {
  const faults = new Faults()
  const identities = createBenefitIdentities()
  const listed = readOptionalList(Place.root(JSON.parse(text), faults), (entry) => readBenefit(entry, identities))
  const [fault] = faults.listed
  if (fault !== undefined) throw new Error(`published benefits are faulty: ${fault.path} expected ${fault.expected}`)
  return listed.filter(({ isEnabled }) => isEnabled).map(({ benefit }) => benefit)
}
