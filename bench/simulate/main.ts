import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { benchFolder } from '../report/store-run.js'
import { kinds, type Model, mix, parts, readModel } from './costs.js'
import { drawModel, renderModel } from './render-model.js'
import { simulateLoad } from './simulate-load.js'
import { bestLayout, sizeDeployment } from './size-deployment.js'

/** Rates up to a large part of what all card terminals of the world do at once. */
const rates = [50, 150, 500, 1_500, 5_000, 15_000, 50_000, 150_000, 500_000]
const seed = 1
const requests = 60_000

/**
 * `npm run simulate:scale`: what it takes to serve from 50 to 500,000 requests a second, by the costs in bench/costs.json and
 * bench/limits.json: machines, and simulated latency with them; as a table here, and with a plot in one HTML file.
 */
const model = readModel()
console.log('microseconds of a core a request')
for (const kind of kinds) console.log(`  ${kind.padEnd(11)} ${mix[kind].toFixed(2)}  ${costText(model, kind)}`)
console.log(`one limit that all want: at most ${model.limits.hotLimitPerSecond} a second`)
for (const cores of [2, 4, 8, 16]) {
  const { processes, threads, perSecond } = bestLayout(model, cores)
  console.log(`${cores} cores of gateways: ${processes} x ${threads}, ${Math.round(perSecond)} a second`)
}
const rows = rates.map(rowOf)
for (const cells of [Object.keys(rows[0]!), ...rows.map(Object.values)]) console.log(`| ${cells.join(' | ')} |`)
mkdirSync(benchFolder, { recursive: true })
const file = join(benchFolder, 'scale.html')
writeFileSync(file, renderModel(model, drawModel(model, seed), rows))
console.log(resolve(file))

function costText({ of }: Model, kind: keyof Model['of']): string {
  return [...parts, 'other' as const].map((part) => `${part} ${Math.round(of[kind][part])}`).join('  ')
}

/** A line of the table. */
function rowOf(rate: number): Readonly<Record<string, string>> {
  const { cells, cell, machines, walMbPerSecond, diskTb } = sizeDeployment(model, rate)
  const { p50, p99, used } = simulateLoad({ model, cell, rate: rate / cells, requests, seed })
  const [fullest] = parts.toSorted((left, right) => used[right] - used[left])
  return {
    'requests/s': rate.toLocaleString('en'),
    cells: String(cells),
    'gateway machines': String(machines.gateways),
    processes: String(cell.processes * cells),
    'Redis servers': String(machines.redis),
    'Postgres servers': `${machines.postgres} of ${cell.postgresCores} cores`,
    'log MB/s': walMbPerSecond.toFixed(1),
    'disk TB': diskTb.toFixed(1),
    'p50 ms': p50.toFixed(1),
    'p99 ms': p99.toFixed(1),
    fullest: `${fullest} ${Math.round(100 * used[fullest!])} %`,
  }
}
