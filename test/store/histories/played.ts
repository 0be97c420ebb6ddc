import { randomUUID } from 'node:crypto'
import type { Experiment } from '../../../engine/core/base/programme.js'
import { textOfSpending } from '../../../engine/wire/write-stored.js'
import { createArms } from '../../../gateway/cache/arms.js'
import { type Sql, sql } from '../../../store/postgres/connection/sql.js'
import { reconcile } from '../../../store/postgres/counters/reconcile.js'
import { plenty } from '../../support/ledger-builders.js'
import { createLedger, type Ledger } from '../../support/open-ledger.js'
import { astrayOf } from '../ledger-checker.js'
import { anEarning } from '../value-builders.js'
import { type BasketModel, countOf, paidOf } from './basket-model.js'
import { currencies, currencyOf, exchanges, rules } from './rules.js'

/** A ledger under test. */
export interface Played {
  readonly ledger: Ledger
  readonly database: Sql
  /** A calculation's `entered` of a member: every member is in the experiment of all histories. */
  entered(memberId: string): string
}

const writes = { effect: 'writes', withinMs: plenty } as const
const experiment: Experiment = {
  ...{ experimentId: 'histories', name: 'Histories', metric: 'net', from: 0, until: null },
  arms: [
    { armId: 'holdout', percentage: 500_000, benefitIds: [] },
    { armId: 'open', percentage: 500_000, benefitIds: ['benefit-0'] },
  ],
}

/** A ledger for histories over an empty database. Closing it closes the database. */
export async function openPlayed(database: Sql): Promise<Played> {
  const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, saleMs: plenty, recountPauseMs: 86_400_000 }
  const ledger = await createLedger(database, options)
  await publishRules(ledger)
  // Histories move sales to other days, so days are not compared with their sales.
  await database.run(sql`update sums_state set pruned_before = 'infinity'`, writes)
  const arms = createArms([experiment], (await ledger.programmes.newest())!.key)
  return {
    ledger,
    database,
    entered(memberId) {
      const armId = arms.of(memberId)![experiment.experimentId]!
      return JSON.stringify([[experiment.experimentId, armId, armId === 'holdout' ? 1 : 0]])
    },
  }
}

/** Publishes currencies, rules, exchanges and the experiment of all histories. */
async function publishRules(ledger: Ledger): Promise<void> {
  await ledger.programmes.publishFile({
    document: `{"once":"${randomUUID()}"}`,
    ...{ benefits: '[]', venues: [], members: [], exchanges, experiments: [experiment] },
    currencies: currencies.map(({ currencyId }) => ({ currencyId, name: currencyId, scale: 0 })),
    rules: rules.map(({ ruleId, currencyId, give, per, every }) => ({
      ...{ ruleId, currencyId, give, per: per === 'visit' ? { kind: per } : { kind: per, every } },
    })),
  })
}

/** Reconciles all rows of histories (4-member-value, section 7), and removes them; the differences, in words. */
export async function reconciled({ ledger, database }: Played): Promise<readonly string[]> {
  while ((await ledger.reports.sum(1_000)) > 0) {}
  const found = await reconcile(database, { since: '2000-01-01', until: null }, () => {})
  const { differences, reservationsAstray } = found
  for (const table of emptied) await database.run({ text: `delete from ${table}`, values: [] }, writes)
  const counters = differences + reservationsAstray
  return [
    ...astrayOf(found),
    ...(counters === 0 ? [] : [`${counters} counters or reservations are astray`]),
    ...found.sums.firstAstray.map((each) => `a sum is astray: ${JSON.stringify(each)}`),
  ]
}

/** Tables that grow with histories. */
const emptied = [
  ...['lot', 'account', 'entry', 'movement', 'activation', 'activation_part', 'reward_code', 'wrong_code'],
  ...['value_hold', 'value_hold_part', 'sale_ladder', 'sale_return'],
  ...['experiment_member', 'experiment_sum', 'experiment_return', 'experiment_withheld'],
  ...[
    'earned',
    'earned_total',
    'sale',
    'calculation',
    'calculation_body',
    'member_loyalty_id',
    'member',
    'change',
    'audit_record',
  ],
]

export function spendingOf({ costs }: BasketModel): string | null {
  return textOfSpending(
    costs.map(({ units, ...cost }, at) => ({
      ...{ ...cost, benefitId: `benefit-${at}` },
      lines: [...units].map(([position, each]) => ({ lineId: `line-${position}`, units: each })),
    })),
  )
}

export function earningOf(basket: BasketModel, paidTotal: number | null): string | null {
  const of = (side: 'sent' | 'returned') =>
    rules.map((rule) => countOf(rule, basket, side, { paid: paidOf(basket, side, paidTotal) }))
  return earningText(basket, { sent: of('sent'), returned: of('returned') })
}

/** By place of the rule, as a calculation stores it. */
export function earningText(
  { factors, requestedAt, day, timeZone }: BasketModel,
  { sent, returned }: { readonly sent: readonly number[]; readonly returned: readonly number[] },
): string | null {
  const counted = rules.flatMap(({ kinds: _, minimumSpend: __, cooldownMinutes, maximum, ...rule }, at) => {
    if (factors[at] === 0 || (sent[at] === 0 && returned[at] === 0)) return []
    const { ruleId, currencyId, give, per, every } = rule
    const { opensAfterDays, expires } = currencyOf(rule)
    return [
      {
        ...{ ruleId, currencyId, give, per, ...(per === 'visit' ? {} : { every }), factor: factors[at]! },
        ...{ sent: sent[at]!, returned: returned[at]!, ...(cooldownMinutes === null ? {} : { cooldownMinutes }) },
        ...(maximum === null ? {} : { maximum }),
        ...(opensAfterDays === 0 ? {} : { opensAfterDays }),
        ...(expires === null ? {} : { expires }),
      },
    ]
  })
  return counted.length === 0 ? null : anEarning(counted, { at: requestedAt, day, timeZone })
}
