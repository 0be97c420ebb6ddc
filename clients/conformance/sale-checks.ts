import { randomUUID } from 'node:crypto'
import { type Check, expect, expectEqual, expectError, expectField, expectGood, type Probe } from './probe.js'

export const saleChecks: readonly Check[] = [
  {
    name: 'a sale of every status is recorded, and a repeated event is answered byte for byte',
    section: 'contract 3.1',
    async run(probe) {
      const endings = [
        { status: 'unchanged' },
        { status: 'member_not_found', loyaltyId: null },
        { status: 'applied', paidTotal: 1, loyaltyDiscountTotal: 9 },
        { status: 'failed', failureReason: 'timeout' },
        { status: 'cancelled', transactionId: undefined, paidTotal: undefined, loyaltyDiscountTotal: undefined },
      ]
      for (const ending of endings) {
        const { calculationId } = await aCalculation(probe)
        const sale = probe.sale(calculationId, ending)
        const first = await probe.postSale(sale)
        expectEqual(expectGood(first), { calculationId, result: 'recorded' }, `answer for ${ending.status}`)
        const again = await probe.postSale(sale)
        expectEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'], 'the repeated event')
      }
    },
  },
  {
    name: 'another event under a used key is a conflict',
    section: 'wire decisions 4',
    async run(probe) {
      const { calculationId } = await aCalculation(probe)
      expectGood(await probe.postSale(probe.sale(calculationId)))
      expectError(await probe.postSale(probe.sale(calculationId, { paidTotal: 1 })), 409, 'idempotency_conflict')
    },
  },
  {
    name: 'an event for an unknown GUID is unknown_calculation, and final; its basket may still come',
    section: 'contract 2.5',
    async run(probe) {
      const calculationId = randomUUID()
      const answer = expectGood(await probe.postSale(probe.sale(calculationId)))
      expectEqual(answer, { calculationId, result: 'unknown_calculation' }, 'answer')
      expectError(await probe.postSale(probe.sale(calculationId)), 409, 'idempotency_conflict')
      expectGood(await probe.postBasket(probe.basket('TEST-UNCHANGED', { calculationId })))
    },
  },
  {
    name: 'what a status does not allow is refused',
    section: 'wire decisions 5',
    async run(probe) {
      const rows: [change: object, field: string][] = [
        [{ status: 'failed' }, 'failureReason'],
        [{ failureReason: 'timeout' }, 'failureReason'],
        [{ transactionId: undefined }, 'transactionId'],
        [{ status: 'cancelled' }, 'transactionId'],
        [{ loyaltyDiscountTotal: 1 }, 'loyaltyDiscountTotal'],
        [{ status: 'sold' }, 'status'],
        [{ receiptNumber: -1 }, 'receiptNumber'],
      ]
      for (const [change, field] of rows) {
        const answer = await probe.postSale(probe.sale(randomUUID(), { ...change }))
        expectError(answer, 400, 'invalid_request')
        expectField(answer, field)
      }
    },
  },
]

const refund = { refund: 4_500, lines: [{ lineId: '1', refund: 4_500 }], takenBack: 0, givenBack: 0 }

/** Returns, an addition beyond the draft contract: nothing is checked where they are off. */
export const returnChecks: readonly Check[] = [
  {
    name: 'a return is quoted, recorded once, and refused for more than is left (unless returns are off)',
    section: 'wire decisions 10',
    async run(probe) {
      const { calculationId } = await aCalculation(probe)
      expectGood(await probe.postSale(probe.sale(calculationId)))
      const returned = probe.aReturn(calculationId)
      const { returnId } = returned
      const quoted = await probe.postReturn({ ...returned, dryRun: true })
      if (quoted.status === 404) return
      expectEqual(expectGood(quoted), { returnId, result: 'quoted', ...refund }, 'quote')
      const first = await probe.postReturn(returned)
      expectEqual(expectGood(first), { returnId, result: 'recorded', ...refund }, 'answer')
      const again = await probe.postReturn(returned)
      expectEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true'], 'the repeated return')
      const lines = [{ lineId: '1', quantity: 3 }]
      expectError(await probe.postReturn({ ...returned, lines }), 409, 'idempotency_conflict')
      const tooMuch = await probe.postReturn(probe.aReturn(calculationId, { lines }))
      expectError(tooMuch, 400, 'invalid_request')
      expectField(tooMuch, 'lines[0].quantity')
      const unknown = probe.aReturn(randomUUID())
      const answer = expectGood(await probe.postReturn(unknown))
      expectEqual(answer, { returnId: unknown['returnId'], result: 'unknown_calculation' }, 'answer')
    },
  },
]

async function aCalculation(probe: Probe): Promise<{ calculationId: string }> {
  const basket = probe.basket('TEST-UNCHANGED')
  const answer = await probe.postBasket(basket)
  expect(answer.status === 200, `the basket call: expected 200, received ${answer.status}`)
  return basket
}
