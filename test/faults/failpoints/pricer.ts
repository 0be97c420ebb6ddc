import { Pricer as Real } from '../../../engine/thread/pricer.js'
import { failpoint } from './failpoint.js'

let priced = 0

/** Prices as the real one does, except that every nth basket never ends. */
export class Pricer extends Real {
  override priceBasket(...args: Parameters<Real['priceBasket']>): ReturnType<Real['priceBasket']> {
    priced += 1
    if (failpoint.kind === 'loop' && priced % failpoint.nth === 0) for (;;);
    return super.priceBasket(...args)
  }
}
