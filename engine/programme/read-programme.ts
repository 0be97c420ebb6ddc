import type { Benefit } from '../core/programme.js'
import { type Fault, Faults, Place } from './place.js'
import { createBenefitIdentities, readBenefit } from './read-benefit.js'
import { readDocument } from './read-document.js'
import { createMemberIdentities, type ProgrammeMember, readMember } from './read-member.js'
import { openFields, readList } from './read-values.js'
import { createVenueIdentities, type ProgrammeVenue, readVenue } from './read-venue.js'
import { type Warning, warningsFromProgramme } from './warnings.js'

/** A programme document (benefits 1), read and found whole. */
export interface Programme {
  /** The document as it was given. */
  readonly document: string
  readonly venues: readonly ProgrammeVenue[]
  readonly members: readonly ProgrammeMember[]
  readonly benefits: readonly Benefit[]
  /** The JSON array of its benefits, as published: what `benefitsFromJson` takes. */
  readonly benefitsJson: string
}

export type ProgrammeRead =
  | { readonly kind: 'read'; readonly programme: Programme; readonly warnings: readonly Warning[] }
  | {
      readonly kind: 'faulty'
      /** The first 100 faults, in the order in which they were found. */
      readonly faults: readonly Fault[]
      /** How many more there are. */
      readonly more: number
    }

/**
 * Reads a whole programme document and names every fault in it by its path (benefits 1). Null in an optional field counts as
 * absent. What is suspicious, but allowed, comes back as warnings.
 */
export function readProgramme(text: string): ProgrammeRead {
  const faults = new Faults()
  const value = readDocument(text, faults)
  const content = value === undefined ? null : readContent(Place.root(value, faults))
  if (faults.count > 0 || content === null) {
    return { kind: 'faulty', faults: faults.listed, more: faults.count - faults.listed.length }
  }
  const benefitsJson = JSON.stringify((value as { readonly benefits: unknown }).benefits)
  return {
    kind: 'read',
    programme: { document: text, ...content, benefitsJson },
    warnings: warningsFromProgramme(content.benefits, content.venues),
  }
}

function readContent(root: Place): Pick<Programme, 'venues' | 'members' | 'benefits'> {
  const at = openFields(root, ['venues', 'members', 'benefits'])
  const venueIdentities = createVenueIdentities()
  const memberIdentities = createMemberIdentities()
  const benefitIdentities = createBenefitIdentities()
  return {
    venues: readList(at('venues'), (entry) => readVenue(entry, venueIdentities)),
    members: readList(at('members'), (entry) => readMember(entry, memberIdentities)),
    benefits: readList(at('benefits'), (entry) => readBenefit(entry, benefitIdentities)),
  }
}
