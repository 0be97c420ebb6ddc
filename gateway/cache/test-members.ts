import type { MemberFacts } from '../../engine/core/base/basket.js'

/** The version under which pricing threads hold the staging test programme; published versions start at 1. */
export const testProgrammeVersion = 0

/** The benefits of the staging test members, independent of the published programme (wire decisions 8). */
export const testBenefits = JSON.stringify([
  {
    benefitId: 'TEST-20-PERCENT',
    text: 'Test 20 %',
    audience: { memberIds: ['TEST-20-PERCENT'] },
    existingDiscounts: 'add',
    reward: { kind: 'line_percentage', percentage: 20 },
  },
])

/** One object each, so that two look-ups are equal. */
const testFacts: Readonly<Record<'TEST-20-PERCENT' | 'TEST-UNCHANGED', MemberFacts>> = {
  'TEST-20-PERCENT': { memberId: 'TEST-20-PERCENT', tier: null, segments: [] },
  'TEST-UNCHANGED': { memberId: 'TEST-UNCHANGED', tier: null, segments: [] },
}

/** A staging test member: its facts, or null for the one that is never found; `undefined` for any other id. */
export function testMember(loyaltyId: string): MemberFacts | null | undefined {
  switch (loyaltyId) {
    case 'TEST-20-PERCENT':
    case 'TEST-UNCHANGED':
      return testFacts[loyaltyId]
    case 'TEST-NOT-FOUND':
      return null
    default:
      return undefined
  }
}
