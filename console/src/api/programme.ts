import type { Client } from '@connectrpc/connect'
import { createQueryOptions, useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import type { GetMemberResponse, MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { isNotFound } from './transport.js'

export interface LimitPart {
  readonly limitId: string
  readonly scope: string
  readonly period: string
  readonly counts: string
  readonly maximum: number
}

/** A choice of lines; absent fields: all. */
export interface SelectorPart {
  readonly productIds?: readonly string[] | null
  readonly productGroupIds?: readonly string[] | null
  readonly productMasterIds?: readonly string[] | null
  readonly eans?: readonly string[] | null
  readonly not?: SelectorPart | null
}

export interface AudiencePart {
  readonly tiers?: readonly string[] | null
  readonly segments?: readonly string[] | null
  readonly memberIds?: readonly string[] | null
  readonly visits?: BetweenPart | null
  readonly birthday?: DaysAroundPart | null
  readonly anniversary?: DaysAroundPart | null
  readonly joinedWithinDays?: number | null
  readonly lastVisit?: { readonly atLeastDays?: number | null; readonly atMostDays?: number | null } | null
  readonly balances?: readonly ({ readonly currencyId: string } & BetweenPart)[] | null
}

interface BetweenPart {
  readonly from?: number | null
  readonly to?: number | null
}

interface DaysAroundPart {
  readonly daysBefore: number
  readonly daysAfter: number
}

/** Days, `mon` to `sun`, and hours, `HH:MM`. */
export interface WindowPart {
  readonly days: readonly string[]
  readonly from: string
  readonly until: string
}

export interface RewardPart {
  readonly select?: SelectorPart | null
  readonly buy?: { readonly select?: SelectorPart | null } | null
  readonly get?: { readonly select?: SelectorPart | null } | null
  readonly components?: readonly { readonly select?: SelectorPart | null }[] | null
}

export interface BenefitPart {
  readonly benefitId: string
  readonly text: string
  readonly campaign?: string | null
  readonly enabled?: boolean | null
  readonly validFrom?: string | null
  readonly validUntil?: string | null
  readonly schedule?: readonly WindowPart[] | null
  readonly venueIds?: readonly string[] | null
  readonly channels?: readonly string[] | null
  readonly audience?: AudiencePart | null
  readonly limits?: readonly LimitPart[] | null
  readonly reward?: RewardPart | null
  readonly conditions?: { readonly requires?: readonly { readonly select?: SelectorPart | null }[] | null } | null
  readonly costs?: { readonly currencyId: string; readonly amount: number } | null
}

export interface ExchangePart {
  readonly exchangeId: string
  readonly from: { readonly currencyId: string; readonly amount: number }
  readonly to: { readonly currencyId: string; readonly amount: number }
  readonly validDays?: number | null
}

export interface ExpiryPart {
  readonly afterMonths?: number | null
  readonly afterDays?: number | null
  readonly atEndOf?: string | null
}

export interface CurrencyPart {
  readonly currencyId: string
  readonly name?: string
  readonly scale?: number | null
  readonly expires?: ExpiryPart | null
}

export interface ProgrammeNames {
  readonly benefits: ReadonlyMap<string, BenefitPart>
  readonly currencies: ReadonlyMap<string, CurrencyPart>
  readonly exchanges: readonly ExchangePart[]
  readonly tiers: readonly string[]
  /** The zone of its first venue: value that no sale gives expires by it. */
  readonly timeZone: string
}

const none: ProgrammeNames = {
  benefits: new Map(),
  currencies: new Map(),
  exchanges: [],
  tiers: [],
  timeZone: 'UTC',
}
const documentBytesMax = 4_000_000n

/**
 * The names in a version of the programme; none while they load, or where there is no such document.
 *
 * @param version  0: the one in force; undefined: none
 */
export function useProgrammeNames(version: number | undefined): ProgrammeNames {
  const transport = useTransport()
  const facts = createQueryOptions(
    ProgrammeService.method.getProgramme,
    { version: version ?? 0, withoutDocument: true },
    { transport },
  )
  const { data: found } = useQuery({ ...facts, enabled: version !== undefined })
  const programme = found?.programme
  const whole = createQueryOptions(
    ProgrammeService.method.getProgramme,
    { version: programme?.version ?? 0 },
    { transport },
  )
  const isSmall = programme !== undefined && programme.documentBytes <= documentBytesMax
  const { data } = useQuery({
    ...whole,
    enabled: isSmall,
    staleTime: Number.POSITIVE_INFINITY,
    select: namesOfAnswer,
  })
  return data ?? none
}

/** One function, so that a text is read once for all its readers. */
function namesOfAnswer({ document }: { readonly document: string }): ProgrammeNames {
  return namesOf(document)
}

export function namesOf(document: string): ProgrammeNames {
  const {
    benefits = [],
    currencies = [],
    exchanges = [],
    tiers = [],
    venues = [],
  } = JSON.parse(document || '{}') as {
    readonly benefits?: readonly BenefitPart[]
    readonly currencies?: readonly CurrencyPart[]
    readonly exchanges?: readonly ExchangePart[]
    readonly tiers?: readonly { readonly tierId: string }[]
    readonly venues?: readonly { readonly timeZone: string }[]
  }
  return {
    benefits: new Map(benefits.map((benefit) => [benefit.benefitId, benefit])),
    currencies: new Map(currencies.map((currency) => [currency.currencyId, currency])),
    exchanges,
    tiers: tiers.map(({ tierId }) => tierId),
    timeZone: venues[0]?.timeZone ?? 'UTC',
  }
}

/** A member in a request. */
export function memberRef(memberId: string) {
  return { by: { case: 'memberId' as const, value: memberId } }
}

/** The member with this id, else the one with this card. */
export async function findMember(members: Client<typeof MemberService>, typed: string): Promise<GetMemberResponse> {
  try {
    return await members.getMember(memberRef(typed))
  } catch (cause) {
    if (!isNotFound(cause)) throw cause
    return await members.getMember({ by: { case: 'loyaltyId', value: typed } })
  }
}
