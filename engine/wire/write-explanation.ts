import type { BenefitReport, Dropped, Missing } from '../core/base/outcome.js'
import { jsonFromString } from './write-json-string.js'

/**
 * The reports of a calculation as JSON, encoded as `JsonText.text`. JSON.stringify gives the same in three times the
 * time.
 */
export function textOfReports(reports: readonly BenefitReport[]): string {
  if (reports.length === 0) return '[]'
  let text = `[${textOfReport(reports[0]!).slice(1)}`
  for (let index = 1; index < reports.length; index++) text += textOfReport(reports[index]!)
  return `${text}]`
}

/** Report texts in the cache at most. */
const textsMax = 512

/** Texts of reports that miss one unit, by benefitId. Every basket reports the same hundred benefits as not met. */
const texts = new Map<string, string>()

// Includes the leading comma: half as many strings to join.
function textOfReport(report: BenefitReport): string {
  const { benefitId, dropped, lines } = report
  if (dropped?.stage !== 'conditions_not_met' || lines.length > 0 || !isOneUnit(dropped.missing)) return written(report)
  let text = texts.get(benefitId)
  if (text === undefined) {
    text = written(report)
    if (texts.size === textsMax) texts.clear()
    texts.set(benefitId, text)
  }
  return text
}

function isOneUnit(missing: readonly Missing[]): boolean {
  const [first] = missing
  return missing.length === 1 && first!.kind === 'units' && first!.units === 1
}

function written({ benefitId, dropped, value, lines }: BenefitReport): string {
  const before = `,{"benefitId":${jsonFromString(benefitId)},"dropped":`
  const after = `,"value":${value},"lines":${lines.length === 0 ? '[]' : textOfLines(lines)}}`
  return before + (dropped === null ? 'null' : textOfDropped(dropped)) + after
}

function textOfLines(lines: BenefitReport['lines']): string {
  return `[${lines.map(({ line, units, amount }) => `{"line":${line},"units":${units},"amount":${amount}}`).join(',')}]`
}

function textOfDropped(dropped: Dropped): string {
  switch (dropped.stage) {
    case 'conditions_not_met':
      return `{"stage":"conditions_not_met","missing":[${dropped.missing.map(textOfMissing).join(',')}]}`
    case 'not_discountable':
    case 'existing_discount_kept':
      return `{"stage":"${dropped.stage}","lines":[${dropped.lines.join(',')}]}`
    case 'limit_exhausted': {
      const { limitId, period, left, wanted, backAt } = dropped
      const limit = `"limitId":${jsonFromString(limitId)},"period":${jsonFromString(period)}`
      return `{"stage":"limit_exhausted",${limit},"left":${left},"wanted":${wanted},"backAt":${backAt}}`
    }
    case 'beaten':
      return `{"stage":"beaten","by":[${dropped.by.map(jsonFromString).join(',')}],"gap":${dropped.gap}}`
  }
}

function textOfMissing(missing: Missing): string {
  switch (missing.kind) {
    case 'spend':
      return `{"kind":"spend","amount":${missing.amount}}`
    case 'units':
      return `{"kind":"units","units":${missing.units}}`
    case 'product':
      return `{"kind":"product","productId":${jsonFromString(missing.productId)}}`
  }
}
