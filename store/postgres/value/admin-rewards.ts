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
import type { Sql } from '../connection/sql.js'

export function createAdminRewards(database: Sql): AdminRewards {
  return {
    ...createActivations(database),
    async issue(command, { to, currencyId, amount, expiresAt }) {
      const page = 'segment' in to ? to : null
      const members = 'segment' in to ? null : JSON.stringify(to.map(rowFromName))
      return await change<IssueReply>(database, command, 'change_vouchers', [
        members,
        page?.segment ?? null,
        page?.after ?? '',
        segmentPageMax,
        page?.grant ?? null,
        currencyId,
        amount,
        momentText(expiresAt),
      ])
    },
    async importCodes(command, { codes, currencyId, amount, expiresAt }, isDryRun = false) {
      return await change<CodesReply>(database, command, 'change_codes', [
        currencyId,
        amount,
        JSON.stringify(codes.map(hashed)),
        momentText(expiresAt),
        isDryRun,
      ])
    },
    async claim(command, { member, code }) {
      const { memberId, loyaltyId } = namedBy(member)
      return await change<ClaimReply>(database, command, 'change_claim', [
        memberId,
        loyaltyId,
        hashed(code),
        wrongCodesMax,
      ])
    },
    async voidCode(command, code) {
      return await change<VoidReply>(database, command, 'change_void', [hashed(code)])
    },
  }
}

function createActivations(database: Sql): Pick<AdminRewards, 'activate' | 'cancel'> {
  return {
    async activate(command, { member, fromCurrencyId, toCurrencyId, times }) {
      const { memberId, loyaltyId } = namedBy(member)
      return await change<ActivationReply>(database, command, 'change_activation', [
        memberId,
        loyaltyId,
        fromCurrencyId,
        toCurrencyId,
        times,
      ])
    },
    async cancel(command, activationId) {
      return await change<CancellationReply>(database, command, 'change_cancellation', [activationId])
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
