import { createHash } from 'node:crypto'
import type { VenueTime } from '../../../engine/core/base/basket.js'
import type { Experiment } from '../../../engine/core/base/programme.js'
import type { PreparedProgramme, PublishedLimit, PublishedProgramme } from '../../ledger/programmes.js'
import type { StoredExchange } from '../../ledger/rewards.js'
import type { PublishedCurrency, StoredRule } from '../../ledger/value.js'
import { rowFromMember } from '../members/members.js'
import { rowFromVenue } from '../venues/venues.js'

export function prepareProgramme(programme: PublishedProgramme): PreparedProgramme {
  const { document, benefits, venues, members, currencies = [], exchanges = [], rules = [] } = programme
  const { limits = [], experiments = [] } = programme
  const { timeZone, dayStartsAt }: Partial<VenueTime> = venues[0] ?? {}
  const content: unknown = JSON.parse(document)
  return {
    digest: digestOf(content),
    document,
    benefits,
    venues: JSON.stringify(venues.map(rowFromVenue)),
    members: JSON.stringify(members.map(rowFromMember)),
    currencies: JSON.stringify(
      currencies.map((currency) => rowFromCurrency(currency, { exchanges, rules, time: { timeZone, dayStartsAt } })),
    ),
    limits: JSON.stringify(limits.map(rowFromLimit)),
    experiments: JSON.stringify(experiments.map(rowFromExperiment)),
    digests: JSON.stringify(benefitDigests(content)),
  }
}

/** A prepared programme as arguments of the SQL functions that put it in force. */
export function programmeArgs(programme: PreparedProgramme): readonly string[] {
  const { document, benefits, venues, members, currencies, limits, experiments, digests } = programme
  return [document, benefits, venues, members, currencies, limits, experiments, digests]
}

function benefitDigests(content: unknown): Readonly<Record<string, string>> {
  const { benefits } = content as { readonly benefits?: readonly { readonly benefitId: string }[] | null }
  return Object.fromEntries((benefits ?? []).map((one) => [one.benefitId, digestOf(one).toString('hex')]))
}

function rowFromLimit({ path, limitId, counts, venueIds }: PublishedLimit) {
  return { path, limit_id: limitId, counts, venue_ids: venueIds }
}

/** `body` is the part that may not change while it runs. SQL reads it, but not every name. */
function rowFromExperiment({ experimentId, name, from, until, metric, arms }: Experiment, place: number) {
  const path = from === null ? 'holdout' : `experiments[${place}]`
  const body = JSON.stringify({ from, metric, arms })
  return { path, experiment_id: experimentId, name: JSON.stringify(name), from_ms: from, until_ms: until, body }
}

interface OfCurrencies {
  readonly exchanges: readonly StoredExchange[]
  readonly rules: readonly StoredRule[]
  readonly time: Partial<VenueTime>
}

function rowFromCurrency(
  { currencyId, name, scale, expires }: PublishedCurrency,
  { exchanges, rules, time }: OfCurrencies,
) {
  const ownExchanges = exchanges.filter(({ from }) => from.currencyId === currencyId)
  const ownRules = rules.flatMap((rule, place) =>
    rule.currencyId === currencyId ? [rowFromRule(rule, place, time)] : [],
  )
  const terms = { expires, timeZone: time.timeZone }
  return { currency_id: currencyId, name, scale, exchanges: ownExchanges.map(rowFromExchange), rules: ownRules, terms }
}

function rowFromRule({ ruleId, give, per, ...rule }: StoredRule, place: number, time: Partial<VenueTime>) {
  const { opensAfterDays, expires, maximum } = rule
  const every = per.kind === 'visit' ? null : per.every
  return { place, rule_id: ruleId, give, per: per.kind, every, terms: { opensAfterDays, expires, maximum, ...time } }
}

function rowFromExchange({ exchangeId, from, to, validDays }: StoredExchange) {
  return {
    exchange_id: exchangeId,
    from_amount: from.amount,
    to_currency_id: to.currencyId,
    to_amount: to.amount,
    valid_days: validDays,
  }
}

function digestOf(value: unknown): Buffer {
  return createHash('sha256').update(canonicalJson(value)).digest()
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}
