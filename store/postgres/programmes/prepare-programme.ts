import { createHash } from 'node:crypto'
import type { PreparedProgramme, PublishedProgramme } from '../../ledger/programmes.js'
import type { StoredCurrency, StoredRule } from '../../ledger/value.js'
import { rowFromMember } from '../members/member-row.js'
import { rowFromVenue } from '../venues/venue-row.js'
import { canonicalJson } from './canonical-json.js'

/** Makes a programme ready for its publication. */
export function prepareProgramme(programme: PublishedProgramme): PreparedProgramme {
  const { document, benefits, venues, members, currencies = [], rules = [] } = programme
  return {
    digest: contentDigest(programme),
    document,
    benefits,
    venues: JSON.stringify(venues.map(rowFromVenue)),
    members: JSON.stringify(members.map(rowFromMember)),
    currencies: JSON.stringify(currencies.map((currency) => rowFromCurrency(currency, rules))),
  }
}

function rowFromCurrency({ currencyId, name, scale }: StoredCurrency, rules: readonly StoredRule[]) {
  const own = rules.flatMap((rule, place) => (rule.currencyId === currencyId ? [rowFromRule(rule, place)] : []))
  return { currency_id: currencyId, name, scale, rules: own }
}

function rowFromRule({ ruleId, give, per }: StoredRule, place: number) {
  return { place, rule_id: ruleId, give, per: per.kind, every: per.kind === 'visit' ? null : per.every }
}

/** The same for every way to write the same document: white space, order of names, escapes. */
function contentDigest({ document }: PublishedProgramme): Uint8Array {
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(document)))
    .digest()
}
