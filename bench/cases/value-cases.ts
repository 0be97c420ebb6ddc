import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { sql } from '../../store/postgres/connection/sql.js'
import type { Ledger } from '../../test/support/open-ledger.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import { type BenchCase, figure, target } from './bench-case.js'
import { partResult } from './closed-loop.js'
import { confirm, plenty } from './ledger-records.js'
import { type TurnsReport, takeTurns } from './take-turns.js'
import {
  type Call,
  earningText,
  hotMember,
  lotsEach,
  membersUsual,
  oneStamp,
  openValueLedger,
  runSliced,
  salesOf,
  someMember,
} from './value-accounts.js'

const inFlight = 32
/** POSs that need the same account. */
const hotInFlight = 64
/** Members of the ledger that the one with many is compared with. */
const membersFew = 1_000
const lotsExpired = 1_000_000
/** Like the service's upkeep: this many lots, then a pause in milliseconds. */
const sweepLots = 200
const sweepPauseMs = 50

/** The cost of member value for the ledger, each case against the same work without it, in turns on one server. */
export const valueCases: readonly BenchCase[] = [
  { name: 'value/sale', run: saleCase },
  { name: 'value/spend', run: spendCase },
  { name: 'value/hot', run: hotCase },
  { name: 'value/many', run: manyCase },
  { name: 'value/expiry', run: expiryCase },
]

interface Compared {
  readonly name: string
  readonly note: string
  /** Largest ratio of the rate without value to the rate with it. */
  readonly ratioMax: number
  readonly atOnce: number
  /** Prepares the calls of one turn. */
  readonly without: (ledger: Ledger) => Promise<Call>
  readonly withValue: (ledger: Ledger) => Promise<Call>
}

async function* saleCase(bench: Bench): AsyncGenerator<Result> {
  yield* compared(bench, {
    name: 'value/sale',
    note: `a sale that earns by three rules, against one that earns nothing; ${membersUsual} members with ${lotsEach} lots of each currency`,
    ratioMax: 1.5,
    atOnce: inFlight,
    without: (ledger) => salesOf(ledger, membersUsual, () => null),
    withValue: (ledger) => salesOf(ledger, membersUsual, () => earningText(ledger.clock())),
  })
}

async function* spendCase(bench: Bench): AsyncGenerator<Result> {
  yield* compared(bench, {
    name: 'value/spend',
    note: `a calculation that spends from one of ${membersUsual} members' accounts, against one that takes a unit of a limit of its member`,
    ratioMax: 1.3,
    atOnce: inFlight,
    without: async (ledger) => () =>
      confirm(ledger, { memberId: someMember(membersUsual), holds: [unitOf(randomUUID())] }),
    withValue: async (ledger) => () => confirm(ledger, { memberId: someMember(membersUsual), spending: oneStamp }),
  })
}

async function* hotCase(bench: Bench): AsyncGenerator<Result> {
  yield* compared(bench, {
    name: 'value/hot',
    note: 'calculations that spend from one account, against ones that take a unit of one limit shared by all',
    ratioMax: 1,
    atOnce: hotInFlight,
    without: async (ledger) => () => confirm(ledger, { memberId: someMember(membersUsual), holds: [unitOf('')] }),
    withValue: async (ledger) => () => confirm(ledger, { memberId: hotMember, spending: oneStamp }),
  })
}

function unitOf(subject: string): CalculationRecord['holds'][number] {
  return { limitId: 'limit', subject, period: '2026-11-21', units: 1, maximum: plenty }
}

async function* compared(bench: Bench, { name, note, ratioMax, ...sides }: Compared): AsyncGenerator<Result> {
  const { ledger } = await openValueLedger(bench, membersUsual)
  try {
    const report = await takeTurns(bench, {
      inFlight: sides.atOnce,
      before: () => sides.without(ledger),
      after: () => sides.withValue(ledger),
    })
    const targets = [target(`at most ${ratioMax} of the work without`, report.ratio <= ratioMax)]
    yield comparison(name, report, { loop: { inFlight: sides.atOnce }, note, other: 'without', targets })
  } finally {
    await ledger.close()
  }
}

