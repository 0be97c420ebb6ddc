import type { BenefitReport, Dropped, Missing } from '../core/base/outcome.js'
import { jsonFromString, jsonFromStrings } from './text-writer.js'

/**
 * The reports of a calculation as JSON, encoded as `JsonText.text`. Two kinds, which are most of them, are shortened: a
 * benefit that lacks one unit is its benefitId alone (every basket has a hundred that it does not touch), and an applied
 * one that costs nothing, on lines that follow no other, is an array of benefitId, value, and line, units and amount of
 * each line. A dropped one has no lines.
 */
export function textOfReports(reports: readonly BenefitReport[]): string {
  if (reports.length === 0) return '[]'
  let text = ''
  for (const report of reports) text += textOfReport(report)
  return `[${text.slice(1)}]`
}

type WrittenApplied = readonly [benefitId: string, value: number, ...lines: number[]]

export function reportsFromText(text: string): readonly BenefitReport[] {
  return (JSON.parse(text) as readonly (BenefitReport | WrittenApplied | string)[]).map((written) => {
    if (typeof written === 'string') return oneUnitShort(written)
    return 'benefitId' in written ? written : appliedReport(written)
  })
}

function oneUnitShort(benefitId: string): BenefitReport {
  const dropped: Dropped = { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] }
  return { benefitId, dropped, value: 0, lines: [] }
}

function appliedReport([benefitId, value, ...numbers]: WrittenApplied): BenefitReport {
  const lines: { line: number; units: number; amount: number }[] = []
  for (let at = 0; at < numbers.length; at += 3) {
    lines.push({ line: numbers[at]!, units: numbers[at + 1]!, amount: numbers[at + 2]! })
  }
  return { benefitId, dropped: null, value, lines }
}

// With the comma before it: half as many strings to join.
function textOfReport({ benefitId, dropped, value, lines, spent }: BenefitReport): string {
  const id = jsonFromString(benefitId)
  if (spent !== undefined || lines.some(({ follows }) => follows !== undefined)) {
    const cost = spent === undefined ? '' : `,"spent":${textOfSpent(spent)}`
    return `,{"benefitId":${id},"dropped":null,"value":${value},"lines":${JSON.stringify(lines)}${cost}}`
  }
  if (dropped === null) return `,[${id},${value}${textOfNumbers(lines)}]`
  if (dropped.stage === 'conditions_not_met' && isOneUnit(dropped.missing)) return `,${id}`
  return `,{"benefitId":${id},"dropped":${textOfDropped(dropped)},"value":${value},"lines":[]}`
}

function textOfSpent({ currencyId, amount }: NonNullable<BenefitReport['spent']>): string {
  return `{"currencyId":${jsonFromString(currencyId)},"amount":${amount}}`
}

function textOfNumbers(lines: BenefitReport['lines']): string {
  let text = ''
  for (const { line, units, amount } of lines) text += `,${line},${units},${amount}`
  return text
}

function isOneUnit(missing: readonly Missing[]): boolean {
  const [first] = missing
  return missing.length === 1 && first!.kind === 'units' && first!.units === 1
}

function textOfDropped(dropped: Dropped): string {
  switch (dropped.stage) {
    case 'conditions_not_met':
      return `{"stage":"conditions_not_met","missing":[${dropped.missing.map(textOfMissing).join(',')}]}`
    case 'not_discountable':
    case 'existing_discount_kept':
      return `{"stage":"${dropped.stage}","lines":[${dropped.lines.join(',')}]}`
    case 'limit_exhausted': {
      const { limitId, period, counts, left, wanted, backAt } = dropped
      const limit = `"limitId":${jsonFromString(limitId)},"period":${jsonFromString(period)},"counts":"${counts}"`
      return `{"stage":"limit_exhausted",${limit},"left":${left},"wanted":${wanted},"backAt":${backAt}}`
    }
    case 'value_held': {
      const { currencyId, left, wanted } = dropped
      return `{"stage":"value_held","currencyId":${jsonFromString(currencyId)},"left":${left},"wanted":${wanted}}`
    }
    case 'beaten': {
      const { by, gap, gives, instead } = dropped
      const figures = gives === undefined ? '' : `,"gives":${gives},"instead":${instead}`
      return `{"stage":"beaten","by":${jsonFromStrings(by)},"gap":${gap}${figures}}`
    }
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
    case 'value':
      return `{"kind":"value","currencyId":${jsonFromString(missing.currencyId)},"amount":${missing.amount}}`
  }
}
