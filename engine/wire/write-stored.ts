import type { Counted, Earning, EarningRule } from '../core/base/earning.js'
import type { BenefitReport, Entered, Spent } from '../core/base/outcome.js'

export interface Given {
  readonly benefitId: string
  readonly discount: number
  readonly spent: { readonly currencyId: string; readonly amount: number } | null
}

/** `[id, discount]`, or with a cost `[id, discount, currencyId, amount]`, as the ledger searches and sums it. null: none applies. */
export function textOfGiven(reports: readonly BenefitReport[]): string | null {
  let text = ''
  for (const { benefitId, dropped, value, spent } of reports) {
    if (dropped !== null) continue
    const cost = spent === undefined ? '' : `,${JSON.stringify(spent.currencyId)},${spent.amount}`
    text += `${text === '' ? '[' : ','}[${JSON.stringify(benefitId)},${value}${cost}]`
  }
  return text === '' ? null : `${text}]`
}

export function givenFromText(text: string | null): readonly Given[] {
  if (text === null) return []
  const rows = JSON.parse(text) as readonly (readonly [string, number, string?, number?])[]
  return rows
    .map(([benefitId, discount, currencyId, amount]) => ({
      benefitId,
      discount,
      spent: currencyId === undefined ? null : { currencyId, amount: amount! },
    }))
    .sort((left, right) => Buffer.compare(Buffer.from(left.benefitId), Buffer.from(right.benefitId)))
}

export function textOfEntered(entered: readonly Entered[]): string | null {
  if (entered.length === 0) return null
  return JSON.stringify(entered.map(({ experimentId, armId, isWithheld }) => [experimentId, armId, isWithheld ? 1 : 0]))
}

export function textOfSpending(spending: readonly Spent[]): string | null {
  return spending.length === 0 ? null : JSON.stringify(spending)
}

export function spendingFromText(text: string | null): readonly Spent[] {
  return text === null ? [] : (JSON.parse(text) as readonly Spent[])
}

/** The rules' counts (`Counted`), as the ledger settles them with the sale. null: nothing is earned. */
export function textOfEarning(earning: Earning | null): string | null {
  if (earning === null) return null
  const { at, day, timeZone, counted } = earning
  // Neither dates nor IANA names need an escape.
  let text = `{"at":${at},"day":"${day}","timeZone":"${timeZone}","rules":[${textOfCounted(counted[0]!)}`
  for (let index = 1; index < counted.length; index++) text += `,${textOfCounted(counted[index]!)}`
  return `${text}]}`
}

function textOfCounted({ rule, factor, sent, returned, about }: Counted): string {
  const window = about === undefined ? '' : `,"about":"${about}"`
  return `${startOf(rule)},"factor":${factor},"sent":${sent},"returned":${returned}${window}}`
}

/** The part that is the same in every basket, without the closing brace. */
const starts = new WeakMap<EarningRule, string>()

function startOf(rule: EarningRule): string {
  let start = starts.get(rule)
  if (start === undefined) {
    start = JSON.stringify(settledFields(rule)).slice(0, -1)
    starts.set(rule, start)
  }
  return start
}

function settledFields({ ruleId, currencyId, give, per, ...rule }: EarningRule) {
  const { cooldownMinutes, maximum, opensAfterDays, expires } = rule
  return {
    ruleId,
    currencyId,
    give,
    per: per.kind,
    ...(per.kind === 'visit' ? {} : { every: per.every }),
    ...(cooldownMinutes === null ? {} : { cooldownMinutes }),
    ...(maximum === null ? {} : { maximum }),
    ...(opensAfterDays === 0 ? {} : { opensAfterDays }),
    ...(expires === null ? {} : { expires }),
  }
}
