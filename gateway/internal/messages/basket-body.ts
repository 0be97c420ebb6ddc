import type { Basket } from '../../gen/loyalty/v1/basket_pb.js'
import { refusal } from '../errors.js'
import { linesRoom } from '../limits.js'
import { bodyFromBasket } from './basket-message.js'
import { FieldChecks } from './fields.js'

/** The bounds of the POS endpoint, for baskets of every call. */
export interface BasketRoom {
  readonly bodyBytesMax: number
  readonly linesMax: number
}

/** The body for the basket of a message. Ends the call where it has far too many lines, or is too large. */
export function bodyOfBasket({ bodyBytesMax, linesMax }: BasketRoom, basket: Basket): Uint8Array {
  if (basket.lines.length > linesRoom * linesMax) throw refusal('TOO_MANY_LINES', 'the basket has too many lines')
  return boundedBody(bodyBytesMax, 'basket', bodyFromBasket(basket))
}

/** @param part  of the request that became the body */
export function boundedBody(bytesMax: number, part: string, text: string): Uint8Array {
  const body = Buffer.from(text)
  const { length } = body
  new FieldChecks().expect(part, length <= bytesMax, `at most ${bytesMax} bytes as JSON`, `${length} bytes`).done()
  return body
}
