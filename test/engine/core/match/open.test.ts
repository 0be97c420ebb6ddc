import t from 'tap'
import type { Benefit } from '../../../../engine/core/base/programme.js'
import { aBasket, aBenefit, aMember, percent, price } from '../builders.js'

const ten = aBenefit('ten', { kind: 'line_percentage', percentage: percent(10) })
const isApplied = (benefit: Benefit, moment = '2026-11-21T12:00:00Z') =>
  price(aBasket([{}], { requestedAt: Date.parse(moment) }), [benefit]).outcome.status === 'applied'

t.test('a benefit is open in its venues, at its times and to its members', async (t) => {
  const noon = Date.parse('2026-11-21T12:00:00Z')
  t.ok(isApplied({ ...ten, validFrom: noon, validUntil: noon + 1 }))
  t.notOk(isApplied({ ...ten, validUntil: noon }))
  t.notOk(isApplied({ ...ten, validFrom: noon + 1 }))
  t.notOk(isApplied({ ...ten, venueIds: ['venue-2'] }))
  t.notOk(isApplied({ ...ten, channels: ['mpos'] }))
  t.ok(isApplied({ ...ten, audience: { tiers: ['gold'], segments: ['x', 'students'], memberIds: [aMember.memberId] } }))
  t.notOk(isApplied({ ...ten, audience: { tiers: ['silver'] } }))
  t.notOk(isApplied({ ...ten, audience: { segments: ['x'] } }))
  t.notOk(isApplied({ ...ten, audience: { memberIds: ['member-2'] } }))
  t.notOk(isApplied({ ...ten, schedule: [{ days: ['mon'], from: 0, until: 0 }] }))
  t.same(price(aBasket([{}]), [{ ...ten, channels: ['mpos'] }]).outcome, { status: 'unchanged', reason: 'no_benefits' })
})
