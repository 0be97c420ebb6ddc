import { onlyRow, type Sql, type Statement, sql, type Transaction } from '../connection/sql.js'
import { reconcileSums, type SumReconciliation } from '../reports/reconcile-sums.js'
import {
  type EarningReconciliation,
  type ReturnReconciliation,
  reconcileEarning,
  reconcileReturns,
  reconcileSpending,
  reconcileValue,
  type SpendingReconciliation,
  type ValueReconciliation,
} from '../value/reconcile-value.js'

export interface Period {
  readonly since: string
  readonly until: string | null
}

export interface Difference {
  readonly limitId: string
  readonly subject: string
  readonly period: string
  readonly maximum: number | null
  readonly says: CounterSums
  readonly due: CounterSums
}

export interface CounterSums {
  readonly open: number
  readonly used: number
  readonly late: number
}

interface DiscrepancyKind {
  readonly kind: string
  readonly count: number
  /** By the difference of a mismatch, else by the amount paid, minor units. On a tie the smaller GUID. */
  readonly largest: { readonly calculationId: string; readonly amount: number | null; readonly currency: string }
}

export interface Reconciliation {
  readonly takenAt: string
  readonly calculations: readonly { readonly state: string; readonly count: number; readonly withoutSale: number }[]
  readonly sales: readonly { readonly status: string; readonly result: string; readonly count: number }[]
  readonly salesWithoutCalculation: number
  readonly discrepancies: readonly DiscrepancyKind[]
  readonly counters: number
  readonly differences: number
  readonly reservations: number
  readonly reservationsAstray: number
  readonly value: ValueReconciliation
  readonly earning: EarningReconciliation
  readonly spending: SpendingReconciliation
  readonly returns: ReturnReconciliation
  readonly sums: SumReconciliation
}

const pageRows = 500

/** In one snapshot and bounded memory. Reads whole tables and writes nothing. */
export async function reconcile(
  database: Sql,
  { since, until }: Period,
  onDifference: (difference: Difference) => void,
): Promise<Reconciliation> {
  return await database.transaction(async (transaction) => {
    await transaction.runScript(snapshot)
    const head = await only<{ takenAt: string }>(transaction, takenAt)
    const whole = until ?? 'infinity'
    const calculations = await transaction.run<Reconciliation['calculations'][number]>(
      calculationsByState(since, whole),
    )
    const sales = await transaction.run<Reconciliation['sales'][number]>(salesByStatus(since, whole))
    const orphans = await only<{ count: number }>(transaction, salesWithoutCalculation(since, whole))
    const kinds = await transaction.run<DiscrepancyRow>(discrepanciesByKind(since, whole))
    const differences = await fetchDifferences(transaction, onDifference)
    const counters = await only<{ count: number }>(transaction, sql`select count(*) as count from limit_counter`)
    const reservations = await only<{ count: number; astray: number }>(transaction, reservationsAstray)
    return {
      ...head,
      calculations: [...calculations],
      sales: [...sales],
      salesWithoutCalculation: orphans.count,
      discrepancies: kinds.map(({ kind, count, ...largest }) => ({ kind, count, largest })),
      counters: counters.count,
      differences,
      reservations: reservations.count,
      reservationsAstray: reservations.astray,
      value: await reconcileValue(transaction),
      earning: await reconcileEarning(transaction),
      spending: await reconcileSpending(transaction),
      returns: await reconcileReturns(transaction),
      sums: await reconcileSums(transaction),
    }
  })
}

async function only<Row>(transaction: Transaction, statement: Statement): Promise<Row> {
  return onlyRow(await transaction.run<Row>(statement), { effect: 'reads' })
}

type DiscrepancyRow = Omit<DiscrepancyKind, 'largest'> & DiscrepancyKind['largest']

/** Whole tables are read and joined: the settings for look-ups (`planning`) would be wrong here. */
const snapshot = `
  set transaction isolation level repeatable read, read only;
  set local enable_seqscan = on;
  set local enable_bitmapscan = on;
  set local enable_hashjoin = on;
  set local enable_mergejoin = on;
  set local plan_cache_mode = force_custom_plan;
  set local statement_timeout = 0`

const takenAt = sql`select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "takenAt"`

