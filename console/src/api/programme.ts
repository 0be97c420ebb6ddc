import { createQueryOptions, useTransport } from '@connectrpc/connect-query'
import { useQuery } from '@tanstack/react-query'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'

/** What the console shows of a limit of a programme. */
export interface LimitPart {
  readonly limitId: string
  readonly scope: string
  readonly period: string
  readonly counts: string
  readonly maximum: number
}

/** What the console shows of a benefit of a programme; fields as docs/programme.md has them. */
export interface BenefitPart {
  readonly benefitId: string
  readonly text: string
  readonly campaign?: string | null
  readonly enabled?: boolean | null
  readonly validFrom?: string | null
  readonly validUntil?: string | null
  readonly schedule?:
    | readonly { readonly days: readonly string[]; readonly from: string; readonly until: string }[]
    | null
  readonly venueIds?: readonly string[] | null
  readonly channels?: readonly string[] | null
  readonly audience?: { readonly [field: string]: unknown } | null
  readonly limits?: readonly LimitPart[] | null
}

/** What the console shows of a currency of a programme. */
export interface CurrencyPart {
  readonly currencyId: string
  readonly name?: string
  readonly scale?: number | null
}

/** Names of what a version of the programme holds. */
export interface ProgrammeNames {
  readonly benefits: ReadonlyMap<string, BenefitPart>
  readonly currencies: ReadonlyMap<string, CurrencyPart>
  readonly tiers: readonly string[]
}

const none: ProgrammeNames = { benefits: new Map(), currencies: new Map(), tiers: [] }
/** Of a larger document ids are shown instead of names: it would take seconds to load. */
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
    select: ({ document }) => namesOf(document),
  })
  return data ?? none
}

/** Names in the text of a programme. */
export function namesOf(document: string): ProgrammeNames {
  const {
    benefits = [],
    currencies = [],
    tiers = [],
  } = JSON.parse(document || '{}') as {
    readonly benefits?: readonly BenefitPart[]
    readonly currencies?: readonly CurrencyPart[]
    readonly tiers?: readonly { readonly tier: string }[]
  }
  return {
    benefits: new Map(benefits.map((benefit) => [benefit.benefitId, benefit])),
    currencies: new Map(currencies.map((currency) => [currency.currencyId, currency])),
    tiers: tiers.map(({ tier }) => tier),
  }
}
