import { inputOf } from '../../../bench/engine/engine-case.js'
import { hostileShapes } from '../../../bench/engine/hostile-shapes.js'
import { createDice } from '../../../bench/load/dice.js'
import { calculate, compileProgramme } from '../../../engine/core/index.js'
import { setSoundFlags } from '../../../engine/thread/v8-flags.js'

/** Prices the same baskets repeatedly in turns, and prints the names of those whose result changed, one a line. */
const rounds = 4
const stepsMax = 12_000
const wanted = /order-levels|five-kinds|groups-below|hundred-stacking|stackables/
const seed = 8

setSoundFlags()
const first = new Map<string, string>()
const turns = createDice(seed)
for (let round = 0; round < rounds; round++) {
  for (const { name, shape } of inTurn()) {
    const { benefits, basket, venue } = shape(createDice(1))
    const programme = compileProgramme(benefits)
    for (let time = turns.below(3); time >= 0; time--) {
      const answer = JSON.stringify(calculate(programme, inputOf(basket, venue, stepsMax)))
      if ((first.get(name) ?? answer) !== answer) console.log(name)
      first.set(name, first.get(name) ?? answer)
    }
  }
}

function inTurn(): typeof hostileShapes {
  return hostileShapes.filter(({ name }) => wanted.test(name)).sort(() => turns.fraction() - 0.5)
}
