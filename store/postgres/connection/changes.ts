import type { Command } from '../../ledger/calls.js'
import type { MemberName } from '../../ledger/value.js'
import { readRow } from './rows.js'
import { adminChanges, join, type Sql, type Statement, sql, storable } from './sql.js'

/** Makes an administrative change (schema/functions/requests.sql) with these arguments behind who asks and the digest; resolves to its reply. */
export async function change<Reply>(
  database: Sql,
  { requestId, digest, call, actor, reason = '' }: Command,
  name: string,
  args: Statement,
): Promise<Reply> {
  const pieces = [
    { text: `select ${name}(`, values: [] },
    sql`row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, `,
    args,
    sql`) as reply from set_config('lps.reason', ${reason}, true)`,
  ]
  return (await readRow<{ readonly reply: Reply }>(database, join(pieces, ''), adminChanges)).reply
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
