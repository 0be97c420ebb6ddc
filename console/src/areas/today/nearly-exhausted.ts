import type { LimitCounter } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'

/** A counter of everyone, or of a venue, that has little left. */
export interface NearlyExhausted {
  readonly limitId: string
  readonly period: string
  readonly left: bigint
  readonly maximum: bigint
}

/** At most a tenth is left. */
const littlePart = 10n
/** A member's own counter is meant to run out: only limits that many share have such a maximum. */
const sharedMaximumMin = 20n

/** Shared counters with at most a tenth left, the least first. Past periods stay listed until their counters go. */
export function nearlyExhausted(counters: readonly LimitCounter[]): readonly NearlyExhausted[] {
  return counters
    .filter(({ maximum }) => maximum >= sharedMaximumMin)
    .map(({ limitId, period, maximum, used, open, late }) => {
      const left = maximum - used - open - late
      return { limitId, period, left: left < 0n ? 0n : left, maximum }
    })
    .filter(({ left, maximum }) => left * littlePart <= maximum)
    .sort((one, other) => Number(one.left - other.left))
}
