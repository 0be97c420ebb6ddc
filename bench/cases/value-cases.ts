import { randomBytes, randomUUID } from 'node:crypto'
import type { EarningRule } from '../../engine/core/base/earning.js'
import { textOfEarning } from '../../engine/wire/write-earning.js'
import { textOfSpending } from '../../engine/wire/write-spending.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Ledger } from '../../store/ledger.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { createPostgresLedger } from '../../store/postgres/create-postgres-ledger.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure, target } from './bench-case.js'
import { type LoopReport, runClosedLoop } from './closed-loop.js'
import { partResult } from './part-result.js'
import { aRecord, eventOf } from './store-cases.js'

const members = 100_000
const lotsEach = 12
const inFlight = 32
/** POSs that want the same. */
const hotInFlight = 64
/** The member whose account they want, with as much as they can take. */
const hotMember = 'member-0'
const plenty = 1_000_000_000
const withinMs = 5_000
const longMs = 300_000

/** How often the two sides of a comparison take turns: the machine's moods meet both. */
const turns = 4

/** What member value costs the ledger, each against the same work without it, in turns on one database. */
export const valueCases: readonly BenchCase[] = [
  { name: 'value/sale', run: saleCase },
  { name: 'value/spend', run: spendCase },
  { name: 'value/hot', run: hotCase },
]

type Call = () => Promise<unknown>

interface Compared {
  readonly name: string
  readonly note: string
  /** Most that the rate without value may be above the rate with it. */
  readonly ratioMax: number
  readonly atOnce: number
  /** Prepares the calls of one turn of so many seconds. */
  readonly without: (ledger: Ledger) => Promise<Call>
  readonly withValue: (ledger: Ledger) => Promise<Call>
}

async function* saleCase(bench: Bench): AsyncGenerator<Result> {
  yield* compared(bench, {
    name: 'value/sale',
    note: `a sale that earns by three rules, against one that earns nothing; ${members} members with ${lotsEach} lots of each currency`,
    ratioMax: 1.5,
    atOnce: inFlight,
    without: (ledger) => salesOf(ledger, () => null),
    withValue: (ledger) => salesOf(ledger, () => earningText(ledger.clock())),
  })
}

async function* spendCase(bench: Bench): AsyncGenerator<Result> {
  yield* compared(bench, {
    name: 'value/spend',
    note: `a calculation that spends from one of ${members} members' accounts, against one that takes a unit of a limit of its member`,
    ratioMax: 1.3,
    atOnce: inFlight,
    without: async (ledger) => () => confirm(ledger, { holds: [unitOf(randomUUID())] }),
    withValue: async (ledger) => () => confirm(ledger, { spending: oneStamp }),
  })
}

async function* hotCase(bench: Bench): AsyncGenerator<Result> {
  yield* compared(bench, {
    name: 'value/hot',
    note: 'calculations that spend from one account, against ones that take a unit of one limit shared by all',
    ratioMax: 1,
    atOnce: hotInFlight,
    without: async (ledger) => () => confirm(ledger, { holds: [unitOf('')] }),
    withValue: async (ledger) => () => confirm(ledger, { memberId: hotMember, spending: oneStamp }),
  })
}

function confirm(ledger: Ledger, more: Partial<CalculationRecord>): Promise<unknown> {
  return ledger.calculations.confirm({ ...ofSomeMember(ledger), ...more }, withinMs)
}

function unitOf(subject: string): CalculationRecord['holds'][number] {
  return { limitId: 'limit', subject, period: '2026-11-21', units: 1, maximum: plenty }
}

const oneStamp = textOfSpending([
  {
    benefitId: 'free-coffee',
    currencyId: 'stamps',
    per: 'times',
    amount: 1,
    times: 1,
    lines: [{ lineId: '1', units: 1 }],
  },
])

