import { calculate } from '../../engine/core/index.js'
import { type Family, families } from './families.js'
import type { Answer, Answers, PriceTask } from './price-task.js'

type Setting = Omit<PriceTask, 'replaced'>

/** Prices the baskets of all families, each from a seed of its own. */
export function priceFamilies(setting: Setting): Answers {
  return families.map((family) => priceFamily(family, setting))
}

function priceFamily({ perThousand, draw }: Family, { baskets, seed, stepsMax }: Setting): Answers[number] {
  const answers: Answer[] = []
  let usedMs = 0
  const count = Math.ceil((baskets * perThousand) / 1000)
  for (let at = 0; at < count; at++) {
    const { programme, input } = draw(seed + at, stepsMax)
    const began = process.cpuUsage()
    const { optimal, value, steps } = calculate(programme, input)
    const { user, system } = process.cpuUsage(began)
    usedMs += (user + system) / 1000
    answers.push({ optimal, value, steps })
  }
  return { answers, usedMs }
}
