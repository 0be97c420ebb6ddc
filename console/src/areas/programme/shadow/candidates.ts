import { isSame, listIn, type ProgrammePart, partsOf, textIn } from '../say/parts-of.js'

/** A benefit that was not in force on past days, and could be priced as if it had been. */
export interface Candidate {
  readonly benefitId: string
  readonly benefit: ProgrammePart
  /** Whether it is switched off; else it begins later than the days do. */
  readonly isOff: boolean
  /** Whether the draft adds or changes it. */
  readonly isNew: boolean
}

/**
 * The benefits of a draft that are off or begin only within or after some days, and have not ended before them.
 *
 * @param base    what the draft was begun with; null: not known yet
 * @param fromMs  when the days begin, milliseconds since the epoch
 */
export function candidatesIn(draft: ProgrammePart, base: ProgrammePart | null, fromMs: number): readonly Candidate[] {
  const before = partsOf(base ?? {}, 'benefits', 'benefitId')
  return listIn(draft, 'benefits').flatMap((benefit) => {
    const isOff = benefit['enabled'] === false
    const [from, until] = [textIn(benefit, 'validFrom'), textIn(benefit, 'validUntil')]
    const isLater = from !== '' && Date.parse(from) > fromMs
    if ((!isOff && !isLater) || (until !== '' && Date.parse(until) <= fromMs)) return []
    const benefitId = textIn(benefit, 'benefitId')
    const isNew = base !== null && !isSame(before.get(benefitId), benefit)
    return benefitId === '' ? [] : [{ benefitId, benefit, isOff, isNew }]
  })
}
