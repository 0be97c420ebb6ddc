import type { CounterSums, Difference, Reconciliation } from '../../store/postgres/counters/reconcile.js'
import type { SumAstray } from '../../store/postgres/reports/reconcile-sums.js'

/** Writes a reconciliation as it comes: first every difference, then all the rest. */
export interface Report {
  difference(difference: Difference): void
  end(period: { readonly since: string; readonly until: string | null }, found: Reconciliation): void
}

/** One JSON document: `differences`, then the members of `Reconciliation`, with the period; the number of differences is `differenceCount`. */
export function jsonReport(write: (text: string) => void): Report {
  let first = true
  write('{"differences":[')
  return {
    difference(difference) {
      write(`${first ? '' : ','}${JSON.stringify(difference)}`)
      first = false
    },
    end(period, { differences, ...rest }) {
      write(`],${JSON.stringify({ differenceCount: differences, ...period, ...rest }).slice(1)}\n`)
    },
  }
}

export function textReport(line: (text: string) => void): Report {
  return {
    difference({ limitId, subject, period, maximum, says, due }) {
      line(
        `DIFFERS ${[limitId, subject, period].join('|')}: says ${sums(says)}, due ${sums(due)}, maximum ${maximum ?? 'unknown'}`,
      )
    },
    end({ since, until }, found) {
      line(`ledger as of ${found.takenAt}, from ${since} to ${until ?? 'now'}`)
      for (const { state, count, withoutSale } of found.calculations) {
        line(`  calculations ${state.padEnd(18)} ${count}, of these without a sale ${withoutSale}`)
      }
      for (const { status, result, count } of found.sales) line(`  sales ${`${status}, ${result}`.padEnd(38)} ${count}`)
      line(`  sales without a calculation    ${found.salesWithoutCalculation}`)
      for (const { kind, count, largest } of found.discrepancies) {
        const amount = largest.amount === null ? 'no amount' : `${largest.amount} ${largest.currency}`
        line(`  discrepancy ${kind.padEnd(22)} ${count}, largest ${amount} (${largest.calculationId})`)
      }
      line(`${found.counters} counters recounted, ${found.differences} differ`)
      line(
        `${found.reservations} reservations looked at, ${found.reservationsAstray} in a state that their records do not give them`,
      )
      for (const { accountId, currencyId, says, due } of found.value.firstAstray) {
        line(`DIFFERS account ${accountId} of ${currencyId}: says ${says}, due ${due}`)
      }
      for (const { accountId, ruleId, says, due } of found.earning.firstAstray) {
        line(
          `DIFFERS ${ruleId === '' ? 'what was earned' : `rule ${ruleId}`} of account ${accountId}: says ${says}, due ${due}`,
        )
      }
      for (const { accountId, currencyId, calculationId, what } of found.spending.firstAstray) {
        const whose = calculationId === null ? '' : ` by calculation ${calculationId}`
        line(`DIFFERS what is spent of account ${accountId} of ${currencyId}${whose}: ${what}`)
      }
      for (const { calculationId, what, says, due } of found.returns.firstAstray) {
        line(`DIFFERS ${what} of the returns of ${calculationId}: says ${says}, due ${due}`)
      }
      for (const each of found.sums.firstAstray) line(sumLine(each))
      const { accounts, accountsAstray, transfersAstray } = found.value
      line(`${accounts} accounts recounted, ${accountsAstray} differ; ${transfersAstray} transfers do not sum to zero`)
      line(`${found.earning.totals} totals of earning rules recounted, ${found.earning.earningAstray} differ`)
      const { holds, holdsAstray, accountsAstray: spentAstray } = found.spending
      line(`${holds} holds of value recounted, ${holdsAstray} differ; ${spentAstray} accounts differ from their holds`)
      line(`${found.returns.returns} returns recounted, ${found.returns.returnsAstray} differ`)
      const { sums, sumsAstray, wholeFrom } = found.sums
      const from =
        wholeFrom === null ? '' : `; days before ${wholeFrom} only with each other, for their sales are deleted`
      line(`${sums} sums of reports recounted, ${sumsAstray} figures differ${from}`)
    },
  }
}

function sumLine({ span, day, venueId, benefitId, currency, figure, says, due }: SumAstray): string {
  const when = { day, month: `the month of ${day}`, all_venues: `${day} at all venues` }[span]
  const where = span === 'all_venues' ? '' : ` at ${venueId || 'no venue'}`
  const what = benefitId === '' ? 'all sales' : benefitId
  return `DIFFERS report of ${when}${where}, ${what}, ${figure} in ${currency}: says ${says}, due ${due}`
}

function sums({ open, used, late }: CounterSums): string {
  return `open ${open} used ${used} late ${late}`
}
