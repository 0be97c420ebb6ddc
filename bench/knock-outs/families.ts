import { compileProgramme } from '../../engine/core/index.js'
import { costsCase } from '../../test/oracle/costs-case.js'
import { mixedCase } from '../../test/oracle/mixed-case.js'
import {
  tightCase,
  tightMaximaCase,
  tightOrdersCase,
  tightSharesCase,
  tightStayingCase,
} from '../../test/oracle/tight-case.js'
import { Dice } from '../../test/support/dice.js'
import { basketOfEach } from '../engine/build-basket.js'
import { drawMix } from '../engine/draw-benefits.js'
import { inputOf } from '../engine/engine-case.js'
import { hostileShapes } from '../engine/hostile-shapes.js'
import { realisticPricing } from '../engine/realistic-pricing.js'
import { overlappingPricing, type Pricing } from '../engine/search-cases.js'
import { createShop } from '../engine/shop.js'

/** Baskets that are drawn alike. */
export interface Family {
  readonly name: string
  /** Baskets for each thousand realistic ones. */
  readonly perThousand: number
  readonly draw: (seed: number, stepsMax: number) => Pricing
}

const largeLines = 200
const largeBenefits = 100

export const families: readonly Family[] = [
  { name: 'realistic', perThousand: 1000, draw: (seed, stepsMax) => realisticPricing(new Dice(seed), stepsMax) },
  { name: 'overlapping', perThousand: 64, draw: (seed, stepsMax) => overlappingPricing(new Dice(seed), stepsMax) },
  { name: 'large', perThousand: 75, draw: largePricing },
  { name: 'adversarial', perThousand: 100, draw: hostilePricing },
  { name: 'tight', perThousand: 5000, draw: tightPricing },
]

const tightKinds = [
  tightCase,
  tightMaximaCase,
  tightOrdersCase,
  tightSharesCase,
  tightStayingCase,
  mixedCase,
  costsCase,
] as const

/** Every product of a shop once, under a hundred benefits for them. */
function largePricing(seed: number, stepsMax: number): Pricing {
  const dice = new Dice(seed)
  const shop = createShop(dice, { name: 'large', products: largeLines, groups: Math.ceil(largeLines / 10) })
  const benefits = drawMix(dice, shop, largeBenefits, 'large')
  const basket = basketOfEach(dice, shop.products)
  return { programme: compileProgramme(benefits), input: inputOf(basket, shop.venue, stepsMax) }
}

function hostilePricing(seed: number, stepsMax: number): Pricing {
  const { benefits, basket, venue } = hostileShapes[seed % hostileShapes.length]!.shape(new Dice(seed))
  return { programme: compileProgramme(benefits), input: inputOf(basket, venue, stepsMax) }
}

/** A few cheap lines under benefits of which roundings and limits decide: the oracle's baskets. */
function tightPricing(seed: number, stepsMax: number): Pricing {
  const { benefits, input } = tightKinds[seed % tightKinds.length]!(seed)
  return { programme: compileProgramme(benefits), input: { ...input, stepsMax } }
}
