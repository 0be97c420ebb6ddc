import { randomUUID } from 'node:crypto'
import type { Spent } from '../../engine/core/base/outcome.js'
import type { SaleEvent } from '../../engine/index.js'
import { textOfSpending } from '../../engine/wire/write-stored.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { Command } from '../../store/ledger/calls.js'
import type { DueDelivery, StoredEvent } from '../../store/ledger/events.js'
import type { AccountState, Adjustment, ImportedBalance, Transfer } from '../../store/ledger/value.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aMember, aRecord, aSale, digestOf, eventBody, plenty, type Subject } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'

/** A new change of value. */
export const aValueCommand = (): Command => ({
  requestId: randomUUID(),
  digest: digestOf('x'),
  call: 'ValueService/AdjustValue',
  actor: 'test',
})

/** Members, currencies and changes on one ledger. */
export interface ValueTable {
  enrol(): Promise<string>
  /** Publishes a currency of its own; resolves to its id. */
  currency(scale?: number): Promise<string>
  adjust(
    memberId: string,
    currencyId: string,
    amount: number,
    more?: Partial<Adjustment>,
  ): ReturnType<Ledger['value']['adjust']>
  transfer(
    transfer: Pick<Transfer, 'currencyId' | 'amount'> & { readonly from: string; readonly to: string },
  ): ReturnType<Ledger['value']['transfer']>
  importBalances(rows: readonly ImportedBalance[]): ReturnType<Ledger['value']['importBalances']>
  /** The sums of an account; all zero where there is none. */
  sums(memberId: string, currencyId: string): Promise<Pick<AccountState, 'available' | 'pending' | 'held' | 'debt'>>
  lots(memberId: string, currencyId: string): Promise<readonly (readonly [amount: number, expiresAt: number | null])[]>
  /** Kinds and amounts of its movements, newest first. */
  movements(memberId: string, currencyId?: string): Promise<readonly string[]>
}

export function aValueTable(ledger: Ledger): ValueTable {
  const accountOf = async (memberId: string, currencyId: string) =>
    (await ledger.value.findAccounts(memberId)).find((account) => account.currencyId === currencyId)
  return {
    async enrol() {
      const member = aMember()
      await ledger.members.store(aValueCommand(), [member])
      return member.memberId
    },
    async currency(scale = 0) {
      const currencyId = `currency-${randomUUID()}`
      const currencies = [{ currencyId, name: 'Stamps', scale }]
      const document = `{"once":"${randomUUID()}"}`
      await ledger.programmes.publishFile({ document, benefits: '[]', venues: [], members: [], currencies })
      return currencyId
    },
    adjust: (memberId, currencyId, amount, more = {}) =>
      ledger.value.adjust(aValueCommand(), {
        member: { memberId },
        currencyId,
        amount,
        reason: 'test',
        opensAt: null,
        expiresAt: null,
        ...more,
      }),
    transfer: ({ from, to, currencyId, amount }) =>
      ledger.value.transfer(aValueCommand(), {
        from: { memberId: from },
        to: { memberId: to },
        currencyId,
        amount,
        reason: 'test',
      }),
    importBalances: (rows) => ledger.value.importBalances(aValueCommand(), rows),
    async sums(memberId, currencyId) {
      const { available, pending, held, debt } = (await accountOf(memberId, currencyId)) ?? nothing
      return { available, pending, held, debt }
    },
    lots: async (memberId, currencyId) =>
      ((await accountOf(memberId, currencyId))?.lots ?? []).map(({ amount, expiresAt }) => [amount, expiresAt]),
    async movements(memberId, currencyId = '') {
      const rows = await ledger.value.listMovements({ memberId, currencyId }, { after: null, limit: 100 })
      return rows.map(({ kind, amount }) => `${kind} ${amount}`)
    },
  }
}

/** A row of an import, with a new reference. */
export function aBalance(memberId: string, currencyId: string, more: Partial<ImportedBalance> = {}): ImportedBalance {
  const dates = { opensAt: null, expiresAt: null }
  return { member: { memberId }, currencyId, amount: 5, reference: `r-${randomUUID()}`, ...dates, ...more }
}

/** Lets the lots of a member that expire at all have expired, each `ageMs` before now or a little less. */
export async function expireLots(database: Sql, memberId: string, ageMs: number): Promise<void> {
  await database.run(
    sql`
      with past as (select clock_timestamp() - ${ageMs}::integer * interval '1 millisecond' as at)
      update lot l set opens_at = p.at - interval '1 day', expires_at = p.at + (l.lot_id % 1000) * interval '1 microsecond'
      from past p, account a
      where a.member_id = ${memberId} and l.account_id = a.account_id and l.expires_at < 'infinity'`,
    { effect: 'writes', withinMs: 10_000 },
  )
}

