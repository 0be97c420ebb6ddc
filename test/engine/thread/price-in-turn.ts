import { inputOf } from '../../../bench/engine/engine-case.js'
import { hostileShapes } from '../../../bench/engine/hostile-shapes.js'
import { calculate, compileProgramme } from '../../../engine/core/index.js'
import { setSoundFlags } from '../../../engine/thread/v8-flags.js'
import { Dice } from '../../support/dice.js'

/** Prices the same baskets repeatedly in turns, and prints the names of those whose result changed, one a line. */
const rounds = 4
const stepsMax = 12_000
const wanted = /order-levels|five-kinds|groups-below|hundred-stacking|stackables/
const seed = 8

setSoundFlags()
const first = new Map<string, string>()
const turns = new Dice(seed)
for (let round = 0; round < rounds; round++) {
  for (const { name, shape } of inTurn()) {
    const { benefits, basket, venue } = shape(new Dice(1))
    const programme = compileProgramme(benefits)
    for (let time = turns.below(3); time >= 0; time--) {
      const answer = JSON.stringify(calculate(programme, inputOf(basket, venue, stepsMax)))
      if ((first.get(name) ?? answer) !== answer) console.log(name)
      first.set(name, first.get(name) ?? answer)
    }
  }
}

function inTurn(): typeof hostileShapes {
  return hostileShapes.filter(({ name }) => wanted.test(name)).sort(() => turns.next() - 0.5)
}