/** @param other  description of the side before */
function comparison(
  name: string,
  { before, after, ratio }: TurnsReport,
  { other, figures = [], ...what }: Parameters<typeof partResult>[2] & { readonly other: string },
): Result {
  const compared = [
    figure(`rate ${other}`, before.perSecond, '/s'),
    figure(`p50 ${other}`, before.latency.p50, 'ms'),
    figure(`p99 ${other}`, before.latency.p99, 'ms'),
    figure(`rate ${other} against this`, ratio, 'x'),
  ]
  return partResult(name, after, { ...what, figures: [...compared, ...figures] })
}

/** Baskets that spend, and sales that earn, of many members against the same of few. */
async function* manyCase(bench: Bench): AsyncGenerator<Result> {
  const few = await openValueLedger(bench, membersFew)
  const many = await openValueLedger(bench, membersUsual)
  const note = `${membersUsual} members with ${lotsEach} lots of each currency, against ${membersFew}`
  const works: readonly [string, (ledger: Ledger, members: number) => Promise<Call>][] = [
    ['basket', async (ledger, members) => () => confirm(ledger, { memberId: someMember(members), spending: oneStamp })],
    ['sale', (ledger, members) => salesOf(ledger, members, () => earningText(ledger.clock()))],
  ]
  try {
    for (const [work, call] of works) {
      const report = await takeTurns(bench, {
        inFlight,
        before: () => call(few.ledger, membersFew),
        after: () => call(many.ledger, membersUsual),
      })
      const targets = [target('at most 1.2 of the time with few', report.ratio <= 1.2)]
      yield comparison(`value/many/${work}`, report, { loop: { inFlight }, note, other: 'with few', targets })
    }
  } finally {
    await few.ledger.close()
    await many.ledger.close()
  }
}

/** Baskets that spend, while the upkeep writes expiries, against before. */
async function* expiryCase(bench: Bench): AsyncGenerator<Result> {
  const { ledger, url } = await openValueLedger(bench, membersUsual)
  const beganMs = performance.now()
  await expireLotsOf(url)
  const filledS = (performance.now() - beganMs) / 1_000
  const basket: Call = () => confirm(ledger, { memberId: someMember(membersUsual), spending: oneStamp })
  let written = 0
  let sweepMs = 0
  let sweeping: Promise<void> | null = null
  try {
    const report = await takeTurns(bench, {
      inFlight,
      before: async () => {
        await sweeping
        return basket
      },
      after: async () => () => {
        sweeping ??= sweep()
        return basket()
      },
    })
    await sweeping
    yield comparison('value/expiry', report, {
      loop: { inFlight },
      note: `${lotsExpired} expired lots of other members, filled in ${filledS.toFixed(0)} s; baskets while sweeps write ${sweepLots} of them each, with ${sweepPauseMs} ms between, against none`,
      other: 'without sweeps',
      figures: [figure('accounts swept', written, ''), figure('a sweep', (sweepMs / written) * sweepLots, 'ms')],
      targets: [target('at most 1.1 of the work without sweeps', report.ratio <= 1.1)],
    })
  } finally {
    await ledger.close()
  }

  async function sweep(): Promise<void> {
    const began = performance.now()
    written += await ledger.value.expire(sweepLots)
    sweepMs += performance.now() - began
    await sleep(sweepPauseMs)
    sweeping = null
  }
}

/** Expired lots, each of an account of its own that no basket needs. */
function expireLotsOf(url: string): Promise<void> {
  return runSliced(
    url,
    lotsExpired,
    (from, to) => sql`
      with added as (
        insert into account (member_id, currency_id)
        select 'gone-' || n, 'stamps' from generate_series(${from}::integer, ${to - 1}::integer) n
        returning account_id
      )
      insert into lot (account_id, amount, opens_at, expires_at)
      select a.account_id, 100, clock_timestamp() - interval '400 days', clock_timestamp() - interval '1 day' from added a`,
  )
}
