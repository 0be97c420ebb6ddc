import type { Command } from '../../ledger/calls.js'
import type { MemberName } from '../../ledger/value.js'
import { adminChanges, readRow, type Sql, type SqlValue, sql, storable } from './sql.js'

/** Calls an SQL function by `make_change` (requests.sql); `args` follow who asks. Resolves to its reply. */
export async function change<Reply>(
  database: Sql,
  { requestId, digest, call, actor, reason = '' }: Command,
  name: string,
  args: readonly (SqlValue | readonly string[])[],
): Promise<Reply> {
  const row = await readRow<{ readonly reply: Reply }>(
    database,
    sql`
      select make_change(
        row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${name},
        ${JSON.stringify(args.map(textOf))}::text::json
      ) as reply from set_config('lps.reason', ${reason}, true)`,
    adminChanges,
  )
  return row.reply
}

/** A value as Postgres writes it. */
function textOf(value: SqlValue | readonly string[]): string | null {
  if (value === null) return null
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
  if (typeof value !== 'object') return String(value)
  return `{${value.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

export function withoutReason(command: Command): Command {
  return { ...command, reason: '' }
}

/** A loyalty id that Postgres cannot hold names no member, as null. */
export function namedBy(member: MemberName): { readonly memberId: string | null; readonly loyaltyId: string | null } {
  return 'memberId' in member
    ? { memberId: member.memberId, loyaltyId: null }
    : { memberId: null, loyaltyId: storable(member.loyaltyId) }
}

export function momentText(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
