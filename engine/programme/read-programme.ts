import type { EarningRule } from '../core/base/earning.js'
import type { Benefit, Experiment, Guard, Limit } from '../core/base/programme.js'
import { sameDecimal } from '../wire/decimal.js'
import { createJsonNames } from '../wire/json-names.js'
import type { JsonText } from '../wire/json-text.js'
import { readJson } from '../wire/read-json.js'
import { type Content, contentOf } from './benefits-from-json.js'
import { rulesNeverCounted, tiersNeverHad } from './lint-reach.js'
import { namingOfBenefit, namingOfCollection, namingOfRule, outlineOf, type ProgrammeOutline } from './outline.js'
import { type Fault, Faults, InexactNumber, Place } from './place.js'
import type { ListedBenefit } from './read-benefit.js'
import type { ProgrammeCurrency, ProgrammeExchange, ProgrammeTier } from './read-earning.js'
import { checkBenefitsKnown } from './read-experiment.js'
import type { ProgrammeMember, ProgrammeVenue } from './read-venue.js'
import type { Warning } from './warning.js'
import { returnsAsPaid, warningsFromProgramme } from './warnings.js'

export interface Programme {
  readonly document: string
  readonly venues: readonly ProgrammeVenue[]
  readonly members: readonly ProgrammeMember[]
  readonly currencies: readonly ProgrammeCurrency[]
  readonly exchanges: readonly ProgrammeExchange[]
  readonly tiers: readonly ProgrammeTier[]
  readonly benefits: readonly Benefit[]
  readonly benefitsNotEnabled: number
  readonly limits: readonly CountedLimit[]
  readonly rules: readonly EarningRule[]
  readonly guards: readonly Guard[]
  readonly experiments: readonly Experiment[]
  /** JSON for `pricedFromJson`, without what pricing does not need. */
  readonly benefitsJson: string
  readonly outline: ProgrammeOutline
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
      readonly faults: readonly Fault[]
      readonly more: number
    }

/** Reports every fault by its path (benefits 1), and parts that are valid but suspicious as warnings. */
export function readProgramme(text: string): ProgrammeRead {
  const faults = new Faults()
  const value = readDocument(text, faults)
  const content = value === undefined ? null : checkedContent(Place.root(value, faults))
  if (faults.count > 0 || content === null) {
    return { kind: 'faulty', faults: faults.listed, more: faults.count - faults.listed.length }
  }
  const { venues, members, currencies, collections, exchanges, tiers, listed, rules, policy, guards, experiments } =
    content
  const enabled = listed.filter(({ isEnabled }) => isEnabled)
  const namings = [...enabled.map(namingOfBenefit), ...rules.map(namingOfRule), ...collections.map(namingOfCollection)]
  return {
    kind: 'read',
    programme: {
      document: text,
      venues,
      members,
      currencies,
      exchanges,
      tiers,
      benefits: enabled.map(({ benefit }) => benefit),
      benefitsNotEnabled: listed.length - enabled.length,
      limits: countedLimitsOf(listed),
      rules: rules.map(({ rule }) => rule),
      guards,
      experiments,
      benefitsJson: pricedJson(value as Parts),
      outline: outlineOf({ listed, rules, venues, namings }),
      named: idsNamedBy(members, [...listed.map(({ benefit }) => benefit), ...rules.map(({ rule }) => rule)]),
    },
    warnings: [
      ...warningsFromProgramme(enabled, namings, { venues, members, tiers }),
      ...rulesNeverCounted(rules),
      ...tiersNeverHad(tiers, rules),
      ...returnsAsPaid(policy, enabled),
    ],
  }
}

function checkedContent(root: Place): Content {
  const content = contentOf(root)
  checkMoneyLimits(root.at('benefits'), content.listed, content.venues)
  checkBenefitsKnown(root.at('experiments'), new Set(content.listed.map(({ benefit }) => benefit.benefitId)))
  return content
}

interface ForSome {
  readonly audience: Benefit['audience']
  readonly multipliers?: EarningRule['multipliers']
}

/** Includes benefits that are not enabled: the document names their ids. */
function idsNamedBy(members: readonly ProgrammeMember[], listed: readonly ForSome[]): NamedIds {
  const audiences = listed
    .flatMap(({ audience, multipliers = [] }) => [audience, ...multipliers.map((each) => each.audience)])
    .flatMap((audience) => audience?.memberIds ?? [])
  return {
    memberIds: [...new Set([...members.map(({ memberId }) => memberId), ...audiences])],
    loyaltyIds: members.flatMap(({ loyaltyIds }) => loyaltyIds),
  }
}

interface Parts {
  readonly benefits?: readonly Readonly<Record<string, unknown>>[] | null
  readonly collections?: readonly unknown[] | null
  readonly currencies?: readonly unknown[] | null
  readonly earning?: readonly unknown[] | null
  readonly tiers?: readonly unknown[] | null
  readonly returns?: unknown
  readonly experiments?: readonly unknown[] | null
  readonly holdout?: unknown
}

