import { fromBinary } from '@bufbuild/protobuf'
import t from 'tap'
import { BrokenMessage, weighMessage } from '../../../gateway/admission/message-weight.js'
import { SimulateBasketRequestSchema } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { field, repeated } from '../../hostile/wire-bytes.js'

const schema = SimulateBasketRequestSchema
const limits = { weightMax: 1_000, linesMax: 400 }
const emptyLines = repeated(Buffer.from([0x3a, 0]), 5_000)

/** Above 127, and of equal encoded length for every value. */
const length = (value: number) => Buffer.from([(value & 0x7f) | 0x80, ((value >> 7) & 0x7f) | 0x80, value >> 14])

t.test('a message is weighed as the decoder reads it, in any encoding', (t) => {
  const rows: readonly (readonly [what: string, message: Buffer])[] = [
    // A line of one byte, whose field ends beyond it: the decoder continues with the next line.
    ['a message that ends within a field', field(1, Buffer.concat([Buffer.from([0x3a, 1, 0x0a, 0]), emptyLines]))],
    // The decoder reads 2^32 + 2 as 2.
    [
      'a length beyond 32 bits',
      field(1, Buffer.concat([Buffer.from([0x3a, 0x82, 0x80, 0x80, 0x80, 0x10, 0x0a, 0]), emptyLines])),
    ],
    // The decoder reads the number as the length of a message, and the rest as that message.
    ['a message as a number', Buffer.concat([Buffer.from([0x08]), length(emptyLines.length), emptyLines])],
    // The decoder reads the length as the number, and the content as further fields.
    ['a number as a message', field(1, field(7, field(8, repeated(Buffer.from([0x62, 0]), 5_000))))],
  ]
  for (const [what, message] of rows) {
    t.throws(() => weighMessage(message, schema, limits), BrokenMessage, what)
    t.doesNotThrow(() => fromBinary(schema, message), `${what}: the decoder takes it`)
  }
  t.end()
})
