import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CostPer, ReservationState } from '../../../gateway/gen/loyalty/v1/holds_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ValueService } from '../../../gateway/gen/loyalty/v1/value_service_pb.js'
import { aBasket, aSale, type BasketBody, type BasketBuilder } from '../../e2e/basket.js'
import { aDocument, aTypedBasket, publish, untilInForce } from './calculation-suite.js'
import type { Served } from './served.js'

const { getCalculation, simulateBasket, replayCalculation } = CalculationService.method
const { adjustValue, getBalances, listMovements } = ValueService.method

/** Ten stamps make a coffee free; a coffee gives one. */
export const stampCard = aDocument((document) => {
  document['currencies'] = [{ currencyId: 'suite-card', name: 'Stamps' }]
  document['exchanges'] = []
  document['earning'] = [
    { ruleId: 'suite-card', currencyId: 'suite-card', give: 1, per: { units: 1 }, select: { productIds: ['coffee'] } },
  ]
  document['benefits'] = [
    {
      benefitId: 'free-coffee',
      text: 'Free coffee',
      reward: { kind: 'line_percentage', percentage: 100, select: { productIds: ['coffee'] } },
      costs: { currencyId: 'suite-card', amount: 10, per: 'unit' },
    },
  ]
})

/** Value spent by baskets, from the hint to the movement. */
export function spendingSuite(t: Test, served: () => Served): void {
  async function aCard(t: Test, stamps: bigint) {
    const [admin, reader] = [served().admin(t), served().reader(t)]
    const [memberId, card] = [`member-${randomUUID()}`, `card-${randomUUID()}`]
    const members = [{ memberId, loyaltyIds: [card] }]
    await admin.ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
    const member = { by: { case: 'memberId', value: memberId } } as const
    const adjust = (amount: bigint) =>
      admin.ask(adjustValue, { requestId: randomUUID(), member, currencyId: 'suite-card', amount, reason: 'test' })
    if (stamps > 0n) await adjust(stamps)
    return {
      memberId,
      adjust,
      coffees: (quantity: number) => aBasket(card).line({ productId: 'coffee', quantity, unitPrice: 450 }),
      async account() {
        const { accounts } = await reader.ask(getBalances, { member })
        return accounts.map(({ available, held, debt }) => ({ available, held, debt }))
      },
      async movements() {
        const { movements } = await reader.ask(listMovements, { member })
        return movements.map(({ kind, amount }) => `${kind} ${amount}`)
      },
      async spent(calculationId: unknown) {
        const found = await reader.ask(getCalculation, { calculationId: String(calculationId) })
        return found.spending.map(({ benefitId, times, state }) => [benefitId, times, state])
      },
    }
  }

  async function price(t: Test, basket: BasketBuilder) {
    const body = basket.body()
    const { status, text, json } = await served().send('/v1/pos/basket', JSON.stringify(body))
    t.equal(status, 200, text)
    return { body, status: json.status, net: (json.basket ?? body)['totals']['net'] as number, text }
  }

  const sell = async (t: Test, body: BasketBody, more: Record<string, unknown>) =>
    t.equal((await served().send('/v1/pos/sale', JSON.stringify(aSale(body, more)))).status, 200)

  t.test('a full card pays a coffee: held, then used, and what the sale earns comes after', async (t) => {
    await untilInForce(served().reader(t), await publish(served().admin(t), stampCard))
    const card = await aCard(t, 12n)
    const { body, net } = await price(t, card.coffees(2))
    t.equal(net, 450)
    t.same(await card.account(), [{ available: 2n, held: 10n, debt: 0n }])
    t.same(await card.spent(body['calculationId']), [['free-coffee', 1n, ReservationState.OPEN]])
    await sell(t, body, { paidTotal: 450 })
    t.same(await card.spent(body['calculationId']), [['free-coffee', 1n, ReservationState.USED]])
    t.same(await card.movements(), ['earned 1', 'used -10', 'adjusted 12'])
    t.equal((await price(t, card.coffees(1))).status, 'unchanged', 'the next basket sees what the sale left')
    const calculationId = String(body['calculationId'])
    t.match(await served().reader(t).ask(replayCalculation, { calculationId }), { identical: true, same: true })
  })

  t.test('what another open calculation holds is not spent, and superseding moves the hold', async (t) => {
    const card = await aCard(t, 10n)
    const first = await price(t, card.coffees(1))
    t.equal(first.net, 0)
    t.equal((await price(t, card.coffees(1))).status, 'unchanged', 'another POS with the same card')
    const moved = card.coffees(3).with({ supersedesCalculationId: first.body['calculationId'] })
    const next = await price(t, moved)
    t.equal(next.net, 900)
    t.same(await card.account(), [{ available: 0n, held: 10n, debt: 0n }])
    t.same(await card.spent(first.body['calculationId']), [['free-coffee', 1n, ReservationState.RELEASED]])
    await sell(t, next.body, { status: 'cancelled', transactionId: undefined })
    t.same(await card.account(), [{ available: 10n, held: 0n, debt: 0n }])
  })

  t.test('a failed basket that was charged with discounts of an earlier answer has cost what they cost', async (t) => {
    const card = await aCard(t, 10n)
    const first = await price(t, card.coffees(1))
    const { calculationId } = first.body as { calculationId: string }
    const answered = JSON.parse(first.text).basket as BasketBody
    const next = { ...answered, calculationId: randomUUID(), supersedesCalculationId: calculationId }
    const { json } = await served().send('/v1/pos/basket', JSON.stringify(next))
    t.equal(json.status, 'unchanged')
    t.same(await card.account(), [{ available: 0n, held: 10n, debt: 0n }])
    await sell(t, next, { status: 'failed', failureReason: 'timeout', paidTotal: 0 })
    t.same(await card.spent(calculationId), [['free-coffee', 1n, ReservationState.LATE]])
    t.same(await card.movements(), ['used -10', 'adjusted 10'])
  })

  t.test('a basket is tried out with what the member has free, or with a supposed balance', async (t) => {
    const card = await aCard(t, 10n)
    const reader = served().reader(t)
    const basket = { ...aTypedBasket(450n, 2n), loyaltyId: String(card.coffees(1).body()['loyaltyId']) }
    const spending = [{ benefitId: 'free-coffee', currencyId: 'suite-card', per: CostPer.UNIT, amount: 10n, times: 1n }]
    t.match(await reader.ask(simulateBasket, { basket }), { spending })
    t.match(await reader.ask(simulateBasket, { basket, balances: { 'suite-card': 25n } }), {
      spending: [{ times: 2n }],
    })
    const { body } = await price(t, card.coffees(1))
    t.same((await reader.ask(simulateBasket, { basket })).spending, [], 'it is held')
    const supersedesCalculationId = String(body['calculationId'])
    t.match(await reader.ask(simulateBasket, { basket: { ...basket, supersedesCalculationId } }), { spending })
    t.match(await reader.ask(simulateBasket, { basket, ignoreLimits: true }), { spending })
    const unary = reader.unary(simulateBasket, { basket, balances: { 'suite-card': -1n } })
    t.match(await unary, { kind: 'refused', violations: [/0 to 2\^53 - 1/] })
    t.same(await card.account(), [{ available: 0n, held: 10n, debt: 0n }], 'nothing was taken')
  })

  t.test('after that the programme of the other suites is in force again', async (t) => {
    await untilInForce(served().reader(t), await publish(served().admin(t), aDocument()))
  })
}
