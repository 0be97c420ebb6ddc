import type { JsonObject } from '@bufbuild/protobuf'
import { PosService, SaleEventSchema } from '../../gen/loyalty/v1/pos_service_pb.js'
import type { RateLimiter } from '../../listeners/rate-limit.js'
import type { PartnerUseCases, Reply } from '../../use-cases/replies.js'
import { refusal } from '../errors.js'
import { type BasketRoom, basketFromBody, bodyOfBasket, boundedBody, textFrom } from '../messages/basket-message.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { refusalOf } from '../messages/use-case-refusal.js'

export interface PosParts extends BasketRoom {
  readonly useCases: PartnerUseCases
  readonly rateLimiter: RateLimiter
}

type Endpoint = 'basket' | 'sale'
type Answered = Extract<Reply, { readonly kind: 'answered' }>

/** The partner contract, typed: the same use cases as REST, from check 7 on (wire decisions 3). */
export function posRoutes(parts: PosParts) {
  return routeOf(PosService, {
    async calculateBasket({ basket }) {
      const arrivedAtMs = performance.now()
      await takeToken(parts, 'basket')
      new FieldChecks().expect('basket', basket !== undefined, 'a basket', '').done()
      const { calculationId } = basket!
      new FieldChecks().uuid('basket.calculation_id', calculationId).done()
      const body = bodyOfBasket(parts, basket!)
      const call = { body, idempotencyKey: calculationId, arrivedAtMs }
      const { answer, replayed } = answered('basket', await parts.useCases.calculateBasket(call))
      return {
        calculationId,
        status: answer['status'] as string,
        reason: answer['reason'] as string | undefined,
        ...('basket' in answer ? { basket: basketFromBody(answer['basket'] as JsonObject) } : {}),
        replayed,
      }
    },

    async recordSale({ event }) {
      const arrivedAtMs = performance.now()
      await takeToken(parts, 'sale')
      new FieldChecks().expect('event', event !== undefined, 'a sale event', '').done()
      const { calculationId } = event!
      new FieldChecks().uuid('event.calculation_id', calculationId).done()
      const body = boundedBody(parts.bodyBytesMax, 'event', textFrom(SaleEventSchema, event!, 'event'))
      const call = { body, idempotencyKey: calculationId, arrivedAtMs }
      const { answer, replayed } = answered('event', await parts.useCases.recordSale(call))
      return { calculationId, result: answer['result'] as string, replayed }
    },
  })
}

async function takeToken({ rateLimiter }: PosParts, endpoint: Endpoint): Promise<void> {
  const retryAfterS = await rateLimiter.take(endpoint)
  if (retryAfterS > 0) throw refusal('RATE_LIMITED', 'too many requests', { retryAfterS })
}

function answered(part: string, reply: Reply): Pick<Answered, 'replayed'> & { readonly answer: JsonObject } {
  switch (reply.kind) {
    case 'answered':
      return { answer: JSON.parse(Buffer.from(reply.body).toString()) as JsonObject, replayed: reply.replayed }
    case 'refused':
      throw refusalOf(part, reply)
    case 'unavailable':
      throw refusal('UNAVAILABLE', 'this cannot be answered in time; try again', {
        retryAfterS: reply.retryAfterS,
        cause: reply.cause,
      })
  }
}