function pricedJson(parts: Parts): string {
  const { benefits, collections, currencies, earning, tiers, returns, experiments, holdout } = parts
  const priced = (benefits ?? [])
    .filter(({ enabled }) => enabled !== false)
    .map(({ enabled, description, metadata, ...rest }) => rest)
  const isSome = (list: readonly unknown[] | null | undefined) => Array.isArray(list) && list.length > 0
  const isSaid = (value: unknown) => value !== undefined && value !== null
  if (![currencies, collections, experiments].some(isSome) && ![returns, holdout].some(isSaid))
    return JSON.stringify(priced)
  return JSON.stringify({
    benefits: priced,
    currencies,
    ...(isSome(collections) && { collections }),
    ...(isSome(earning) && { earning }),
    ...(isSome(tiers) && { tiers }),
    ...(isSaid(returns) && { returns }),
    ...(isSome(experiments) && { experiments }),
    ...(isSaid(holdout) && { holdout }),
  })
}

interface CountedLimit extends Pick<Limit, 'limitId' | 'counts'> {
  readonly path: string
  readonly venueIds: readonly string[] | null
}

function countedLimitsOf(listed: readonly ListedBenefit[]): CountedLimit[] {
  return listed.flatMap(({ benefit: { limits, venueIds }, path }) =>
    limits.map(({ limitId, counts }, place) => ({
      limitId,
      counts,
      path: `${path}.limits[${place}].counts`,
      venueIds,
    })),
  )
}

/**
 * Faults where a limit counts money and the benefit is open at venues of several currencies (4-member-value 2).
 *
 * @param list    the benefits of the document
 * @param listed  the same, as read
 */
function checkMoneyLimits(
  list: Place,
  listed: readonly ListedBenefit[],
  venues: readonly Pick<ProgrammeVenue, 'venueId' | 'currency'>[],
): void {
  for (const [at, { benefit }] of listed.entries()) {
    const places = moneyPlaces(benefit)
    if (places.length === 0) continue
    const { venueIds } = benefit
    const open = venues.filter(({ venueId }) => venueIds?.includes(venueId) ?? true)
    const currencies = [...new Set(open.map(({ currency }) => currency))].sort()
    if (currencies.length < 2) continue
    for (const place of places) list.at(at).at('limits').at(place).at('counts').fault(moneyFault(currencies))
  }
}

function moneyPlaces({ limits }: ListedBenefit['benefit']): number[] {
  return limits.flatMap(({ counts }, place) => (counts === 'amount' ? [place] : []))
}

function moneyFault(currencies: readonly string[]): string {
  return `no amount, since the benefit is open at venues of several currencies (${currencies.join(', ')})`
}

/** Up to this many characters without an exponent, a number is exact in a double. */
const exactCharactersMax = 15
const noNames = createJsonNames([])

/** As strict as a basket (wire decisions 3, check 9); undefined after a fault. Numbers that a double would round become `InexactNumber`. */
function readDocument(text: string, faults: Faults): unknown {
  const bytes = Buffer.from(text)
  const read = readJson(bytes, noNames)
  if (read.kind === 'read') return valueAt(read.json, 0)
  const { field, expected, received } = read.fault
  const path = field === 'body' ? 'document' : field
  faults.add({ path, expected: expected + (read.brokenAt === null ? '' : placeOf(bytes, read.brokenAt)), received })
  return undefined
}

function placeOf(bytes: Buffer, at: number): string {
  const before = bytes
    .subarray(0, at)
    .toString('utf8')
    .split(/\r\n|\n|\r/)
  return ` (line ${before.length}, column ${Array.from(before.at(-1)!).length + 1})`
}

function valueAt(json: JsonText, at: number): unknown {
  switch (json.kind(at)) {
    case 'object':
      return objectAt(json, at)
    case 'array':
      return json.children(at).map((child) => valueAt(json, child))
    case 'string':
      return json.string(at)
    case 'number':
      return numberFromText(json.raw(at))
    case 'boolean':
      return json.firstByte(at) === 't'.charCodeAt(0)
    case 'null':
      return null
  }
}

/** No prototype, so that `__proto__` is an ordinary member. */
function objectAt(json: JsonText, at: number): unknown {
  const members: Record<string, unknown> = Object.create(null)
  for (const child of json.children(at)) members[json.nameText(child)] = valueAt(json, child)
  return members
}

function numberFromText(text: string): number | InexactNumber {
  const value = Number(text)
  if (text.length <= exactCharactersMax && !/[eE]/.test(text)) return value
  return Number.isFinite(value) && sameDecimal(text, String(value)) ? value : new InexactNumber(text)
}
