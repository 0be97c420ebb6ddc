import type { AnswerLookup } from '../ledger/calculations.js'
import type { MemberHints } from '../ledger/members.js'
import { createBatches } from './connection/batches.js'
import type { LedgerOptions } from './connection/options.js'
import { findRow, join, readRow, type Sql, type Statement, sql, wrongRows } from './connection/sql.js'

const patienceUsualMs = 4
const idsMax = 32

export interface AnswerRow {
  readonly kind: AnswerLookup['kind']
  readonly digest: Uint8Array
  readonly packed: Uint8Array
}

export interface VenueRow {
  readonly body: string
  readonly baxIds: readonly string[]
}

export interface MemberRow {
  readonly memberId: string
  readonly body: string
  readonly loyaltyIds: readonly string[]
}

export interface HintedRow extends Omit<MemberRow, 'loyaltyIds'> {
  readonly hints: MemberHints
}

interface Rows {
  readonly answer: AnswerRow
  readonly venue: VenueRow
  readonly member: MemberRow
  readonly hinted: HintedRow
}

type What = keyof Rows

export interface LookUps {
  /** null: there is none; an answer always has a row. Rejects with StoreFault, also where the reply lacks the id. */
  find<W extends What>(what: W, id: string): Promise<Rows[W] | null>
}

interface Asked {
  readonly what: What
  readonly id: string
}

interface FoundRow {
  readonly what: What
  readonly place: number
  readonly isFound: boolean
  readonly kind: AnswerRow['kind'] | null
  readonly digest: Uint8Array | null
  readonly packed: Uint8Array | null
  readonly memberId: string | null
  readonly body: string | null
  readonly ids: readonly string[] | null
  readonly hints: MemberHints | null
}

export function createSingleLookUps(database: Sql, { idempotencyS, readMs }: Required<LedgerOptions>): LookUps {
  return {
    async find<W extends What>(what: W, id: string) {
      const statement = single[what](id, idempotencyS)
      const terms = { effect: 'reads', withinMs: readMs } as const
      if (what === 'answer') return await readRow<Rows[W]>(database, statement, terms)
      return await findRow<Rows[W]>(database, statement, terms)
    },
  }
}

const single: Readonly<Record<What, (id: string, idempotencyS: number) => Statement>> = {
  answer: (id, idempotencyS) => sql`select * from find_answer(${id}::uuid, ${idempotencyS}::integer)`,
  member: (id) => sql`
    select m.member_id as "memberId", m.body, (
      select json_agg(l.loyalty_id order by l.loyalty_id) from member_loyalty_id l where l.member_id = m.member_id
    ) as "loyaltyIds"
    from member_loyalty_id f join member m on m.member_id = f.member_id
    where f.loyalty_id = ${id}`,
  hinted: (id) => sql`
    select m.member_id as "memberId", member_hints(m.member_id) as hints, m.body
    from member_loyalty_id f join member m on m.member_id = f.member_id
    where f.loyalty_id = ${id}`,
  venue: (id) => sql`
    select v.body, (
      select coalesce(json_agg(b.bax_id order by b.bax_id), '[]') from bax b where b.venue_id = v.venue_id
    ) as "baxIds"
    from venue v where v.venue_id = ${id}`,
}

/** Look-ups leave in batches: answer and member of a basket cost one round trip. */
export function createLookUps(
  database: Sql,
  options: Required<LedgerOptions>,
  patienceMs: number = patienceUsualMs,
): LookUps {
  const { idempotencyS, readMs } = options
  const alone = createSingleLookUps(database, options)
  const ask = createBatches<Asked, Rows[What] | null>({
    patienceMs,
    joins: (_, others) => others.length < idsMax,
    async send(asked) {
      const [first] = asked
      if (asked.length === 1) return [await alone.find(first!.what, first!.id)]
      const terms = { effect: 'reads', withinMs: readMs } as const
      return rowsByPlace(asked, await database.run<FoundRow>(statementFor(asked, idempotencyS), terms))
    },
  })
  return { find: <W extends What>(what: W, id: string) => ask({ what, id }) as Promise<Rows[W] | null> }
}

