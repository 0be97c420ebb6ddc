import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { MemberName as StoredName } from '../../../store/ledger/value.js'
import type { MemberName } from '../../gen/loyalty/v1/value_service_pb.js'
import type { FieldChecks } from './fields.js'

/** Largest amount that a double holds exactly. */
const amountMax = BigInt(Number.MAX_SAFE_INTEGER)

/** Seconds of the year 1 and of the year 9999, the range of a Timestamp. */
const [secondsMin, secondsMax] = [-62_135_596_800n, 253_402_300_799n]
const nanosPerMs = 1_000_000

/** A text for people, 1 to 128 characters. */
const reasonForm = /^[^\p{Cc}\p{Cs}]{1,128}$/u

/** Checks the fields of a value request and returns their values, which count only after `checks.done()`. */
export class ValueFields {
  constructor(private readonly checks: FieldChecks) {}

  /** A loyalty id is opaque: a text that cannot be one belongs to no member. */
  member(field: string, name: MemberName | undefined): StoredName {
    const { case: by, value = '' } = name?.by ?? {}
    if (by === 'loyaltyId') return { loyaltyId: value }
    if (by === 'memberId') this.checks.id(`${field}.member_id`, value)
    else this.checks.expect(field, false, 'a member_id or a loyalty_id', '')
    return { memberId: value }
  }

  /** 1 to 2^53 - 1. */
  amount(field: string, amount: bigint): number {
    this.checks.expect(field, amount >= 1n && amount <= amountMax, `1 to ${amountMax}`, String(amount))
    return Number(amount)
  }

  signedAmount(field: string, amount: bigint): number {
    const isAmount = amount !== 0n && amount <= amountMax && amount >= -amountMax
    this.checks.expect(field, isAmount, `-${amountMax} to ${amountMax}, but not 0`, String(amount))
    return Number(amount)
  }

  reason(field: string, reason: string): string {
    this.checks.expect(field, reasonForm.test(reason), '1 to 128 characters without control characters', reason)
    return reason
  }

  reasonOrEmpty(field: string, reason: string): void {
    if (reason !== '') this.reason(field, reason)
  }

  /** Milliseconds since the epoch, null where absent; an expiry comes after its opening. */
  dates(
    path: string,
    { opensAt, expiresAt }: { readonly opensAt?: Timestamp | undefined; readonly expiresAt?: Timestamp | undefined },
  ): { readonly opensAt: number | null; readonly expiresAt: number | null } {
    const opens = this.moment(`${path}opens_at`, opensAt)
    const expires = this.moment(`${path}expires_at`, expiresAt)
    const isAfter = opens === null || expires === null || opens < expires
    this.checks.expect(`${path}expires_at`, isAfter, 'a moment after opens_at', isoText(expires))
    return { opensAt: opens, expiresAt: expires }
  }

  /** Milliseconds since the epoch; null where absent. */
  moment(field: string, at: Timestamp | undefined): number | null {
    if (at === undefined) return null
    const { seconds, nanos } = at
    const isMoment = seconds >= secondsMin && seconds <= secondsMax && nanos >= 0 && nanos < 1_000 * nanosPerMs
    this.checks.expect(field, isMoment, 'a moment of the years 1 to 9999', `${seconds} s`)
    return isMoment ? Number(seconds) * 1_000 + Math.floor(nanos / nanosPerMs) : null
  }
}

function isoText(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString()
}
