import type { AudienceSets } from './audience.js'
import type { CompiledBenefit } from './compile.js'
import { isOpenBy, type Occasion, type OpeningTerms } from './open.js'

/** A term by which a benefit is open or not (3-benefits 1; 4-member-value 2). One that is not enabled is not compiled. */
export type OpeningTerm =
  | 'valid_from'
  | 'valid_until'
  | 'venue_ids'
  | 'channels'
  | 'schedule'
  | 'member_ids'
  | 'tiers'
  | 'segments'
  | 'visits'
  | 'birthday'
  | 'joined_within_days'

type Terms = OpeningTerms & AudienceSets & Pick<CompiledBenefit, 'venueIds'>

const always: Terms = {
  validFrom: null,
  validUntil: null,
  channels: null,
  schedule: null,
  venueIds: null,
  memberIds: null,
  tiers: null,
  segments: null,
  others: null,
}

/** The terms that keep a benefit closed, each judged without the others as `isOpenBy` judges it; none: it is open. */
export function closedBy(compiled: CompiledBenefit, occasion: Occasion): readonly OpeningTerm[] {
  return Object.entries(termsOf(compiled)).flatMap(([term, alone]) => {
    const terms = { ...always, ...alone }
    return isOpenBy(terms, terms, occasion) ? [] : [term as OpeningTerm]
  })
}

function termsOf(compiled: CompiledBenefit): Readonly<Record<OpeningTerm, Partial<Terms>>> {
  const { venueIds, memberIds, tiers, segments, others } = compiled
  const { validFrom, validUntil, channels, schedule } = compiled.benefit
  const { visits, birthday, joinedWithinDays } = others ?? {}
  return {
    valid_from: { validFrom },
    valid_until: { validUntil },
    venue_ids: { venueIds },
    channels: { channels },
    schedule: { schedule },
    member_ids: { memberIds },
    tiers: { tiers },
    segments: { segments },
    visits: visits === undefined ? {} : { others: { visits } },
    birthday: birthday === undefined ? {} : { others: { birthday } },
    joined_within_days: joinedWithinDays === undefined ? {} : { others: { joinedWithinDays } },
  }
}
