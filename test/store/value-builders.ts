import { randomUUID } from 'node:crypto'
import type { Command } from '../../store/ledger/calls.js'
import type { AccountState, Adjustment, ImportedBalance, Transfer } from '../../store/ledger/value.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import type { Ledger } from '../support/open-ledger.js'
import { aMember, digestOf } from './ledger-builders.js'

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

const nothing = { available: 0, pending: 0, held: 0, debt: 0 }

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
