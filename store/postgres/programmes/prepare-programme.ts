import { createHash } from 'node:crypto'
import type { PreparedProgramme, PublishedProgramme } from '../../ledger/programmes.js'
import type { StoredCurrency } from '../../ledger/value.js'
import { rowFromMember } from '../members/member-row.js'
import { rowFromVenue } from '../venues/venue-row.js'
import { canonicalJson } from './canonical-json.js'

/** Makes a programme ready for its publication. */
export function prepareProgramme(programme: PublishedProgramme): PreparedProgramme {
  const { document, benefits, venues, members, currencies = [] } = programme
  return {
    digest: contentDigest(programme),
    document,
    benefits,
    venues: JSON.stringify(venues.map(rowFromVenue)),
    members: JSON.stringify(members.map(rowFromMember)),
    currencies: JSON.stringify(currencies.map(rowFromCurrency)),
  }
}

function rowFromCurrency({ currencyId, name, scale }: StoredCurrency) {
  return { currency_id: currencyId, name, scale }
}

/** The same for every way to write the same document: white space, order of names, escapes. */
function contentDigest({ document }: PublishedProgramme): Uint8Array {
  return createHash('sha256')
    .update(canonicalJson(JSON.parse(document)))
    .digest()
}
