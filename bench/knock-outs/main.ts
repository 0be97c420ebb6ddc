import { parseArgs } from 'node:util'
import { searchStepsMax } from '../../engine/core/base/costs.js'
import { aboutRun, aboutText } from '../run/about.js'
import { families } from './families.js'
import { linesOf, priceWithout, textsWithout } from './knock-out.js'
import { mechanisms } from './mechanisms.js'
import type { Answers } from './price-task.js'

const help = `Leaves out one mechanism of the search after the other, and prints as a Markdown table what changes:
npm run bench:knockouts -- --baskets 4000

--baskets 400     realistic baskets; the other families are in proportion
--only walk,pairs  mechanisms whose names contain one of these
--seed 1, --steps ${searchStepsMax}`

const { values } = parseArgs({
  options: {
    baskets: { type: 'string', default: '400' },
    help: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    steps: { type: 'string', default: String(searchStepsMax) },
  },
})
const setting = { baskets: Number(values.baskets), seed: Number(values.seed), stepsMax: Number(values.steps) }
if (values.help) console.log(help)
else await printTable()

async function printTable(): Promise<void> {
  const chosen = mechanisms.filter(({ name }) => values.only.split(',').some((part) => name.includes(part)))
  // Finds every text to replace before the first basket is priced.
  for (const mechanism of chosen) textsWithout(mechanism)
  const whole = await priceWithout(null, setting)
  const counts = families.map(({ name }, at) => `${provenIn(whole[at]!)} of ${whole[at]!.answers.length} ${name}`)
  console.log(`${aboutText(aboutRun(setting.seed))}\nproven with everything on: ${counts.join(', ')}\n`)
  const names = families.map(({ name }) => `proofs, ${name}`)
  printRow(['without', 'lines', ...names, 'worse', 'better', 'steps', 'time'])
  printRow(['---', ...Array.from({ length: names.length + 5 }, () => '--:')])
  for (const mechanism of chosen) {
    const cells = cellsOf(whole, await priceWithout(mechanism, setting))
    printRow([mechanism.name, String(linesOf(mechanism)), ...cells])
  }
}

function printRow(cells: readonly string[]): void {
  console.log(`| ${cells.join(' | ')} |`)
}

function cellsOf(whole: Answers, without: Answers): string[] {
  const proofs = whole.map((family, at) => changeOf(provenIn(without[at]!) - provenIn(family)))
  const values = whole.flatMap(({ answers }, family) =>
    answers.map(({ value }, at) => without[family]!.answers[at]!.value - value),
  )
  const worse = values.filter((more) => more < 0).length
  const better = values.filter((more) => more > 0).length
  const steps = whole.map((family, at) => stepsOf(without[at]!) / stepsOf(family))
  const time = whole.map(({ usedMs }, at) => without[at]!.usedMs / usedMs)
  return [...proofs, String(worse), String(better), ratiosOf(steps), ratiosOf(time)]
}

function provenIn({ answers }: Answers[number]): number {
  return answers.filter(({ optimal }) => optimal).length
}

function stepsOf({ answers }: Answers[number]): number {
  return answers.reduce((sum, { steps }) => sum + steps, 0)
}

function changeOf(change: number): string {
  return change > 0 ? `+${change}` : String(change)
}

function ratiosOf(ratios: readonly number[]): string {
  return ratios.map((ratio) => ratio.toFixed(2)).join(' / ')
}
