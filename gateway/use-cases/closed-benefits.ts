import { compareCodePoints } from '../../engine/core/base/code-points.js'
import type { ClosedBenefit, PricingFacts, SentBasket } from '../../engine/index.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LowPriority, LowPriorityProgramme } from '../background/low-priority.js'
import type { ProgrammeReader } from '../background/programme-reader.js'
import { createRemembered } from '../cache/remembered.js'

export interface ClosedParts {
  readonly adminLedger: Pick<AdminLedger, 'programmes'>
  readonly lowPriority: Pick<LowPriority, 'run'>
  readonly programmeReader: Pick<ProgrammeReader, 'read'>
}

/** A benefit that was not open, with every term that kept it closed; of one that is not enabled only that. */
export interface Closed extends Omit<ClosedBenefit, 'terms'> {
  readonly terms: readonly (ClosedBenefit['terms'][number] | 'enabled')[]
}

/** Place, time, member and programme of a pricing. */
export interface ClosedFor {
  readonly programme: LowPriorityProgramme
  readonly sent: SentBasket
  readonly facts: Omit<PricingFacts, 'programmeVersion'>
}

/** The benefits of a programme that are not open to a member, in the order of benefitId; null: there is no member. */
export type FindClosed = (asked: ClosedFor, signal: AbortSignal) => Promise<readonly Closed[] | null>

/** Versions whose benefits that are not enabled are remembered: reading a whole document takes up to a second. */
const versionsMax = 16

/**
 * Judges by the engine's own rules, as a basket was priced or would be: pricing stores the open benefits alone, for a programme may
 * have thousands that are not.
 */
export function createFindClosed({ adminLedger, lowPriority, programmeReader }: ClosedParts): FindClosed {
  const offIn = createRemembered(versionsMax, async (version) => {
    const found = await adminLedger.programmes.find(Number(version), true)
    const reading = await programmeReader.read(Buffer.from(found?.document ?? '{}'))
    return reading.kind === 'read' ? reading.outline.benefitsOff : []
  })

  return async ({ programme, sent, facts }, signal) => {
    if (facts.member === null) return null
    const off = programme.benefitsOff ?? (await offIn.get(String(programme.version)))
    const closed = await lowPriority.run(signal, (engine) => engine.closedBenefits(programme, sent, facts))
    const disabled = off.map((benefitId): Closed => ({ benefitId, terms: ['enabled'] }))
    return [...closed, ...disabled].sort((left, right) => compareCodePoints(left.benefitId, right.benefitId))
  }
}
