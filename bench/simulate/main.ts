import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchFolder } from '../report/store-run.js'
import { kinds, type Model, mix, parts, readModel } from './costs.js'
import { drawModel, rates } from './draw-model.js'
import { kneeOfOneMachine } from './one-machine.js'
import { renderModel } from './render-model.js'
import { simulateLoad } from './simulate-load.js'
import { sizeDeployment } from './size-deployment.js'

const help = `npm run simulate:scale [-- --seed N]
  what it takes to serve from 50 to 500,000 requests a second, by the costs in bench/costs.json and bench/limits.json: machines, and
  simulated latency with them; as a table here, with plots in one HTML file`

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' }, help: { type: 'boolean' } } })
if (values.help) console.log(help)
else simulate(Number(values.seed))

function simulate(seed: number): void {
  const model = readModel()
  console.log('microseconds of a core a request')
  for (const kind of kinds) console.log(`  ${kind.padEnd(11)} ${mix[kind].toFixed(2)}  ${costText(model, kind)}`)
  const { knee } = model
  console.log(
    `knee of one machine of ${knee.cores} cores: simulated ${kneeOfOneMachine(model, seed)}, measured ${knee.rate} a second`,
  )
  const rows = rates.map((rate) => rowOf(model, rate, seed))
  for (const row of rows)
    console.log(
      Object.entries(row)
        .map(([name, value]) => `${name} ${value}`)
        .join('  '),
    )
  mkdirSync(benchFolder, { recursive: true })
  const file = join(benchFolder, 'scale.html')
  writeFileSync(file, renderModel(model, drawModel(model, seed), rows))
  console.log(resolve(file))
}

function costText({ of }: Model, kind: keyof Model['of']): string {
  return [...parts, 'other' as const].map((part) => `${part} ${Math.round(of[kind][part])}`).join('  ')
}

/** A line of the table. */
function rowOf(model: Model, rate: number, seed: number): Readonly<Record<string, string>> {
  const { cells, cell, machines, walMbPerSecond, diskTb } = sizeDeployment(model, rate)
  const { p50, p99, used } = simulateLoad({ model, cell, rate: rate / cells, requests: 60_000, seed })
  const [fullest] = parts.toSorted((left, right) => used[right] - used[left])
  return {
    'requests/s': rate.toLocaleString('en'),
    cells: String(cells),
    'gateway machines': String(machines.gateways),
    processes: String(cell.processes * cells),
    'Redis servers': String(machines.redis),
    'Postgres servers': `${machines.postgres} of ${cell.postgresCores} cores`,
    'WAL MB/s': walMbPerSecond.toFixed(1),
    'disk TB': diskTb.toFixed(1),
    'p50 ms': p50.toFixed(1),
    'p99 ms': p99.toFixed(1),
    fullest: `${fullest} ${Math.round(100 * used[fullest!])} %`,
  }
}
