import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { SaleService } from '../../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { aBasket, aSale, berlin } from '../../e2e/basket.js'
import { until } from '../../support/until.js'
import type { Served } from './served.js'

const { listCalculations } = CalculationService.method
const { listMembers, upsertMembers } = MemberService.method

/** Searches of a person in support for a basket or a member. */
export function searchSuite(t: Test, served: () => Served): void {
  t.test('a basket is found by receipt, transaction, register and benefit', async (t) => {
    const reader = served().reader(t)
    const register = `register-${randomUUID().slice(0, 8)}`
    const context = { ...berlin, cashRegisterId: register }
    const coffee = await served().applied(aBasket('anna', context).line({ productId: 'coffee', unitPrice: 450 }))
    const tea = aBasket('anna', context).line({ productId: 'tea', unitPrice: 300 })
    await served().send('/v1/pos/basket', tea.text())
    const [receiptNumber, transactionId] = [Date.now(), randomUUID()]
    await served().send(
      '/v1/pos/sale',
      JSON.stringify(aSale(coffee, { paidTotal: 405, loyaltyDiscountTotal: 45, receiptNumber, transactionId })),
    )
    const idsOf = async (filter: object) =>
      (await reader.ask(listCalculations, filter)).calculations.map(({ calculationId }) => calculationId)
    const sold = coffee['calculationId']
    for (const filter of [
      { receiptNumber: BigInt(receiptNumber) },
      { transactionId },
      { receiptNumber: BigInt(receiptNumber), transactionId, venueId: 'venue-1', memberId: 'member-1' },
      { cashRegisterId: register, benefitId: 'coffee-10' },
      { cashRegisterId: register, status: CalculationStatus.APPLIED },
    ])
      t.same(await idsOf(filter), [sold], Object.keys(filter).join())
    for (const filter of [
      { receiptNumber: BigInt(receiptNumber), venueId: 'venue-2' },
      { transactionId, receiptNumber: 1n },
      { cashRegisterId: register, benefitId: 'coffee' },
    ])
      t.same(await idsOf(filter), [], `not ${Object.keys(filter).join()}`)
    // An unlimited basket comes from the journal.
    const ofRegister = await until(
      () => idsOf({ cashRegisterId: register }),
      ({ length }) => length > 1,
    )
    t.same(ofRegister, [tea.body()['calculationId'], sold])

    const [found] = (await reader.ask(listCalculations, { transactionId })).calculations
    t.match(found?.benefits, [{ benefitId: 'coffee-10', discount: 45n }])
    const { sales } = await reader.ask(SaleService.method.listSales, { receiptNumber: BigInt(receiptNumber) })
    t.same(
      sales.map(({ calculationId }) => calculationId),
      [sold],
    )
    t.match(await reader.unary(listCalculations, { receiptNumber: -1n, benefitId: 'a\nb' }), {
      reason: 'INVALID_REQUEST',
      violations: [/^receipt_number: expected 0 to/, /^benefit_id: expected/],
    })
  })

  t.test('members are listed by how an id begins, page by page', async (t) => {
    const reader = served().reader(t)
    const prefix = `listed-${randomUUID().slice(0, 8)}-`
    const members = ['a', 'b', 'ä', '\u{10ffff}'].map((name) => ({
      memberId: `${prefix}${name}`,
      loyaltyIds: [`${prefix}${name}-1`, `card-${prefix}${name}`],
    }))
    await served().as(t, 'support').ask(upsertMembers, { requestId: randomUUID(), members })
    const read = async (by: object) => {
      const seen: string[] = []
      for (let pageToken = ''; ; ) {
        const page = await reader.ask(listMembers, { pageSize: 3, pageToken, by } as object)
        seen.push(...page.members.map(({ member, loyaltyId }) => `${member?.memberId} ${loyaltyId}`))
        pageToken = page.nextPageToken
        if (pageToken === '') return seen
      }
    }
    t.same(
      await read({ case: 'memberIdPrefix', value: prefix }),
      members.map(({ memberId }) => `${memberId} `),
    )
    t.same(
      await read({ case: 'loyaltyIdPrefix', value: `card-${prefix}` }),
      members.map(({ memberId }) => `${memberId} card-${memberId}`),
    )
    t.same(await read({ case: 'memberIdPrefix', value: `${prefix}c` }), [])
    const everyone = await reader.ask(listMembers, { pageSize: 500 })
    t.ok(everyone.members.some(({ member }) => member?.memberId === 'member-1'))
    const tooLong = { by: { case: 'memberIdPrefix', value: 'x'.repeat(65) } } as const
    t.match(await reader.unary(listMembers, tooLong), { violations: [/^member_id_prefix: expected at most 64/] })
  })
}
