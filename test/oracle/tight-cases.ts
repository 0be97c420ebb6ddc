import { alikeCase } from './alike-case.js'
import { mixedCase } from './mixed-case.js'
import { posCase } from './pos-case.js'
import type { PricingCase } from './pricing-case.js'
import { replacedCase } from './replaced-case.js'
import {
  tightCase,
  tightChainsCase,
  tightMaximaCase,
  tightOrdersCase,
  tightSharesCase,
  tightStayingCase,
  tightUnitsCase,
} from './tight-case.js'

/** What stands beside an order discount of the POS; what mixes the most, most often. */
const besideDiscount = [
  ...[mixedCase, mixedCase, mixedCase, tightCase, tightUnitsCase, tightMaximaCase, tightSharesCase, alikeCase],
  ...[tightOrdersCase, tightChainsCase],
]

/** Every kind of tight basket, by the word that asks for it: a basket of a seed, the same for the same seed. */
export const tightCases: Readonly<Record<string, (seed: number) => PricingCase>> = {
  tight: tightCase,
  orders: tightOrdersCase,
  units: tightUnitsCase,
  chains: tightChainsCase,
  maxima: tightMaximaCase,
  shares: tightSharesCase,
  alike: alikeCase,
  mixed: mixedCase,
  replaced: replacedCase,
  staying: tightStayingCase,
  pos: (seed) => posCase(seed, besideDiscount),
}
