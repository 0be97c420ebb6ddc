import { alikeCase } from './alike-case.js'
import { costsCase } from './costs-case.js'
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

/** Kinds beside an order discount of the POS; the most mixed ones most often. */
const besideDiscount = [
  ...[mixedCase, mixedCase, mixedCase, tightCase, tightUnitsCase, tightMaximaCase, tightSharesCase, alikeCase],
  ...[tightOrdersCase, tightChainsCase],
]

/** Every kind of tight basket by its name; each draws a basket of a seed. */
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
  costs: costsCase,
  pos: (seed) => posCase(seed, besideDiscount),
}
