import type { Benefit } from '../core/base/programme.js'
import { type Fault, Faults, Place } from './place.js'
import { createBenefitIdentities, type ListedBenefit, readBenefit } from './read-benefit.js'
import { readDocument } from './read-document.js'
import { createExchangeIdentities, type ProgrammeExchange, readExchange } from './read-exchange.js'
import { createMemberIdentities, type ProgrammeMember, readMember } from './read-member.js'
import { type ProgrammeCurrency, readProgrammeCurrency } from './read-programme-currency.js'
import { checkNotes, Once, openFields, readList, readOptionalList } from './read-values.js'
import { createVenueIdentities, type ProgrammeVenue, readVenue } from './read-venue.js'
import type { Warning } from './warning.js'
import { warningsFromProgramme } from './warnings.js'

/** A programme document (benefits 1) without faults. */
export interface Programme {
  readonly document: string
  readonly venues: readonly ProgrammeVenue[]
  readonly members: readonly ProgrammeMember[]
  /** What members collect. */
  readonly currencies: readonly ProgrammeCurrency[]
  /** What members may exchange, in document order. */
  readonly exchanges: readonly ProgrammeExchange[]
  /** The enabled ones. */
  readonly benefits: readonly Benefit[]
  readonly benefitsNotEnabled: number
  /**
   * JSON array of the enabled benefits, for `benefitsFromJson`. Without `enabled`, `description` and `metadata`:
   * pricing does not need them, and gateways of the previous release do not accept them.
   */
  readonly benefitsJson: string
  /** All ids in the document: members, and audiences of benefits. */
  readonly named: NamedIds
}

export interface NamedIds {
  readonly memberIds: readonly string[]
  readonly loyaltyIds: readonly string[]
}

export type ProgrammeRead =
  | { readonly kind: 'read'; readonly programme: Programme; readonly warnings: readonly Warning[] }
  | {
      readonly kind: 'faulty'
      /** The first 100 faults, in the order found. */
      readonly faults: readonly Fault[]
      readonly more: number
    }

/**
 * Reads a whole programme document and reports every fault by its path (benefits 1). Null in an optional field counts
 * as absent. Returns warnings for what is valid but suspicious.
 */
export function readProgramme(text: string): ProgrammeRead {
  const faults = new Faults()
  const value = readDocument(text, faults)
  const content = value === undefined ? null : readContent(Place.root(value, faults))
  if (faults.count > 0 || content === null) {
    return { kind: 'faulty', faults: faults.listed, more: faults.count - faults.listed.length }
  }
  const { venues, members, currencies, exchanges, listed } = content
  const enabled = listed.filter(({ isEnabled }) => isEnabled)
  return {
    kind: 'read',
    programme: {
      document: text,
      venues,
      members,
      currencies,
      exchanges,
      benefits: enabled.map(({ benefit }) => benefit),
      benefitsNotEnabled: listed.length - enabled.length,
      benefitsJson: pricedJson((value as { readonly benefits: readonly object[] }).benefits),
      named: idsNamedBy(members, listed),
    },
    warnings: warningsFromProgramme(enabled, venues),
  }
}

/** Includes benefits that are not enabled: the document names their ids too. */
function idsNamedBy(members: readonly ProgrammeMember[], listed: readonly ListedBenefit[]): NamedIds {
  const audiences = listed.flatMap(({ benefit }) => benefit.audience?.memberIds ?? [])
  return {
    memberIds: [...new Set([...members.map(({ memberId }) => memberId), ...audiences])],
    loyaltyIds: members.flatMap(({ loyaltyIds }) => loyaltyIds),
  }
}

function pricedJson(benefits: readonly object[]): string {
  const priced = (benefits as readonly Readonly<Record<string, unknown>>[]).filter(({ enabled }) => enabled !== false)
  return JSON.stringify(priced.map(({ enabled, description, metadata, ...rest }) => rest))
}

function readContent(root: Place) {
  const at = openFields(root, [
    '$schema',
    'description',
    'metadata',
    'venues',
    'members',
    'currencies',
    'benefits',
    'exchanges',
  ])
  const schema = at('$schema')
  if (!schema.absent && typeof schema.value !== 'string') schema.fault('the address of a JSON Schema, as a text')
  checkNotes(at)
  const venueIdentities = createVenueIdentities()
  const memberIdentities = createMemberIdentities()
  const currencyIds = new Once('currencyId')
  const benefitIdentities = createBenefitIdentities()
  const currencies = readOptionalList(at('currencies'), (entry) => readProgrammeCurrency(entry, currencyIds))
  const exchangeIdentities = createExchangeIdentities(currencies)
  return {
    venues: readOptionalList(at('venues'), (entry) => readVenue(entry, venueIdentities)),
    members: readOptionalList(at('members'), (entry) => readMember(entry, memberIdentities)),
    currencies,
    listed: readList(at('benefits'), (entry) => readBenefit(entry, benefitIdentities)),
    exchanges: readOptionalList(at('exchanges'), (entry) => readExchange(entry, exchangeIdentities)),
  }
}
