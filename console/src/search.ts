/** The search parts of the addresses. Every field may be absent. */

type Address = Readonly<Record<string, unknown>>

/** The form of a value: a pattern, or its words. */
type Forms = Readonly<Record<string, RegExp | readonly string[]>>

type Read<Own extends Forms> = {
  readonly [Name in keyof Own]?: Own[Name] extends readonly (infer Word)[] ? Word : string
}

const text = /./
const digits = /^\d{1,15}$/
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/

/** Reads an address; values of a wrong form are left out. */
function reader<const Own extends Forms>(forms: Own): (address: Address) => Read<Own> {
  return (address) => {
    const fits = ([name, form]: readonly [string, Forms[string]]) => {
      const value = String(address[name] ?? '')
      return form instanceof RegExp ? form.test(value) : form.includes(value)
    }
    const given = Object.entries(forms).filter(fits)
    return Object.fromEntries(given.map(([name]) => [name, String(address[name])])) as Read<Own>
  }
}

/** Filters of calculations, and the open part of one. */
export const readCalculationSearch = reader({
  ...{ venueId: text, registerId: text, memberId: text, loyaltyId: text, benefitId: text, transaction: text },
  /** Words of the contract, such as `applied`. */
  ...{ status: text, state: text },
  receipt: digits,
  /** Answered at or after, and before. */
  ...{ from: moment, until: moment },
  tool: ['replay', 'as-if'],
})
export type CalculationSearch = ReturnType<typeof readCalculationSearch>

/** Filters of limit counters, and the open one. */
export const readLimitSearch = reader({
  /** Absent: shared counters of this period; `all`: also those of other periods and programmes. */
  show: ['member', 'all'],
  limitId: text,
  /** A member or venue. */
  who: text,
  /** The open counter's; absent: everyone, and `ever`. */
  ...{ subject: text, period: text },
})
export type LimitSearch = ReturnType<typeof readLimitSearch>

/** The prefix of an id, and the calculation of a sale to be claimed. */
export const readMembersSearch = reader({ q: text, claim: text })

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

export const readMemberSearch = reader({
  /** The change whose dialog is open. */
  do: actionNames,
  /** Calculation of the sale to claim. */
  sale: text,
  venueId: text,
  /** A kind of its timeline, such as `visit`. */
  kind: text,
})
export type MemberSearch = ReturnType<typeof readMemberSearch>

export const readSaleSearch = reader({
  ...{ venueId: text, registerId: text, status: text },
  /** `any`, or one discrepancy such as `late_event`. */
  discrepancy: text,
  receipt: digits,
  /** Recorded on this day. */
  day,
  /** With `discrepancy`: settled ones too. */
  settled: /^too$/,
})
export type SaleSearch = ReturnType<typeof readSaleSearch>

/** Filters of live requests, by the words of the service. */
export const readRequestSearch = reader({ venueId: text, outcome: text, code: text })
export type RequestSearch = ReturnType<typeof readRequestSearch>

const report = {
  /** Days, both inclusive; by default the last ones. */
  ...{ from: day, until: day },
  venueId: text,
  /** The first of as many days to compare with; absent: the days before. */
  against: day,
}
export const readReportSearch = reader(report)
export type ReportSearch = ReturnType<typeof readReportSearch>

/** With the open dialog. */
export const readBenefitSearch = reader({ ...report, do: ['pause', 'end'] })
export const readBenefitsSearch = reader({ do: ['new'] })

export const readAuditSearch = reader({
  /** Such as `member`; counts together with `subject`. */
  ...{ kind: text, subject: text },
  /** Prefix of the actor's name. */
  actor: text,
  /** Such as `MemberService/BlockMember`. */
  call: text,
  /** First and last day. */
  ...{ from: day, until: day },
})
export type AuditSearch = ReturnType<typeof readAuditSearch>

export const readWebhookSearch = reader({ state: text })

export const readDraftSearch = reader({ draftId: /^[0-9a-f-]{36}$/ })

/** The version that an open one is compared with; absent: the one before. */
export function readVersionSearch({ base }: Address): { readonly base?: number } {
  return Number.isInteger(base) && Number(base) > 0 ? { base: Number(base) } : {}
}

/** The form's list of the document, by default benefits, and the place in it, from 0. */
export function readFormSearch({ part, entry }: Address): { readonly part?: string; readonly entry?: number } {
  return {
    ...(typeof part === 'string' ? { part } : {}),
    ...(Number.isInteger(entry) && Number(entry) >= 0 ? { entry: Number(entry) } : {}),
  }
}