/** A reply that lacks an id is a fault, not "unknown". */
function rowsByPlace(asked: readonly Asked[], found: readonly FoundRow[]): readonly (Rows[What] | null)[] {
  const rows = new Map(found.map((row) => [Number(row.place), row]))
  return asked.map(({ what }, place) => {
    const row = rows.get(place)
    if (row?.what !== what || (what === 'answer' && !row.isFound)) throw wrongRows('reads', asked.length, found.length)
    return row.isFound ? rowOf(what, row) : null
  })
}

function rowOf(what: What, { kind, digest, packed, memberId, body, ids, hints }: FoundRow): Rows[What] {
  switch (what) {
    case 'answer':
      return { kind: kind!, digest: digest!, packed: packed! }
    case 'member':
      return { memberId: memberId!, body: body!, loyaltyIds: ids! }
    case 'hinted':
      return { memberId: memberId!, body: body!, hints: hints! }
    case 'venue':
      return { body: body!, baxIds: ids! }
  }
}

/**
 * One piece for each kind; texts of statements are few, so each is prepared once. By id: an answer that is found may be marked as replayed,
 * and calculations are locked in the order of their ids.
 */
function statementFor(asked: readonly Asked[], idempotencyS: number): Statement {
  const sorted = asked.map(({ what, id }, place) => ({ what, id, place })).sort((a, b) => orderOf(a.id, b.id))
  const places = (what: What) =>
    JSON.stringify(sorted.flatMap(({ place, id, ...each }) => (each.what === what ? [{ place, id }] : [])))
  const pieces = [...new Set(asked.map(({ what }) => what))]
    .sort()
    .map((what) => pieceFor[what](places(what), idempotencyS))
  return pieces.length === 1 ? pieces[0]! : join(pieces, ' union all ')
}

function orderOf(id: string, other: string): number {
  const [own, others] = [id.toLowerCase(), other.toLowerCase()]
  return own < others ? -1 : Number(own > others)
}

const pieceFor: Readonly<Record<What, (places: string, idempotencyS: number) => Statement>> = {
  answer: (places, idempotencyS) => sql`
    select 'answer' as what, u.place, true as "isFound", f.kind, f.digest, f.packed, null as "memberId", null as body, null::json as ids,
      null::json as hints
    from json_to_recordset(${places}::text::json) as u (place integer, id uuid), lateral find_answer(u.id, ${idempotencyS}::integer) f`,
  member: (places) => sql`
    select 'member' as what, u.place, m.member_id is not null as "isFound", null as kind, null::bytea as digest, null::bytea as packed,
      m.member_id as "memberId", m.body, (
      select json_agg(l.loyalty_id order by l.loyalty_id) from member_loyalty_id l where l.member_id = m.member_id
    ) as ids, null::json as hints
    from json_to_recordset(${places}::text::json) as u (place integer, id text)
    left join (member_loyalty_id f join member m on m.member_id = f.member_id) on f.loyalty_id = u.id`,
  hinted: (places) => sql`
    select 'hinted' as what, u.place, m.member_id is not null as "isFound", null as kind, null::bytea as digest, null::bytea as packed,
      m.member_id as "memberId", m.body, null::json as ids, case when m.member_id is not null then member_hints(m.member_id) end as hints
    from json_to_recordset(${places}::text::json) as u (place integer, id text)
    left join (member_loyalty_id f join member m on m.member_id = f.member_id) on f.loyalty_id = u.id`,
  venue: (places) => sql`
    select 'venue' as what, u.place, v.venue_id is not null as "isFound", null as kind, null::bytea as digest, null::bytea as packed,
      null as "memberId", v.body, (
      select coalesce(json_agg(b.bax_id order by b.bax_id), '[]') from bax b where b.venue_id = v.venue_id
    ) as ids, null::json as hints
    from json_to_recordset(${places}::text::json) as u (place integer, id text) left join venue v on v.venue_id = u.id`,
}