const calculationsByState = (since: string, until: string) => sql`
  select c.state::text as state, count(*) as count, count(*) filter (where s.calculation_id is null) as "withoutSale"
  from calculation c left join sale s on s.calculation_id = c.calculation_id
  where c.answered_at >= ${since}::text::timestamptz and c.answered_at < ${until}::text::timestamptz
  group by c.state order by c.state::text`

const salesByStatus = (since: string, until: string) => sql`
  select s.status::text as status, s.result::text as result, count(*) as count from sale s
  where s.recorded_at >= ${since}::text::timestamptz and s.recorded_at < ${until}::text::timestamptz
  group by s.status, s.result order by s.status::text, s.result::text`

const salesWithoutCalculation = (since: string, until: string) => sql`
  select count(*) as count from sale s
  where s.recorded_at >= ${since}::text::timestamptz and s.recorded_at < ${until}::text::timestamptz
    and not exists (select from calculation c where c.calculation_id = s.calculation_id)`

const discrepanciesByKind = (since: string, until: string) => sql`
  select distinct on (f.kind) f.kind, count(*) over (partition by f.kind) as count,
    f.calculation_id::text as "calculationId", f.amount, f.currency
  from (
    select d.kind, s.calculation_id, s.currency, case d.kind
        when 'paid_total_mismatch'
          then abs(s.paid_total - case when s.status = 'applied' then c.net_after else c.net_before end)
        when 'discount_total_mismatch' then abs(s.loyalty_discount_total - c.loyalty_discount_total)
        else s.paid_total
      end as amount
    from sale s cross join unnest(s.discrepancies) as d (kind)
    left join calculation c on c.calculation_id = s.calculation_id
    where s.recorded_at >= ${since}::text::timestamptz and s.recorded_at < ${until}::text::timestamptz
      and s.discrepancies <> '{}'
  ) f
  order by f.kind, f.amount desc nulls last, f.calculation_id`

const reservationsAstray = sql`
  select count(*) as count, count(*) filter (where r.state <> due_state(r, c, s)) as astray
  from reservation r
  left join calculation c on c.calculation_id = r.calculation_id
  left join sale s on s.calculation_id = r.calculation_id`

const openDifferences = sql`
  declare differences no scroll cursor for
  select coalesce(k.limit_id, d.counter_id::text) as "limitId", coalesce(k.subject, '') as subject,
    coalesce(k.period, '') as period, k.maximum, coalesce(k.open, 0) as open, coalesce(k.used, 0) as used,
    coalesce(k.late, 0) as late, coalesce(d.open, 0) as "dueOpen",
    coalesce(d.used, 0) + coalesce(k.pruned_used, 0) as "dueUsed",
    coalesce(d.late, 0) + coalesce(k.pruned_late, 0) as "dueLate"
  from limit_counter k full join (
    select e.counter_id,
      coalesce(sum(e.units) filter (where e.due = 'open'), 0)::bigint as open,
      coalesce(sum(e.units) filter (where e.due = 'used'), 0)::bigint as used,
      coalesce(sum(e.units) filter (where e.due = 'late'), 0)::bigint as late
    from (
      select r.counter_id, r.units, due_state(r, c, s) as due
      from reservation r
      left join calculation c on c.calculation_id = r.calculation_id
      left join sale s on s.calculation_id = r.calculation_id
    ) e
    group by e.counter_id
  ) d on d.counter_id = k.counter_id
  where k.counter_id is null or k.used + k.open - k.merged > k.maximum
    or (k.open, k.used - k.pruned_used, k.late - k.pruned_late)
      <> (coalesce(d.open, 0), coalesce(d.used, 0), coalesce(d.late, 0))
  order by k.limit_id, k.subject, k.period, d.counter_id`

type DifferenceRow = Omit<Difference, 'says' | 'due'> &
  CounterSums & { readonly dueOpen: number; readonly dueUsed: number; readonly dueLate: number }

async function fetchDifferences(
  transaction: Transaction,
  onDifference: (difference: Difference) => void,
): Promise<number> {
  await transaction.run(openDifferences)
  let count = 0
  for (;;) {
    const rows = await transaction.run<DifferenceRow>({ text: `fetch ${pageRows} from differences`, values: [] })
    for (const { open, used, late, dueOpen, dueUsed, dueLate, ...name } of rows) {
      onDifference({ ...name, says: { open, used, late }, due: { open: dueOpen, used: dueUsed, late: dueLate } })
    }
    count += rows.length
    if (rows.length < pageRows) return count
  }
}
