import { alikeCase } from './alike-case.js'
import { costsCase } from './costs-case.js'
import { shopCase, shops } from './draw-rules.js'
import { generateCase } from './generate-case.js'
import { mixedCase } from './mixed-case.js'
import { moneyCase } from './money-case.js'
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

/** Kinds with an order discount of the POS; the most mixed ones most often. */
const besideDiscount = [
  ...[mixedCase, mixedCase, mixedCase, tightCase, tightUnitsCase, tightMaximaCase, tightSharesCase, alikeCase],
  ...[tightOrdersCase, tightChainsCase],
]

/** Kinds on which limits of money are drawn. */
const limitedByMoney = [
  ...[mixedCase, mixedCase, tightCase, tightCase, tightUnitsCase, tightOrdersCase, tightMaximaCase, tightStayingCase],
  ...[replacedCase, alikeCase, tightSharesCase, tightChainsCase, (seed: number) => generateCase(seed)],
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
  money: (seed) => moneyCase(seed, limitedByMoney),
  ...Object.fromEntries(
    Object.entries(shops).map(([shop, habits]) => [shop, (seed: number) => shopCase(seed, habits)]),
  ),
}
