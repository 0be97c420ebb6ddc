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
import { change, momentText, namedBy } from '../connection/changes.js'
import { type Sql, sql } from '../connection/sql.js'

export function createAdminRewards(database: Sql): AdminRewards {
  return {
    ...createActivations(database),
    async issue(command, { to, currencyId, amount, expiresAt }) {
      const page = 'segment' in to ? to : null
      const members = 'segment' in to ? null : JSON.stringify(to.map(rowFromName))
      return await change<IssueReply>(
        database,
        command,
        'change_vouchers',
        sql`
          ${members}::text::json, ${page?.segment ?? null}::text, ${page?.after ?? ''}, ${segmentPageMax}::integer,
          ${page?.grant ?? null}::text, ${currencyId}, ${amount}::bigint, ${momentText(expiresAt)}::text::timestamptz`,
      )
    },
    async importCodes(command, { codes, currencyId, amount, expiresAt }, isDryRun = false) {
      return await change<CodesReply>(
        database,
        command,
        'change_codes',
        sql`
          ${currencyId}, ${amount}::bigint, ${JSON.stringify(codes.map(hashed))}::text::json,
          ${momentText(expiresAt)}::text::timestamptz, ${isDryRun}::boolean`,
      )
    },
    async claim(command, { member, code }) {
      const { memberId, loyaltyId } = namedBy(member)
      return await change<ClaimReply>(
        database,
        command,
        'change_claim',
        sql`${memberId}::text, ${loyaltyId}::text, ${hashed(code)}, ${wrongCodesMax}::integer`,
      )
    },
    async voidCode(command, code) {
      return await change<VoidReply>(database, command, 'change_void', sql`${hashed(code)}`)
    },
  }
}

function createActivations(database: Sql): Pick<AdminRewards, 'activate' | 'cancel'> {
  return {
    async activate(command, { member, fromCurrencyId, toCurrencyId, times }) {
      const { memberId, loyaltyId } = namedBy(member)
      return await change<ActivationReply>(
        database,
        command,
        'change_activation',
        sql`${memberId}::text, ${loyaltyId}::text, ${fromCurrencyId}, ${toCurrencyId}, ${times}::integer`,
      )
    },
    async cancel(command, activationId) {
      return await change<CancellationReply>(database, command, 'change_cancellation', sql`${activationId}::bigint`)
    },
  }
}

function rowFromName(member: MemberName) {
  const { memberId, loyaltyId } = namedBy(member)
  return { member_id: memberId, loyalty_id: loyaltyId }
}

function hashed(code: string): string {
  return createHash('sha256').update(code).digest('hex')
}
