import type { ConsoleSession, ConsoleSessions } from '../../ledger/console-sessions.js'
import type { SavedView, SavedViews, ViewReply } from '../../ledger/views.js'
import { change } from '../connection/changes.js'
import { adminChanges, findRow, readRow, type Sql, sql, type Terms } from '../connection/sql.js'

/** A read replica may not have the session that began a moment ago, or still have one that ended: so reads go to the primary too. */
const terms: Terms = { effect: 'writes', withinMs: 5_000 }

const deletedMax = 10

export function createConsoleSessions(database: Sql): ConsoleSessions {
  return {
    async begin({ digest, isTicket, role, name, issuer, lifetimeMs }) {
      await database.run(
        sql`
          with deleted as (
            delete from console_session where digest in (
              select e.digest from console_session e where e.ends_at <= clock_timestamp() limit ${deletedMax}::integer
              for update skip locked
            )
          )
          insert into console_session (digest, is_ticket, role, name, issuer, ends_at)
          values (
            ${digest}::text, ${isTicket}::boolean, ${role}::text, ${name}::text, ${issuer}::text,
            clock_timestamp() + ${lifetimeMs}::integer * interval '1 millisecond'
          )`,
        terms,
      )
    },
    async find(digest) {
      return await findRow<ConsoleSession>(
        database,
        sql`
          select role, name, issuer, milliseconds(ends_at) as "endsAtMs", milliseconds(clock_timestamp()) as "nowMs"
          from console_session
          where digest = ${digest}::text and not is_ticket and ends_at > clock_timestamp()`,
        terms,
      )
    },
    async end(digest) {
      await database.run(sql`delete from console_session where digest = ${digest}::text and not is_ticket`, terms)
    },
    async redeem(ticketDigest, { digest, lifetimeMs }) {
      const { begun } = await readRow<{ begun: number }>(
        database,
        sql`
          with used as (
            delete from console_session
            where digest = ${ticketDigest}::text and is_ticket and ends_at > clock_timestamp()
            returning role, name, issuer
          ), begun as (
            insert into console_session (digest, is_ticket, role, name, issuer, ends_at)
            select ${digest}::text, false, u.role, u.name, u.issuer,
              clock_timestamp() + ${lifetimeMs}::integer * interval '1 millisecond'
            from used u
            returning 1
          )
          select count(*)::integer as begun from begun`,
        terms,
      )
      return begun === 1
    },
  }
}

export function createSavedViews(database: Sql): SavedViews {
  return {
    async list(list, actor) {
      return await database.run<SavedView>(
        sql`
          select v.view_id as "viewId", v.list, v.name, v.query, v.is_shared as shared, v.stored_by as "storedBy",
            milliseconds(v.stored_at) as "storedAt"
          from saved_view v
          where v.list = ${list} and (v.is_shared or is_same_actor(v.stored_by, ${actor}))
          order by v.name, v.view_id`,
        adminChanges,
      )
    },
    async store(command, { list, name, query, shared }, max) {
      const view = [list, name, query, shared, max]
      return await change<ViewReply<'too_many_views'>>(database, command, 'change_view', view)
    },
    async remove(command, viewId, isAdmin) {
      return await change<ViewReply<'unknown_view'>>(database, command, 'change_view_deletion', [viewId, isAdmin])
    },
  }
}
