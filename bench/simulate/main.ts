import { kinds, mix, parts, readModel } from './costs.js'
import { simulateLoad } from './simulate-load.js'
import { bestLayout, sizeDeployment } from './size-deployment.js'

/** `npm run simulate:scale`: machines for 50 to 500,000 requests a second by the costs in bench/costs.json, and simulated latency. */
const model = readModel()
console.log('microseconds of a core a request')
for (const kind of kinds) {
  const costs = [...parts, 'other' as const].map((part) => `${part} ${Math.round(model.of[kind][part])}`)
  console.log(`  ${kind.padEnd(11)} ${mix[kind].toFixed(2)}  ${costs.join('  ')}`)
}
console.log(`one limit that all want: at most ${model.limits.hotLimitPerSecond} a second`)
for (const cores of [2, 4, 8, 16]) {
  const { processes, threads, perSecond } = bestLayout(model, cores)
  console.log(`${cores} cores of gateways: ${processes} x ${threads}, ${Math.round(perSecond)} a second`)
}
console.log(
  '| requests/s | cells | gateways | processes | Redis | Postgres | log MB/s | disk TB | p50 | p99 ms | fullest |',
)
for (const rate of [50, 500, 5_000, 50_000, 500_000]) {
  const { cells, cell, machines, walMbPerSecond, diskTb } = sizeDeployment(model, rate)
  const { p50, p99, used } = simulateLoad({ model, cell, rate: rate / cells, requests: 60_000, seed: 1 })
  const fullest = parts.toSorted((left, right) => used[right] - used[left])[0]!
  const counts = [rate, cells, machines.gateways, cell.processes * cells, machines.redis]
  const sizes = [walMbPerSecond, diskTb, p50, p99].map((value) => value.toFixed(1))
  const postgres = `${machines.postgres} x ${cell.postgresCores} cores`
  console.log(`| ${[...counts, postgres, ...sizes, `${fullest} ${Math.round(100 * used[fullest])} %`].join(' | ')} |`)
}
