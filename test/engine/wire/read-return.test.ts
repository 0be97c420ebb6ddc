import t from 'tap'
import { readReturn } from '../../../engine/wire/read-return.js'
import { bytesOf, calculationId as returnId } from './basket-body.js'

const context = { venueId: 'venue 1', baxId: 'bax 1', cashRegisterId: 'register 1', channel: 'pos' }
const sold = { calculationId: '7d6f4b3e-53a1-4a5c-9d11-3a6c1d2e0f01' }
const whole = {
  returnId,
  ...sold,
  lines: [{ lineId: '1', quantity: 2 }],
  occurredAt: '2026-11-23T12:00:00+01:00',
  context,
}

t.test('reads a return by its calculation or its transaction', async (t) => {
  const lines = [
    { lineId: '1', quantity: 2, own: true },
    { lineId: '2', quantity: 0.355 },
  ]
  t.match(readReturn(bytesOf({ ...whole, lines, own: [1], transactionId: null }), returnId), {
    event: {
      ...{ returnId, sold, venueId: 'venue 1', cashRegisterId: 'register 1', dryRun: false },
      occurredAt: Date.UTC(2026, 10, 23, 11),
      lines: [
        { lineId: '1', quantity: 2_000 },
        { lineId: '2', quantity: 355 },
      ],
    },
  })
  const byTransaction = { ...whole, calculationId: undefined, transactionId: '4712', dryRun: true }
  t.match(readReturn(bytesOf(byTransaction), returnId), { event: { sold: { transactionId: '4712' }, dryRun: true } })
})

t.test('refuses what breaks a rule, with its field', async (t) => {
  for (const [more, field] of [
    [{ returnId: sold.calculationId }, 'returnId'],
    [{ calculationId: null }, 'calculationId'],
    [{ transactionId: '4712' }, 'transactionId'],
    [{ lines: [] }, 'lines'],
    [{ lines: [{ lineId: '1', quantity: 0 }] }, 'lines[0].quantity'],
    [{ lines: [{ lineId: '1', quantity: -1 }] }, 'lines[0].quantity'],
    [{ lines: [{ lineId: '1', quantity: 0.0001 }] }, 'lines[0].quantity'],
    [{ lines: [{ quantity: 1 }] }, 'lines[0].lineId'],
    [{ occurredAt: '1969-12-31T23:59:59Z' }, 'occurredAt'],
    [{ occurredAt: '9999-12-31T23:59:59Z' }, 'occurredAt'],
    [{ occurredAt: '2026-02-30T12:00:00Z' }, 'occurredAt'],
    [{ context: { ...context, venueId: '' } }, 'context.venueId'],
    [{ dryRun: 'yes' }, 'dryRun'],
  ] as const) {
    const read = readReturn(bytesOf({ ...whole, ...more }), returnId)
    t.match(read, { kind: 'refused', refusal: { code: 'invalid_request', details: { field } } }, field)
  }
})
