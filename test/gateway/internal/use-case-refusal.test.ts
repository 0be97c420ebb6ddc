import t from 'tap'
import { BadRequestSchema } from '../../../gateway/gen/google/rpc/error_details_pb.js'
import { refusalOf } from '../../../gateway/internal/messages/use-case-refusal.js'

const faults = [
  { field: 'lines[0].unitPrice', expected: 'an integer', received: '1.5' },
  { field: 'lines[1].quantity', expected: 'a number', received: '"x"' },
  { field: 'body', expected: 'an object', received: '[]' },
]

function violationsOf(details: Parameters<typeof refusalOf>[1]['details']) {
  const error = refusalOf('basket', { code: 'invalid_request', message: 'm', details })
  return error.findDetails(BadRequestSchema).flatMap(({ fieldViolations }) => fieldViolations)
}

t.test('every fault of a malformed request is a field violation, by its path in the message', async (t) => {
  t.match(violationsOf({ ...faults[0]!, faults }), [
    { field: 'basket.lines[0].unit_price', description: 'expected an integer; received 1.5' },
    { field: 'basket.lines[1].quantity_thousandths' },
    { field: 'basket' },
  ])
})

t.test('a refusal with one faulty field has one violation, and without a field none', async (t) => {
  t.equal(violationsOf(faults[0]!).length, 1)
  t.equal(violationsOf(null).length, 0)
})
