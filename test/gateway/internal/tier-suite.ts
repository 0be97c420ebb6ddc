import { randomUUID } from 'node:crypto'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus, TierSource } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale, type BasketBody } from '../../e2e/basket.js'
import { aDocument, aTypedBasket, publish, untilInForce } from './calculation-suite.js'
import { type Served, within2s } from './served.js'

const { getMember, setTier, upsertMembers } = MemberService.method
const { getBalances } = ValueService.method
const { simulateBasket } = CalculationService.method

const day = 86_400_000

/** Coffee at 450 costs 300 on the first visit, 400 as gold, 200 on the birthday. */
function withTiers(): string {
  return aDocument((document) => {
    const coffeeFor = (benefitId: string, unitPrice: number, audience: object) => ({
      benefitId,
      text: benefitId,
      audience,
      reward: { kind: 'member_price', select: { productIds: ['coffee'] }, unitPrice },
    })
    document['benefits'] = [
      coffeeFor('welcome', 300, { visits: { to: 0 } }),
      coffeeFor('gold', 400, { tiers: ['gold'] }),
      coffeeFor('birthday', 200, { birthday: { daysBefore: 0, daysAfter: 1 } }),
      coffeeFor('newcomer', 250, { joinedWithinDays: 3 }),
    ]
    document['currencies'].push({ currencyId: 'tier-points', name: 'Points', opensAfterDays: 30 })
    document['earning'] = [{ ruleId: 'tier-points', currencyId: 'tier-points', give: 1, per: { amount: 100 } }]
    const tier = { currencyId: 'tier-points', windowMonths: 12, keepMonths: 6 }
    document['tiers'] = [
      { tierId: 'silver', rank: 1, amount: 2, ...tier },
      { tierId: 'gold', rank: 2, amount: 3, ...tier },
    ]
  })
}

