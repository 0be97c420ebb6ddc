import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { LimitCounts, LimitScope } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { LimitOwner, LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import { until } from '../../support/until.js'
import type { Served } from './served.js'

const { getLimit, listLimits } = LimitService.method

/** LimitService, on a service without sales. */
export function limitSuite(t: Test, served: () => Served): void {
  t.test('an unused limit is all zero, a missing one is not found', async (t) => {
    const reader = served().reader(t)
    const { counter, openReservations } = await reader.ask(getLimit, { limitId: 'cake-member', subject: 'nobody-yet' })
    t.match(counter, { limitId: 'cake-member', maximum: 1n, used: 0n, open: 0n, late: 0n })
    t.equal(counter?.nextExpiryAt, undefined)
    t.same(openReservations, [])
    t.match(await reader.unary(getLimit, { limitId: 'no-such-limit' }), { code: 5, reason: 'LIMIT_NOT_FOUND' })
    t.match(await reader.unary(getLimit, { limitId: '', subject: 'a\nb' }), {
      code: 3,
      reason: 'INVALID_REQUEST',
      violations: [/^limit_id: expected .* received nothing$/, /^subject: expected/],
    })
  })

  t.test('reserved units are open until the sale, then used', async (t) => {
    const reader = served().reader(t)
    const basket = await served().applied(aBasket('ben').line({ productId: 'bun', unitPrice: 120, quantity: 3 }))
    const name = { limitId: 'bun-everyone' }
    const held = await reader.ask(getLimit, name)
    t.match(held.counter, { maximum: 10n, used: 0n, open: 3n, late: 0n, counts: LimitCounts.UNITS, currency: '' })
    t.match(held.openReservations, [{ calculationId: basket['calculationId'], units: 3n }])
    const { seconds } = held.openReservations[0]!.expiresAt!
    t.equal(held.counter?.nextExpiryAt?.seconds, seconds)
    t.equal(held.counter?.lastExpiryAt?.seconds, seconds)
    t.ok(Math.abs(Number(seconds) - (Date.now() / 1_000 + 1_800)) < 120, 'it expires in half an hour')

    await served().send('/v1/pos/sale', JSON.stringify(aSale(basket, { paidTotal: 150 })))
    const used = await reader.ask(getLimit, name)
    t.match(used.counter, { used: 3n, open: 0n })
    t.equal(used.counter?.nextExpiryAt, undefined)
    t.same(used.openReservations, [])
  })

  t.test('counters are listed in order, page by page, by limit and by subject', async (t) => {
    const reader = served().reader(t)
    for (const member of ['anna', 'ben'])
      await served().applied(aBasket(member).line({ productId: 'cake', unitPrice: 900 }))
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await reader.ask(listLimits, { pageSize: 1, pageToken })
      t.ok(page.counters.length <= 1)
      seen.push(...page.counters.map(({ limitId, subject }) => `${limitId}/${subject}`))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    t.same(seen, ['bun-everyone/', 'cake-member/member-1', 'cake-member/member-2'])
    const idsOf = async (filter: { limitId?: string; subject?: string; period?: string }) =>
      (await reader.ask(listLimits, filter)).counters.map(({ limitId, subject }) => `${limitId}/${subject}`)
    t.same(await idsOf({ limitId: 'cake-member' }), ['cake-member/member-1', 'cake-member/member-2'])
    t.same(await idsOf({ subject: 'member-2' }), ['cake-member/member-2'])
    t.same(await idsOf({ subject: 'member-2', limitId: 'bun-everyone' }), [])
    t.same(await idsOf({ period: '2026-11' }), [])
  })

  t.test("shared counters and members' own are listed apart, with how long they last", async (t) => {
    const reader = served().reader(t)
    const namesOf = async (filter: object) =>
      (await reader.ask(listLimits, filter)).counters.map(({ limitId, subject }) => `${limitId}/${subject}`)
    t.same(await namesOf({ owner: LimitOwner.SHARED }), ['bun-everyone/'])
    t.same(await namesOf({ owner: LimitOwner.MEMBER }), ['cake-member/member-1', 'cake-member/member-2'])
    t.same(await namesOf({ owner: LimitOwner.MEMBER, subject: 'member-2' }), ['cake-member/member-2'])
    t.same(await namesOf({ owner: LimitOwner.SHARED, limitId: 'cake-member' }), [])
    t.same(await namesOf({ current: true, limitId: 'bun-everyone' }), ['bun-everyone/'])
    t.same(await namesOf({ current: true, period: '2020-01-01' }), [])
    const { counters } = await reader.ask(listLimits, { owner: LimitOwner.SHARED, current: true })
    t.match(counters, [{ scope: LimitScope.EVERYONE, lastHour: { taken: 3n }, lastDay: { taken: 3n } }])
    const { counter } = await reader.ask(getLimit, { limitId: 'cake-member', subject: 'member-2' })
    t.match(counter, { scope: LimitScope.MEMBER, lastHour: undefined, runsOutAt: undefined })
    t.match(await reader.unary(listLimits, { owner: 9 as LimitOwner }), { code: 3, violations: [/^owner: /] })
  })

  t.test('a budget counts minor units, in the currency of its venues', async (t) => {
    const reader = served().reader(t)
    const name = { limitId: 'juice-budget' }
    const money = { maximum: 1000n, counts: LimitCounts.AMOUNT, currency: 'EUR' }
    t.match((await reader.ask(getLimit, name)).counter, { ...money, used: 0n, open: 0n })
    const basket = await served().applied(aBasket('ben').line({ productId: 'juice', unitPrice: 470, quantity: 9 }))
    t.match(await reader.ask(getLimit, name), {
      counter: { ...money, used: 0n, open: 850n },
      openReservations: [{ units: 850n }],
    })
    const calculationId = String(basket['calculationId'])
    const { reservations } = await reader.ask(CalculationService.method.getCalculation, { calculationId })
    t.match(reservations, [{ ...name, units: 850n, counts: LimitCounts.AMOUNT }])
    await served().send('/v1/pos/sale', JSON.stringify(aSale(basket, { paidTotal: 3380 })))
    t.match(await reader.ask(listLimits, name), { counters: [{ ...money, used: 850n, open: 0n }] })

    const short = aBasket('ben').line({ productId: 'juice', unitPrice: 470 })
    t.match((await served().send('/v1/pos/basket', short.text())).json, { reason: 'limit_exhausted' })
    const about = { calculationId: String(short.body()['calculationId']) }
    const explained = () => reader.ask(CalculationService.method.getCalculation, about)
    const { explanation } = await until(explained, (found) => found.explanation.length > 0)
    const value = { ...name, counts: LimitCounts.AMOUNT, left: 150n, wanted: 170n }
    const report = explanation.find(({ benefitId }) => benefitId === 'juice-budget')
    t.match(report?.dropped?.stage, { case: 'limitExhausted', value })
  })

  t.test('a page token is valid only for its list and its filters', async (t) => {
    const reader = served().reader(t)
    const { nextPageToken } = await reader.ask(listLimits, { pageSize: 1 })
    t.not(nextPageToken, '')
    const rows = [
      { pageToken: nextPageToken, limitId: 'cake-member' },
      { pageToken: `${nextPageToken}x` },
      { pageToken: 'nonsense' },
      { pageToken: Buffer.from('["a"]').toString('base64url') },
    ]
    for (const row of rows)
      t.match(await reader.unary(listLimits, row), { code: 3, reason: 'PAGE_TOKEN_INVALID' }, row.pageToken)
    for (const pageSize of [-1, 501])
      t.match(await reader.unary(listLimits, { pageSize }), { code: 3, violations: [/^page_size/] }, String(pageSize))
  })
}
