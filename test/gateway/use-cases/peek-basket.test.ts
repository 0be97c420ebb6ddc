import t from 'tap'
import { peekBasket } from '../../../gateway/use-cases/peek-basket.js'

const at = (text: string) => peekBasket(Buffer.from(text))

t.test('member and venue are found where POS callers write them, in any order and with any white space', async (t) => {
  const seen = { loyaltyId: 'LOY-1', venueId: 'oslo' }
  t.same(at('{"loyaltyId":"LOY-1","context":{"venueId":"oslo"}}'), seen)
  t.same(at('{"context" : { "venueId"\n:\t"oslo" }, "loyaltyId" : "LOY-1"}'), seen)
  const padded = Buffer.from('xx{"loyaltyId":"LOY-1","context":{"venueId":"oslo"}}xx')
  t.same(
    peekBasket(new Uint8Array(padded.buffer, padded.byteOffset + 2, padded.length - 4)),
    seen,
    'a view on other bytes',
  )
})

t.test('anything unusual is left to the reader of the body', async (t) => {
  for (const text of [
    '',
    '{}',
    '{"venueId":"oslo"}',
    '{"loyaltyId":"LOY-1"}',
    '{"loyaltyId":null,"context":{"venueId":"oslo"}}',
    '{"loyaltyId":"L\\u004fY","context":{"venueId":"oslo"}}',
    '{"loyaltyId":"LOY-1","context":{"venueId":7}}',
    '{"loyaltyId":"LOY-1","context":{"venueId":"',
    `{"loyaltyId":"${'x'.repeat(65)}","context":{"venueId":"oslo"}}`,
  ]) {
    t.equal(at(text), null, text.slice(0, 60))
  }
})