async function* compared(bench: Bench, { name, note, ratioMax, ...sides }: Compared): AsyncGenerator<Result> {
  const url = await (await bench.postgres()).createDatabase()
  const ledger = await createPostgresLedger({
    url,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: withinMs,
    saleMs: withinMs,
  })
  try {
    await fillAccounts(url)
    const loop = { seconds: bench.settings.seconds / 8, inFlight: sides.atOnce }
    const measured: { without: LoopReport[]; withValue: LoopReport[] } = { without: [], withValue: [] }
    for (let turn = 0; turn < turns; turn++) {
      measured.without.push(await runClosedLoop(loop, await sides.without(ledger)))
      measured.withValue.push(await runClosedLoop(loop, await sides.withValue(ledger)))
    }
    const [without, withValue] = [middleOf(measured.without), middleOf(measured.withValue)]
    const ratio = without.perSecond / withValue.perSecond
    yield partResult(name, withValue, {
      loop,
      note,
      figures: [
        figure('rate without', without.perSecond, '/s'),
        figure('p50 without', without.latency.p50, 'ms'),
        figure('rate without against with', ratio, 'x'),
      ],
      targets: [target(`at most ${ratioMax} of the work without`, ratio <= ratioMax)],
    })
  } finally {
    await ledger.close()
  }
}

/** The turn in the middle by its rate, the slower of two. */
function middleOf(reports: readonly LoopReport[]): LoopReport {
  return [...reports].sort((a, b) => a.perSecond - b.perSecond)[Math.floor((reports.length - 1) / 2)]!
}

const currencies = ['points', 'stamps'] as const

/** Accounts of all members in both currencies, each with lots that end in different months. */
async function fillAccounts(url: string): Promise<void> {
  const database = createPostgresSql(url, 1)
  for (const currency of currencies) {
    await database.run(
      sql`
        with added as (
          insert into account (member_id, currency_id)
          select 'member-' || n, ${currency} from generate_series(0, ${members}::integer) n
          returning account_id, member_id
        )
        insert into lot (account_id, amount, opens_at, expires_at)
        select a.account_id, case a.member_id when ${hotMember} then ${plenty}::bigint else 100 end, clock_timestamp() - interval '1 day', clock_timestamp() + month * interval '1 month'
        from added a, generate_series(1, ${lotsEach}::integer) month`,
      { effect: 'writes', withinMs: longMs },
    )
  }
  await database.run({ text: 'vacuum analyze', values: [] }, { effect: 'writes', withinMs: longMs })
  await database.close()
}

/** Stores enough calculations for a turn before it begins. */
async function salesOf(ledger: Ledger, earning: () => string | null): Promise<Call> {
  const records: CalculationRecord[] = []
  const enough = 3_000
  while (records.length < enough) {
    const some = Array.from({ length: 100 }, () => ({ ...ofSomeMember(ledger), earning: earning() }))
    await ledger.calculations.store(some)
    records.push(...some)
  }
  let next = 0
  const body = randomBytes(600)
  return () => {
    const record = records[next++]
    if (record === undefined) throw new Error(`a turn recorded more than ${enough} sales: prepare more`)
    return ledger.sales.record(eventOf(record), body)
  }
}

function ofSomeMember(ledger: Ledger): CalculationRecord {
  const memberId = `member-${1 + Math.floor(Math.random() * members)}`
  return { ...aRecord(ledger.clock()), calculationId: randomUUID(), memberId }
}

const plainRule: Omit<EarningRule, 'ruleId' | 'currencyId' | 'per'> = {
  give: 1,
  select: null,
  includeNoDiscount: false,
  minimumSpend: null,
  cooldownMinutes: null,
  maximum: null,
  multipliers: [],
  audience: null,
  venueIds: null,
  channels: null,
  schedule: null,
  validFrom: null,
  validUntil: null,
  opensAfterDays: 0,
  onReturn: 'to_zero',
  expires: { unit: 'months', after: 12, atEndOf: 'month' },
}

const rules: readonly EarningRule[] = [
  { ...plainRule, ruleId: 'by-amount', currencyId: 'points', per: { kind: 'amount', every: 100 } },
  { ...plainRule, ruleId: 'by-unit', currencyId: 'stamps', per: { kind: 'units', every: 1 } },
  { ...plainRule, ruleId: 'by-visit', currencyId: 'points', per: { kind: 'visit' } },
]

function earningText(at: number): string | null {
  const counted = rules.map((rule) => ({ rule, factor: 10_000, sent: 900, returned: 900 }))
  return textOfEarning({ at, day: new Date(at).toISOString().slice(0, 10), timeZone: 'Europe/Oslo', counted })
}
