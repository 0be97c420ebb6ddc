import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { VenueService } from '../../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { type Served, within2s } from './served.js'

const { upsertMembers, blockMember, forgetMember } = MemberService.method
const { getProgramme, publishProgramme } = ProgrammeService.method
const { getVenue, upsertVenue } = VenueService.method

/** A change at one gateway takes effect at the other, and calls on both act as on one. */
export async function replicaPromises(t: Test, one: Served, other: Served): Promise<void> {
  const admin = one.admin(t)
  const statusAt = async ({ send }: Served, loyaltyId: string) => {
    const basket = aBasket(loyaltyId).line({ productId: 'coffee', unitPrice: 1_000 })
    return (await send('/v1/pos/basket', basket.text())).json
  }
  const becomes = (loyaltyId: string, status: string, what: string) =>
    within2s(t, async () => (await statusAt(other, loyaltyId)).status === status, what)

  await t.test('a member stored, blocked, unblocked and forgotten at one gateway counts so at the other', async (t) => {
    const memberId = `member-${randomUUID()}`
    const card = `card-${randomUUID()}`
    t.equal((await statusAt(other, card)).status, 'member_not_found')
    await admin.ask(upsertMembers, { requestId: randomUUID(), members: [{ memberId, loyaltyIds: [card] }] })
    await becomes(card, 'applied', 'stored')
    await admin.ask(blockMember, { requestId: randomUUID(), memberId })
    await becomes(card, 'member_not_found', 'blocked')
    await admin.ask(blockMember, { requestId: randomUUID(), memberId, unblock: true })
    await becomes(card, 'applied', 'let in')
    await admin.ask(forgetMember, { requestId: randomUUID(), memberId })
    await becomes(card, 'member_not_found', 'forgotten')
  })

  await t.test('a programme published at one gateway prices at the other', async (t) => {
    const { programme, document } = await admin.ask(getProgramme, {})
    const changed = document
      .replace('"percentage":10', '"percentage":25')
      .replace('"percentage": 10', '"percentage": 25')
    t.not(changed, document)
    const request = { requestId: randomUUID(), document: changed, expectedVersion: programme!.version }
    const [first, second] = await Promise.all([
      admin.ask(publishProgramme, request),
      other.admin(t).ask(publishProgramme, request),
    ])
    t.same(first, second, 'one request at both gateways is carried out once')
    await within2s(t, async () => (await statusAt(other, 'anna')).basket?.totals.net === 750, 'priced')
  })

  await t.test('a venue stored at one gateway sells at the other', async (t) => {
    const { venue } = await admin.ask(getVenue, { venueId: 'venue-1' })
    const baxId = `bax-${randomUUID()}`
    const statusOf = async () => {
      const context = { venueId: 'venue-1', baxId, cashRegisterId: 'register', channel: 'pos' }
      const basket = aBasket('anna', context).line({ productId: 'coffee', unitPrice: 450 })
      return (await other.send('/v1/pos/basket', basket.text())).status
    }
    t.equal(await statusOf(), 422)
    await admin.ask(upsertVenue, { requestId: randomUUID(), venue: { ...venue!, baxIds: [...venue!.baxIds, baxId] } })
    await within2s(t, async () => (await statusOf()) === 200, 'sells')
  })
}
