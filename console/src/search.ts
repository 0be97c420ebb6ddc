/** The search parts of the addresses. Every field may be absent. */

/** Filters of calculations, and the open part of one. */
export interface CalculationSearch {
  readonly venueId?: string
  readonly registerId?: string
  readonly memberId?: string
  readonly loyaltyId?: string
  /** Words of the contract, such as `applied`. */
  readonly status?: string
  readonly state?: string
  readonly benefitId?: string
  readonly receipt?: string
  readonly transaction?: string
  /** Answered at or after, and before: RFC 3339. */
  readonly from?: string
  readonly until?: string
  readonly tool?: 'replay' | 'as-if'
}

/** Filters of limit counters, and the open one. */
export interface LimitSearch {
  /** Absent: shared counters of this period; `all`: also those of other periods and programmes. */
  readonly show?: 'member' | 'all'
  readonly limitId?: string
  /** A member or venue. */
  readonly who?: string
  /** The open counter's; absent: everyone. */
  readonly subject?: string
  /** The open counter's; absent: `ever`. */
  readonly period?: string
}

export interface MembersSearch {
  /** Prefix of an id. */
  readonly q?: string
  /** Calculation of a sale to be claimed. */
  readonly claim?: string
}

export const actionNames = [
  'claim',
  'adjust',
  'grant',
  'exchange',
  'replace',
  'endCard',
  'edit',
  'tier',
  'block',
  'merge',
  'note',
  'forget',
] as const
export type ActionName = (typeof actionNames)[number]

export interface MemberSearch {
  /** The change whose dialog is open. */
  readonly do?: ActionName
  /** Calculation of the sale to claim. */
  readonly sale?: string
  readonly venueId?: string
  /** A kind of its timeline, such as `visit`. */
  readonly kind?: string
}

export interface SaleSearch {
  readonly venueId?: string
  readonly registerId?: string
  readonly status?: string
  /** `any`, or one discrepancy such as `late_event`. */
  readonly discrepancy?: string
  /** Digits. */
  readonly receipt?: string
  /** Recorded on this day, `YYYY-MM-DD`. */
  readonly day?: string
  /** With `discrepancy`: settled ones too. */
  readonly settled?: string
}

/** Filters of live requests, by the words of the service. */
export interface RequestSearch {
  readonly venueId?: string
  readonly outcome?: string
  readonly code?: string
}

/** Days, both inclusive, `YYYY-MM-DD`; by default the last ones. */
export interface ReportSearch {
  readonly from?: string
  readonly until?: string
  readonly venueId?: string
  /** The first of as many days to compare with; absent: the days before. */
  readonly against?: string
}

export interface BenefitSearch extends ReportSearch {
  /** The open dialog. */
  readonly do?: 'pause' | 'end'
}

export interface AuditSearch {
  /** Such as `member`; counts together with `subject`. */
  readonly kind?: string
  readonly subject?: string
  /** Prefix of the actor's name. */
  readonly actor?: string
  /** Such as `MemberService/BlockMember`. */
  readonly call?: string
  /** First and last day, `YYYY-MM-DD`. */
  readonly from?: string
  readonly until?: string
}

/** The form's list of the document, by default benefits, and the place in it, from 0. */
export interface FormSearch {
  readonly part?: string
  readonly entry?: number
}

type Address = Readonly<Record<string, unknown>>

const text = /./
const digits = /^\d{1,15}$/
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/** Reads an address; values of a wrong form are left out. */
function reader<Search>(forms: Readonly<Record<keyof Search & string, RegExp>>): (address: Address) => Search {
  return (address) => {
    const given = Object.entries<RegExp>(forms).map(([name, form]) => ({
      name,
      form,
      value: String(address[name] ?? ''),
    }))
    return Object.fromEntries(
      given.filter(({ form, value }) => form.test(value)).map(({ name, value }) => [name, value]),
    ) as Search
  }
}

export const readCalculationSearch = reader<CalculationSearch>({
  ...{ venueId: text, registerId: text, memberId: text, loyaltyId: text, benefitId: text, transaction: text },
  ...{ status: text, state: text, receipt: digits, from: moment, until: moment, tool: /^(replay|as-if)$/ },
})

export const readLimitSearch = reader<LimitSearch>({
  ...{ show: /^(member|all)$/, limitId: text, who: text, subject: text, period: text },
})

export const readMembersSearch = reader<MembersSearch>({ q: text, claim: text })

export const readMemberSearch = reader<MemberSearch>({
  ...{ do: new RegExp(`^(${actionNames.join('|')})$`), sale: text, venueId: text, kind: text },
})

export const readSaleSearch = reader<SaleSearch>({
  ...{ venueId: text, registerId: text, status: text, discrepancy: text, receipt: digits, day, settled: /^too$/ },
})

export const readRequestSearch = reader<RequestSearch>({ venueId: text, outcome: text, code: text })

const report = { from: day, until: day, venueId: text, against: day }
export const readReportSearch = reader<ReportSearch>(report)
export const readBenefitSearch = reader<BenefitSearch>({ ...report, do: /^(pause|end)$/ })
export const readBenefitsSearch = reader<{ readonly do?: 'new' }>({ do: /^new$/ })

export const readAuditSearch = reader<AuditSearch>({
  ...{ kind: text, subject: text, actor: text, call: text, from: day, until: day },
})

export const readWebhookSearch = reader<{ readonly state?: string }>({ state: text })

export const readDraftSearch = reader<{ readonly draftId?: string }>({ draftId: /^[0-9a-f-]{36}$/ })

/** The version that an open one is compared with; absent: the one before. */
export function readVersionSearch({ base }: Address): { readonly base?: number } {
  return Number.isInteger(base) && Number(base) > 0 ? { base: Number(base) } : {}
}

export function readFormSearch({ part, entry }: Address): FormSearch {
  return {
    ...(typeof part === 'string' ? { part } : {}),
    ...(Number.isInteger(entry) && Number(entry) >= 0 ? { entry: Number(entry) } : {}),
  }
}