/** Tiers and audiences, from the programme to the price. */
export function tierSuite(t: Test, served: () => Served): void {
  const enrol = async (t: Test, more: { readonly birthday?: string; readonly joinedOn?: string } = {}) => {
    const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
    const members = [{ memberId, loyaltyIds: [card], ...more }]
    await served().admin(t).ask(upsertMembers, { requestId: randomUUID(), members })
    return { memberId, card }
  }
  const priceOf = async (card: string): Promise<{ readonly sent: BasketBody; readonly net: number }> => {
    const sent = aBasket(card).line({ productId: 'coffee', unitPrice: 450 }).body()
    const { json } = await served().send('/v1/pos/basket', JSON.stringify(sent))
    return { sent, net: json.status === 'applied' ? json.basket.totals.net : 450 }
  }
  const costs = (card: string, net: number) => async () => (await priceOf(card)).net === net

  t.before(async () => {
    await untilInForce(served().reader(t), await publish(served().admin(t), withTiers()))
  })

  t.test('a member reaches a tier by a sale, and the next basket has its price within 2 s', async (t) => {
    const { memberId, card } = await enrol(t)
    await within2s(t, costs(card, 300), 'the first visit')
    const { sent, net } = await priceOf(card)
    await served().send('/v1/pos/sale', JSON.stringify(aSale(sent, { paidTotal: net })))
    await within2s(t, costs(card, 400), 'gold')
    const reader = served().reader(t)
    const { member, standing } = await reader.ask(getMember, { by: { case: 'memberId', value: memberId } })
    t.equal(member?.tier, undefined)
    t.match(standing, { tier: 'gold', tierSource: TierSource.EARNED, visits: 1n, tierReason: '' })
    const until = Number(standing?.tierUntil?.seconds) * 1_000
    t.ok(until > Date.now() + 17 * 30 * day && until < Date.now() + 19 * 31 * day, String(until))
    const balances = await reader.ask(getBalances, { member: { by: { case: 'memberId', value: memberId } } })
    t.match(balances, { tier: 'gold', tierUntil: standing!.tierUntil!, accounts: [{ pending: 3n }] })
  })

  t.test('a tier that is set wins within 2 s until it is ended', async (t) => {
    const { card } = await enrol(t)
    const admin = served().admin(t)
    const member = { by: { case: 'loyaltyId', value: card } } as const
    const until = timestampFromMs(Date.now() + day)
    const request = { requestId: randomUUID(), member, tier: 'silver', until, reason: 'tier match' }
    const { standing } = await admin.ask(setTier, request)
    t.match(standing, { tier: 'silver', tierSource: TierSource.SET, tierReason: 'tier match', tierUntil: until })
    t.match(await admin.unary(setTier, { ...request, tier: 'gold' }), { reason: 'REQUEST_ID_CONFLICT' })
    const { sent, net } = await priceOf(card)
    await served().send('/v1/pos/sale', JSON.stringify(aSale(sent, { paidTotal: net })))
    await within2s(t, costs(card, 450), 'silver wins over what was earned')
    const end = { requestId: randomUUID(), member, reason: 'enough' }
    t.match((await admin.ask(setTier, end)).standing, { tier: 'gold', tierSource: TierSource.EARNED })
    await within2s(t, costs(card, 400), 'gold again')
  })

  t.test('bad input of SetTier is refused by its field', async (t) => {
    const { memberId } = await enrol(t)
    const admin = served().admin(t)
    const member = { by: { case: 'memberId', value: memberId } } as const
    const until = timestampFromMs(Date.now() + day)
    const good = { requestId: randomUUID(), member, tier: 'gold', until, reason: 'x' }
    const { until: _, ...endless } = good
    const { member: __, ...nobody } = good
    const faults: readonly (readonly [request: object, field: RegExp])[] = [
      [{ ...good, requestId: 'x' }, /^request_id: /],
      [{ ...good, tier: 'a\u0001' }, /^tier: /],
      [{ ...good, reason: '' }, /^reason: /],
      [{ ...good, tier: '' }, /^until: expected nothing without a tier/],
      [{ ...good, until: timestampFromMs(1_000) }, /^until: expected a moment to come/],
      [endless, /^until: /],
      [nobody, /^member: /],
    ]
    for (const [request, field] of faults)
      t.match(await admin.unary(setTier, request), { code: 3, reason: 'INVALID_REQUEST', violations: [field] })
    t.match(await admin.unary(setTier, { ...good, tier: 'platinum' }), { code: 5, reason: 'TIER_NOT_FOUND' })
    const stranger = { ...good, member: { by: { case: 'memberId', value: 'nobody' } } } as const
    t.match(await admin.unary(setTier, stranger), { code: 5, reason: 'MEMBER_NOT_FOUND' })
    t.match(await served().reader(t).unary(setTier, good), { code: 7 })
    t.notOk((await admin.ask(getMember, { by: member.by })).standing?.tier)
  })

  t.test('birthdays and newcomers have their price, at the POS and simulated', async (t) => {
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format()
    const born = await enrol(t, { birthday: today.slice(5) })
    const joined = await enrol(t, { joinedOn: today })
    await within2s(t, costs(born.card, 200), 'the birthday')
    await within2s(t, costs(joined.card, 250), 'the newcomer')
    const reader = served().reader(t)
    const basket = { ...aTypedBasket(450n), requestedAt: '2026-03-01T10:00:00Z' }
    const simulated = async (more: object) => {
      const { status, basket: answer } = await reader.ask(simulateBasket, { basket, ...more })
      return status === CalculationStatus.APPLIED ? answer?.totals?.net : 450n
    }
    const supposed = { memberId: 'm', loyaltyIds: ['c'] }
    t.equal(await simulated({ member: supposed }), 300n)
    t.equal(await simulated({ member: supposed, visits: 1n }), 450n)
    t.equal(await simulated({ member: { ...supposed, birthday: '02-29' }, visits: 1n }), 200n)
    t.equal(await simulated({ member: { ...supposed, joinedOn: '2026-02-26' }, visits: 1n }), 250n)
    t.equal(await simulated({ member: { ...supposed, joinedOn: '2026-02-25' }, visits: 1n }), 450n)
    t.equal(await simulated({ member: { ...supposed, tier: 'gold' }, visits: 1n }), 400n)
    t.match(await reader.unary(simulateBasket, { basket, visits: -1n }), { violations: [/^visits: /] })
  })

  t.test('after that the programme of the other suites is in force again', async (t) => {
    await untilInForce(served().reader(t), await publish(served().admin(t), aDocument()))
  })
}
