import type { Counted, Earning, EarningRule } from '../core/base/earning.js'

/**
 * What the rules count of a basket as JSON, as the ledger settles it with the sale: `at`, `day`, `timeZone` and `rules`,
 * each with what it needs of its rule, `factor`, `sent` and `returned` (`Counted`). null: nothing is earned.
 */
export function textOfEarning(earning: Earning | null): string | null {
  if (earning === null) return null
  const { at, day, timeZone, counted } = earning
  // Neither dates nor IANA names need an escape.
  let text = `{"at":${at},"day":"${day}","timeZone":"${timeZone}","rules":[${textOfCounted(counted[0]!)}`
  for (let index = 1; index < counted.length; index++) text += `,${textOfCounted(counted[index]!)}`
  return `${text}]}`
}

function textOfCounted({ rule, factor, sent, returned }: Counted): string {
  return `${startOf(rule)},"factor":${factor},"sent":${sent},"returned":${returned}}`
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
