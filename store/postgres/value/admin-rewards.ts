import { createHash } from 'node:crypto'
import {
  type ActivationReply,
  type AdminRewards,
  type CancellationReply,
  type ClaimReply,
  type CodesReply,
  type IssueReply,
  segmentPageMax,
  type VoidReply,
  wrongCodesMax,
} from '../../ledger/rewards.js'
import type { MemberName } from '../../ledger/value.js'
import { readRow } from '../connection/rows.js'
import { adminChanges, type Sql, sql } from '../connection/sql.js'
import { momentText, namedBy } from './value-terms.js'

/** Vouchers, codes and activations, as internal services ask for them (4-member-value, section 6). */
export function createAdminRewards(database: Sql): AdminRewards {
  return {
    ...createActivations(database),
    async issue({ actor, call, requestId, digest, reason = '' }, { to, currencyId, amount, expiresAt }) {
      const page = 'segment' in to ? to : null
      const members = 'segment' in to ? null : JSON.stringify(to.map(rowFromName))
      const row = await readRow<{ reply: IssueReply }>(
        database,
        sql`
          select change_vouchers(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${members}::text::json,
            ${page?.segment ?? null}::text, ${page?.after ?? ''}, ${segmentPageMax}::integer,
            ${currencyId}, ${amount}::bigint, ${momentText(expiresAt)}::text::timestamptz
          ) as reply from set_config('lps.reason', ${reason}, true)`,
        adminChanges,
      )
      return row.reply
    },
    async importCodes({ actor, call, requestId, digest }, { codes, currencyId, amount, expiresAt }) {
      const row = await readRow<{ reply: CodesReply }>(
        database,
        sql`
          select change_codes(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${currencyId}, ${amount}::bigint, ${JSON.stringify(codes.map(hashed))}::text::json,
            ${momentText(expiresAt)}::text::timestamptz
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
    async claim({ actor, call, requestId, digest, reason = '' }, { member, code }) {
      const { memberId, loyaltyId } = namedBy(member)
      const row = await readRow<{ reply: ClaimReply }>(
        database,
        sql`
          select change_claim(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${memberId}::text, ${loyaltyId}::text, ${hashed(code)}, ${wrongCodesMax}::integer
          ) as reply from set_config('lps.reason', ${reason}, true)`,
        adminChanges,
      )
      return row.reply
    },
    async voidCode({ actor, call, requestId, digest }, code) {
      const row = await readRow<{ reply: VoidReply }>(
        database,
        sql`
          select change_void(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${hashed(code)}
          ) as reply`,
        adminChanges,
      )
      return row.reply
    },
  }
}

function createActivations(database: Sql): Pick<AdminRewards, 'activate' | 'cancel'> {
  return {
    async activate({ actor, call, requestId, digest, reason = '' }, { member, fromCurrencyId, toCurrencyId, times }) {
      const { memberId, loyaltyId } = namedBy(member)
      const row = await readRow<{ reply: ActivationReply }>(
        database,
        sql`
          select change_activation(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest},
            ${memberId}::text, ${loyaltyId}::text, ${fromCurrencyId}, ${toCurrencyId}, ${times}::integer
          ) as reply from set_config('lps.reason', ${reason}, true)`,
        adminChanges,
      )
      return row.reply
    },
    async cancel({ actor, call, requestId, digest, reason = '' }, activationId) {
      const row = await readRow<{ reply: CancellationReply }>(
        database,
        sql`
          select change_cancellation(
            row(${actor}::text, ${call}::text, ${requestId}::uuid)::change_context, ${digest}, ${activationId}::bigint
          ) as reply from set_config('lps.reason', ${reason}, true)`,
        adminChanges,
      )
      return row.reply
    },
  }
}

function rowFromName(member: MemberName) {
  const { memberId, loyaltyId } = namedBy(member)
  return { member_id: memberId, loyalty_id: loyaltyId }
}

/** Only this reaches the database and its log; the ledger stores a keyed digest of it. */
function hashed(code: string): string {
  return createHash('sha256').update(code).digest('hex')
}