/** Takes more from a member's only account than it has, as a return may; once. */
export async function owe(database: Sql, memberId: string, debt: number): Promise<void> {
  await database.run(
    sql`
      with a as (
        update account set debt = debt + ${debt}::bigint where member_id = ${memberId} returning account_id
      ), m as (
        insert into movement (kind, cause) select 'adjusted', 'debt:' || account_id from a returning movement_id, at
      )
      insert into entry (movement_id, account_id, amount, at, against)
      select m.movement_id, a.account_id, -${debt}::bigint, m.at, 'adjusted' from a, m`,
    { effect: 'writes', withinMs: 10_000 },
  )
}

/** A rule as a calculation stores it; default: one stamp for each unit. */
export interface RuleCount {
  readonly ruleId?: string
  readonly currencyId?: string
  readonly give?: number
  readonly per?: 'amount' | 'units' | 'visit'
  readonly every?: number
  /** In ten-thousandths. */
  readonly factor?: number
  readonly sent?: number
  /** Default: as sent. */
  readonly returned?: number
  /** The units bought, in a claim, where `sent` is what is kept. */
  readonly all?: number
  readonly cooldownMinutes?: number
  readonly maximum?: { readonly amount: number; readonly period: string }
  /** For a maximum by birthday. */
  readonly about?: string
  readonly opensAfterDays?: number
  readonly expires?: { readonly unit: string; readonly after: number; readonly atEndOf: string | null }
}

interface When {
  readonly at?: string
  readonly day?: string
  readonly timeZone?: string
}

/** As `CalculationRecord.earning`. */
export function anEarning(rules: readonly RuleCount[], when: When = {}): string {
  const { at = '2026-11-21T10:00:00+01:00', timeZone = 'Europe/Oslo' } = when
  return JSON.stringify({
    at: Date.parse(at),
    day: when.day ?? at.slice(0, 10),
    timeZone,
    rules: rules.map(({ sent = 1, returned = sent, ...rule }) => ({
      ruleId: 'coffee',
      currencyId: 'stamps',
      give: 1,
      per: 'units',
      ...(rule.per === 'visit' ? {} : { every: 1 }),
      factor: 10_000,
      ...rule,
      sent,
      returned,
    })),
  })
}

export function aMemberId(): string {
  return `member-${randomUUID()}`
}

/** A member's value by currency. */
export async function holdings(database: Sql, memberId: string): Promise<Readonly<Record<string, number>>> {
  const rows = await database.run<{ currencyId: string; amount: number }>(
    sql`
      select a.currency_id as "currencyId", coalesce(sum(l.amount), 0)::bigint as amount
      from account a left join lot l on l.account_id = a.account_id
      where a.member_id = ${memberId} group by a.currency_id`,
    { effect: 'reads', withinMs: plenty },
  )
  return Object.fromEntries(rows.map(({ currencyId, amount }) => [currencyId, amount]))
}

/** Movements of a member, oldest first: kind, cause and amount. */
export async function movements(
  database: Sql,
  memberId: string,
): Promise<readonly (readonly [string, string, number])[]> {
  const rows = await database.run<{ kind: string; cause: string; amount: number }>(
    sql`
      select m.kind::text as kind, m.cause, e.amount from entry e
      join account a on a.account_id = e.account_id join movement m on m.movement_id = e.movement_id
      where a.member_id = ${memberId} order by m.movement_id, a.currency_id`,
    { effect: 'reads', withinMs: plenty },
  )
  return rows.map(({ kind, cause, amount }) => [kind, cause, amount])
}

/** Counts of each rule for a member so far, weighted, in ten-thousandths, and the value that it gave. */
export async function totals(
  database: Sql,
  memberId: string,
): Promise<Readonly<Record<string, readonly [total: string, given: number]>>> {
  const rows = await database.run<{ ruleId: string; total: string; given: number }>(
    sql`
      select t.rule_id as "ruleId", t.total::text as total, t.given from earned_total t
      join account a on a.account_id = t.account_id where a.member_id = ${memberId}`,
    { effect: 'reads', withinMs: plenty },
  )
  return Object.fromEntries(rows.map(({ ruleId, total, given }) => [ruleId, [total, given]]))
}

/** One payment of a benefit, in full. */
export function aSpent(currencyId: string, amount: number, more: Partial<Spent> = {}): Spent {
  const lines = [{ lineId: 'line-1', units: 1 }]
  return { benefitId: 'free-coffee', currencyId, per: 'times', amount, times: 1, lines, ...more }
}

/** A calculation that spends from a member's account. */
export function aSpender(
  ledger: Ledger,
  { memberId, currencyId, amount }: { memberId: string; currencyId: string; amount: number },
  more: Partial<CalculationRecord> = {},
): CalculationRecord {
  return aRecord(ledger, { memberId, spending: textOfSpending([aSpent(currencyId, amount)]), ...more })
}

