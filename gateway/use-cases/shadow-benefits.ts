import type { BenefitReport } from '../../engine/core/base/outcome.js'
import type { BenefitOutline, ProgrammeOutline } from '../../engine/programme/outline.js'

/** Baskets of members by the result of a benefit of a draft. */
export interface BenefitCounts {
  readonly benefitId: string
  readonly applied: number
  readonly beaten: number
  readonly notMet: number
  readonly closed: number
  readonly off: number
  readonly before: number
  readonly after: number
}

export interface BenefitTable {
  /** A basket of a member. @param requestedAt  RFC 3339: the moment at which benefits are judged */
  add(reports: readonly BenefitReport[], requestedAt: string): void
  /** The enabled benefits in the order of the draft, then the others. */
  rows(): readonly BenefitCounts[]
}

type Counts = Record<'applied' | 'beaten' | 'notMet' | 'before' | 'after', number>

/** Counts the results of each benefit of a draft, so that one that gives nothing shows why. */
export function createBenefitTable({
  benefits,
  benefitsOff,
}: Pick<ProgrammeOutline, 'benefits' | 'benefitsOff'>): BenefitTable {
  const counts = new Map<string, Counts>(benefits.map(({ benefitId }) => [benefitId, zero()]))
  const dated = benefits.filter(({ validFrom, validUntil }) => validFrom !== null || validUntil !== null)
  let baskets = 0
  return {
    add(reports, requestedAt) {
      baskets += 1
      for (const { benefitId, dropped } of reports) {
        const own = counts.get(benefitId)
        if (own === undefined) continue
        if (dropped === null) own.applied += 1
        else if (dropped.stage === 'beaten') own.beaten += 1
        else own.notMet += 1
      }
      const at = Date.parse(requestedAt)
      for (const benefit of dated) {
        const side = sideOf(benefit, at)
        if (side !== null) counts.get(benefit.benefitId)![side] += 1
      }
    },
    rows: () => [
      ...[...counts].map(([benefitId, own]) => {
        const closed = baskets - own.applied - own.beaten - own.notMet
        return { benefitId, ...own, closed, off: 0 }
      }),
      ...benefitsOff.map((benefitId) => ({ benefitId, ...zero(), closed: baskets, off: baskets })),
    ],
  }
}

function zero(): Counts {
  return { applied: 0, beaten: 0, notMet: 0, before: 0, after: 0 }
}

/** On which side of its dates a moment lies; null: it is between them. */
function sideOf({ validFrom, validUntil }: BenefitOutline, at: number): 'before' | 'after' | null {
  if (validFrom !== null && at < validFrom) return 'before'
  return validUntil !== null && at >= validUntil ? 'after' : null
}
