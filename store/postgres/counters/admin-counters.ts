import type { AdminCounters, CounterState, Hold, TakenCounter } from '../../ledger/counters.js'
import { adminReads } from '../connection/admin-terms.js'
import { findRow } from '../connection/rows.js'
import { type Sql, type Statement, sql, storable } from '../connection/sql.js'

/** Counters of limits, as internal services read them (benefits 5). */
export function createAdminCounters(database: Sql): AdminCounters {
  return {
    async list({ limitId, subject, period }, { after, limit }) {
      if ([limitId, subject, period].some((text) => storable(text) === null)) return []
      const from = after ?? ['', '', '']
      // A member's own counters are few and have an index of their own.
      const statement =
        subject === ''
          ? listOfLimit({ limitId, period }, from, limit)
          : listOfSubject({ limitId, subject, period }, from, limit)
      return await database.run<CounterState>(statement, adminReads)
    },
    async findTaken(limits) {
      return await database.run<TakenCounter>(
        sql`
          select k.limit_id as "limitId", k.subject, k.period, k.used + k.late + k.open as taken
          from json_to_recordset(${JSON.stringify(limits)}::text::json)
            as f ("limitId" text, "isOfVenue" boolean, periods json, "from" float8)
          cross join lateral (
            select '' as subject where not f."isOfVenue" union all select v.venue_id from venue v where f."isOfVenue"
          ) s
          cross join lateral json_array_elements_text(f.periods) p (period)
          join limit_counter k on k.limit_id = f."limitId" and k.subject = s.subject and k.period = p.period
          where k.used + k.late + k.open >= f."from"`,
        adminReads,
      )
    },
    async find({ limitId, subject, period }) {
      if ([limitId, subject, period].some((text) => storable(text) === null)) return null
      const row = await findRow<CounterState>(
        database,
        sql`
          select s.* from limit_counter k, limit_counter_state(k) s
          where k.limit_id = ${limitId} and k.subject = ${subject} and k.period = ${period}`,
        adminReads,
      )
      return row
    },
    async findHolds({ limitId, subject, period }, limit) {
      return await database.run<Hold>(
        sql`
          select r.calculation_id as "calculationId", r.units, milliseconds(r.held_until) as "expiresAt"
          from limit_counter k join reservation r on r.counter_id = k.counter_id
          where k.limit_id = ${limitId} and k.subject = ${subject} and k.period = ${period}
            and r.held_until > statement_timestamp()
          order by r.held_until, r.calculation_id
          limit ${limit}::integer`,
        adminReads,
      )
    },
  }
}

type From = readonly [string, string, string]

function listOfLimit(
  { limitId, period }: { readonly limitId: string; readonly period: string },
  from: From,
  limit: number,
): Statement {
  return sql`
    select s.* from limit_counter k, limit_counter_state(k) s
    where (k.limit_id, k.subject, k.period) > (${from[0]}, ${from[1]}, ${from[2]})
      and k.limit_id >= ${limitId} and (${limitId} = '' or k.limit_id = ${limitId})
      and (${period} = '' or k.period = ${period})
    order by k.limit_id, k.subject, k.period
    limit ${limit}::integer`
}

function listOfSubject(
  { limitId, subject, period }: { readonly limitId: string; readonly subject: string; readonly period: string },
  from: From,
  limit: number,
): Statement {
  return sql`
    select s.* from limit_counter k, limit_counter_state(k) s
    where k.subject = ${subject} and (k.limit_id, k.period) > (${from[0]}, ${from[2]})
      and (${limitId} = '' or k.limit_id = ${limitId}) and (${period} = '' or k.period = ${period})
    order by k.limit_id, k.period
    limit ${limit}::integer`
}
