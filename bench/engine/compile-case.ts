import { compileProgramme } from '../../engine/core/index.js'
import { Dice } from '../../test/support/dice.js'
import { drawMix } from './draw-benefits.js'
import { type EngineCase, type EngineSettings, effortOf, type Row } from './engine-case.js'
import { measure } from './measure.js'
import { createShop } from './shop.js'

const benefits = 10_000

export const compileCase: EngineCase = { name: 'engine/compile/10000', run: compileMany }

function compileMany(settings: EngineSettings): Row[] {
  const dice = new Dice(settings.seed)
  const shop = createShop(dice, { name: 'shop', products: benefits, groups: benefits / 10 })
  const programme = drawMix(dice, shop, benefits)
  const spread = measure(() => void compileProgramme(programme), effortOf(settings, 20))
  return [{ name: compileCase.name, spread, unit: 'us', note: `${benefits} benefits, already read`, target: null }]
}
