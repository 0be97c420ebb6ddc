import type { Command } from '../../ledger/calls.js'
import {
  type AccountState,
  type AdjustmentReply,
  type AdminValue,
  type ImportedBalance,
  type ImportReply,
  type Liability,
  lotsMax,
  type MovementCursor,
  type MovementState,
  type PosValue,
  type TransferReply,
} from '../../ledger/value.js'
import { change, momentText, namedBy, withoutReason } from '../connection/changes.js'
import { adminReads, readRow, type Sql, type Statement, sql, type Terms } from '../connection/sql.js'
import { dueOf, type QuoteBasis } from './plan-earning.js'

const reportMs = 30_000

const reports: Terms = { effect: 'reads', withinMs: reportMs }

export function createAdminValue(database: Sql): AdminValue {
  return {
    findAccounts: (memberId) => database.run<AccountState>(accountsOf(memberId), adminReads),
    async listMovements({ memberId, currencyId }, { after, limit }) {
      const rows = await database.run<MovementRow>(movementsOf({ memberId, currencyId }, after, limit), adminReads)
      return rows.map(({ atUs, against, ...row }) => ({
        ...row,
        cursor: [atUs, row.movementId, row.currencyId, against] as const,
      }))
    },
    async adjust(command, { member, currencyId, amount, reason, opensAt, expiresAt }) {
      const { memberId, loyaltyId } = namedBy(member)
      return await change<AdjustmentReply>(database, withoutReason(command), 'change_adjustment', [
        memberId,
        loyaltyId,
        currencyId,
        amount,
        reason,
        momentText(opensAt),
        expiresAt === 'never' ? 'infinity' : momentText(expiresAt),
      ])
    },
    async transfer(command, { from, to, currencyId, amount, reason }) {
      const [giver, receiver] = [namedBy(from), namedBy(to)]
      return await change<TransferReply>(database, withoutReason(command), 'change_transfer', [
        giver.memberId,
        giver.loyaltyId,
        receiver.memberId,
        receiver.loyaltyId,
        currencyId,
        amount,
        reason,
      ])
    },
    importBalances: (command, balances) => importBalances(database, command, balances),
    async reportLiability() {
      const rows = await database.run<Omit<Liability, 'amount'> & { readonly amount: string }>(
        sql`
          select r.currency_id as "currencyId", r.expiry_month as "expiryMonth", r.amount::text as amount
          from report_liability() r`,
        reports,
      )
      return rows.map(({ amount, ...row }) => ({ ...row, amount: BigInt(amount) }))
    },
    async quoteEarning(memberId, earning) {
      const { quote } = await readRow<{ quote: QuoteBasis }>(
        database,
        sql`select quote_basis(${memberId}::text, ${earning}::text::json) as quote`,
        adminReads,
      )
      return dueOf(quote)
    },
  }
}

async function importBalances(
  database: Sql,
  command: Command,
  balances: readonly ImportedBalance[],
): Promise<ImportReply> {
  const rows = balances.map(({ member, currencyId, amount, opensAt, expiresAt, reference }) => ({
    member_id: namedBy(member).memberId,
    loyalty_id: namedBy(member).loyaltyId,
    currency_id: currencyId,
    amount,
    opens_at: momentText(opensAt),
    expires_at: momentText(expiresAt),
    reference,
  }))
  return await change<ImportReply>(database, command, 'change_import', [JSON.stringify(rows)])
}

type MovementRow = Omit<MovementState, 'cursor'> & { readonly atUs: number; readonly against: string }

function accountsOf(memberId: string): Statement {
  return sql`
    select a.currency_id as "currencyId", k.name, k.scale, s.available, s.pending, s.held, a.debt, (
        select coalesce(json_agg(json_build_object(
            'amount', l.amount_now, 'held', l.holds, 'opensAt', milliseconds(l.opens_at), 'expiresAt', l.expires
          ) order by l.expires_at, l.lot_id), '[]')
        from (
          select o.*, x.holds, case when o.expires_at < 'infinity' then milliseconds(o.expires_at) end as expires,
            case when o.expires_at > statement_timestamp() then o.amount else x.holds end as amount_now
          from lot o cross join lateral (select o.held - ended_holds(o, statement_timestamp()) as holds) x
          where o.account_id = a.account_id and (o.expires_at > statement_timestamp() or x.holds > 0)
          order by o.expires_at, o.lot_id
          limit ${lotsMax}::integer
        ) l
      ) as lots
    from account a
    join value_currency k on k.currency_id = a.currency_id
    cross join account_sums(a.account_id, statement_timestamp()) s
    where a.member_id = ${memberId}
    order by a.currency_id`
}

/** The entries of each account, and its lots that have expired and are not written yet, as `expire_lots` will write them. */
function movementsOf(
  { memberId, currencyId }: { readonly memberId: string; readonly currencyId: string },
  after: MovementCursor | null,
  limit: number,
): Statement {
  const [atUs, movementId, currency, against] = after ?? [null, 0, '', '']
  return sql`
    with seen as (
      select coalesce(moment_of(${atUs}::bigint), 'infinity') as at, ${movementId}::bigint as id,
        ${currency}::text collate "C" as currency, ${against}::text collate "C" as against
    )
    select x.movement_id as "movementId", x.kind, x.cause, a.currency_id as "currencyId", x.amount,
      milliseconds(x.at) as at, x.reason, x.actor, microseconds(x.at) as "atUs", x.against
    from seen, account a, lateral (
      (
        select e.movement_id, m.kind::text as kind, m.cause, e.amount, e.at, m.reason, m.actor,
          e.against::text collate "C" as against
        from entry e join movement m on m.movement_id = e.movement_id
        where e.account_id = a.account_id and (e.at, e.movement_id) <= (seen.at, seen.id)
          and (e.at, e.movement_id, a.currency_id, e.against::text collate "C")
            < (seen.at, seen.id, seen.currency, seen.against)
        order by e.at desc, e.movement_id desc
        limit ${limit}::integer
      )
      union all (
        select l.lot_id, 'expired', 'lot:' || l.lot_id, h.holds - l.amount, l.expires_at, '', '', 'expired'
        from lot l cross join lateral (select l.held - ended_holds(l, statement_timestamp()) as holds) h
        where l.account_id = a.account_id and l.expires_at <= statement_timestamp() and l.amount > h.holds
          and (l.expires_at, l.lot_id, a.currency_id, 'expired' collate "C")
            < (seen.at, seen.id, seen.currency, seen.against)
        order by l.expires_at desc, l.lot_id desc
        limit ${limit}::integer
      )
    ) x
    where a.member_id = ${memberId} and (${currencyId} = '' or a.currency_id = ${currencyId})
    order by x.at desc, x.movement_id desc, a.currency_id desc, x.against desc
    limit ${limit}::integer`
}

const terms: Terms = { effect: 'writes', withinMs: 5_000 }

export function createPosValue(database: Sql): PosValue {
  return {
    async announce(max) {
      const announcing = sql`select announce_value(${max}::integer) + announce_tiers(${max}::integer) as found`
      const row = await readRow<{ found: number }>(database, announcing, terms)
      return row.found
    },
    async expire(max) {
      const expiring = sql`select expire_value(${max}::integer) as accounts`
      const row = await readRow<{ accounts: number }>(database, expiring, terms)
      return row.accounts
    },
  }
}
