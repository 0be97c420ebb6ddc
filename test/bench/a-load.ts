import { plainMix } from '../../bench/load/draw-baskets.js'
import type { Load } from '../../bench/load/plan-load.js'
import type { PosBasket } from '../../clients/pos-js/basket.js'
import type { Seen } from '../clients/fake-service.js'
import { discounted } from '../clients/fake-service.js'

/** A second of 50 baskets of the sample programme, evenly apart. */
export const aLoad: Load = {
  seed: 7,
  catalogue: { kind: 'sample' },
  mix: { ...plainMix, lines: [2, 5] },
  stages: [{ rate: 50, seconds: 1, counted: true }],
  arrivals: 'fixed',
  visits: null,
  basketsDrawn: 10,
  answers: 'contract',
}

/** Answers of a good service: a fifth off for a member, and every sale is recorded. */
export function goodAnswer({ path, body }: Pick<Seen, 'path' | 'body'>): object {
  const { calculationId } = JSON.parse(body) as PosBasket
  if (path === '/v1/pos/sale') return { calculationId, result: 'recorded' }
  const basket = JSON.parse(body) as PosBasket
  if (basket.loyaltyId === undefined) return { calculationId, status: 'member_not_found' }
  return { calculationId, status: 'applied', basket: discounted({ ...basket, orderDiscounts: null }) }
}
