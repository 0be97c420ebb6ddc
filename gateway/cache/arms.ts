import { createHash } from 'node:crypto'
import { percentageWhole } from '../../engine/core/base/money.js'
import type { Experiment } from '../../engine/core/base/programme.js'
import { isRunning } from '../../engine/core/match/experiments.js'

export interface Arms {
  /** The member's arm by experimentId. undefined: there is no experiment. */
  of(memberId: string): Readonly<Record<string, string>> | undefined
  /** Ids of the benefits that the member does not have at this moment, milliseconds since the epoch. */
  withheld(memberId: string, at: number): (benefitId: string) => boolean
}

/** Bytes of a digest that place a member: 2^48 places are 500 times as many as ten-thousandths of a percent need. */
const placeBytes = 6
const places = 2 ** (8 * placeBytes)

/**
 * Splits members into arms by a keyed hash of experiment and member, so an arm never changes, and no arm can be guessed. A member in a
 * global holdout is in no other experiment. The same in SQL: `experiment_arm`.
 *
 * @param key  as in `NewestProgramme`
 */
export function createArms(experiments: readonly Experiment[], key: string | null): Arms {
  if (key === null || experiments.length === 0) return { of: () => undefined, withheld: () => () => false }
  const pads = Buffer.from(key, 'hex')
  const [inner, outer] = [pads.subarray(0, pads.length / 2), pads.subarray(pads.length / 2)]
  const global = experiments.find(isGlobal)

  function armOf({ experimentId, arms }: Experiment, memberId: string): string {
    // HMAC-SHA-256 (RFC 2104): the pads hold the key.
    const message = `experiment ${experimentId}\n${memberId}`
    const digest = createHash('sha256')
      .update(outer)
      .update(createHash('sha256').update(inner).update(message).digest())
      .digest()
    const place = (digest.readUIntBE(0, placeBytes) / places) * percentageWhole
    let below = 0
    const own = arms.find(({ percentage }) => {
      below += percentage
      return place < below
    })
    return own!.armId
  }

  function of(memberId: string): Readonly<Record<string, string>> {
    if (global !== undefined) {
      const armId = armOf(global, memberId)
      if (armId === global.arms[0]!.armId) return { [global.experimentId]: armId }
    }
    return Object.fromEntries(experiments.map((each) => [each.experimentId, armOf(each, memberId)]))
  }

  return {
    of,
    withheld(memberId, at) {
      const arms = of(memberId)
      const lacks = experiments
        .filter((each) => Object.hasOwn(arms, each.experimentId) && isRunning(each, at))
        .map(({ experimentId, arms: all }) => ({ all, own: all.find(({ armId }) => armId === arms[experimentId])! }))
      return (benefitId) =>
        lacks.some(({ all, own }) => {
          const isIn = ({ benefitIds }: Experiment['arms'][number]) => benefitIds?.includes(benefitId) ?? true
          return all.some(isIn) && !isIn(own)
        })
    },
  }
}

function isGlobal({ arms }: Experiment): boolean {
  return arms.some(({ benefitIds }) => benefitIds === null)
}