/** A member with stamps, and calculations that spend them. */
export async function aCard({ ledger }: Subject, stamps: number) {
  const value = aValueTable(ledger)
  const [memberId, currencyId] = [await value.enrol(), await value.currency()]
  if (stamps > 0) await value.adjust(memberId, currencyId, stamps)
  return {
    value,
    memberId,
    currencyId,
    spender: (amount: number, more: Partial<CalculationRecord> = {}) =>
      aSpender(ledger, { memberId, currencyId, amount }, more),
    confirm: (record: CalculationRecord) => ledger.calculations.confirm(record, plenty),
    sell: (record: CalculationRecord, more: Partial<SaleEvent> = {}) =>
      ledger.sales.record(aSale(record, more), eventBody),
    sums: () => value.sums(memberId, currencyId),
    lots: () => value.lots(memberId, currencyId),
    movements: () => value.movements(memberId, currencyId),
  }
}

/** The sums of an account that is empty. */
export const nothing = { available: 0, pending: 0, held: 0, debt: 0 }

/** A tier as benefits name it. */
export interface Tier {
  readonly tierId: string
  readonly rank: number
  readonly currencyId: string
  readonly amount: number
  readonly windowMonths: number
  readonly keepMonths: number
}

export const silver: Tier = {
  tierId: 'silver',
  rank: 1,
  currencyId: 'stamps',
  amount: 10,
  windowMonths: 12,
  keepMonths: 3,
}
export const gold: Tier = { ...silver, tierId: 'gold', rank: 2, amount: 100, keepMonths: 1 }
export const star: Tier = { ...gold, tierId: 'star', rank: 9, currencyId: 'points', amount: 5, windowMonths: 1 }

export const priced = (...tiers: readonly Tier[]) => JSON.stringify({ benefits: [], once: randomUUID(), tiers })

/** Puts a programme with these tiers in force. */
export async function publishTiers(ledger: Ledger, ...tiers: readonly Tier[]): Promise<void> {
  const document = `{"once":"${randomUUID()}"}`
  const currencies = ['stamps', 'points'].map((currencyId) => ({ currencyId, name: currencyId, scale: 0 }))
  await ledger.programmes.publishFile({ document, benefits: priced(...tiers), venues: [], members: [], currencies })
}

/** Every event of a member, oldest first, without fields that differ each time. */
export async function eventsOf(ledger: Ledger, memberId: string): Promise<readonly (readonly [string, unknown])[]> {
  const found = await ledger.events.list({ memberId, type: '' }, { after: null, limit: 500 })
  return [...found].reverse().map(({ type, body }) => [type, contentOf(body)])
}

function contentOf(body: string): unknown {
  const {
    movementId: _,
    cause: __,
    lotId: ___,
    expiresAt: ____,
    ...content
  } = JSON.parse(body) as Record<string, unknown>
  return content
}

/** The whole feed behind a place, a few at a time, as a watcher reads it. */
export async function readEvents(ledger: Ledger, after: number): Promise<readonly StoredEvent[]> {
  const seen: StoredEvent[] = []
  for (;;) {
    const placed = await ledger.events.place(7)
    const events = await ledger.events.readFeed(seen.at(-1)?.place ?? after, 5)
    seen.push(...events)
    if (placed === 0 && events.length === 0) return seen
  }
}

/** Adds a webhook for these types; resolves to its id. */
export async function aWebhook(ledger: Ledger, types: readonly string[] = []): Promise<string> {
  const added = await ledger.webhooks.add(aValueCommand(), {
    url: 'https://receiver.example/events',
    types,
    secret: Buffer.alloc(32, 7),
  })
  if (added.kind !== 'done') throw new Error(added.kind)
  return added.webhookId
}

export async function removeWebhooks(ledger: Ledger): Promise<void> {
  for (const { webhookId } of await ledger.webhooks.list()) await ledger.webhooks.remove(aValueCommand(), webhookId)
}

export async function takeDue(ledger: Ledger, webhookId: string, max = 100): Promise<readonly DueDelivery[]> {
  const due = await ledger.webhooks.take({ max, busy: {}, claimMs: 60_000 })
  return due.filter((each) => each.webhookId === webhookId)
}

/** Three days, in milliseconds. */
export const patienceMs = 3 * 86_400_000

export function finish(ledger: Ledger, delivery: DueDelivery, retryMs: number | null = null, pauseMs = 0) {
  const ending = retryMs === null ? 'delivered' : 'failed'
  const outcome = retryMs === null ? '200' : '500'
  return ledger.webhooks.finish(delivery, { ending, outcome, retryMs: retryMs ?? 0, pauseMs, patienceMs })
}
