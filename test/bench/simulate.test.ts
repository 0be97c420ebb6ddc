import t from 'tap'
import { meanWaitExponential, meanWaitFixed, waitingProbability } from '../../bench/simulate/closed-forms.js'
import { readModel } from '../../bench/simulate/costs.js'
import { capacityOf, meanWait } from '../../bench/simulate/draw-model.js'
import { kneeOfOneMachine } from '../../bench/simulate/one-machine.js'
import { renderModel } from '../../bench/simulate/render-model.js'
import { simulateLoad } from '../../bench/simulate/simulate-load.js'
import { fullAt, sizeDeployment, walMbPerSecondMax } from '../../bench/simulate/size-deployment.js'

t.setTimeout(300_000)

const model = readModel()
const cell = { processes: 2, pricingThreads: 1, redisMasters: 1, postgresCores: 4 }

t.test('the closed forms match the literature', async (t) => {
  t.equal(waitingProbability(1, 0.5).toFixed(6), '0.500000')
  t.equal(waitingProbability(2, 1).toFixed(6), '0.333333')
  t.equal(meanWaitExponential(1, 0.5, 1).toFixed(6), '1.000000')
  t.equal(meanWaitFixed(0.5, 1).toFixed(6), '0.500000')
})

t.test('a simulated station has the waits of theory', async (t) => {
  for (const { servers, load, fixed } of [
    { servers: 1, load: 0.5, fixed: true },
    { servers: 1, load: 0.8, fixed: true },
    { servers: 1, load: 0.5, fixed: false },
    { servers: 1, load: 0.8, fixed: false },
    { servers: 8, load: 0.8, fixed: false },
  ]) {
    const theory = fixed ? meanWaitFixed(load, 1) : meanWaitExponential(servers, servers * load, 1)
    const ratio = meanWait({ servers, load, fixed, seed: 1, count: 400_000 }) / theory
    t.ok(ratio > 0.95 && ratio < 1.05, `${servers} servers at ${load}: ${ratio.toFixed(3)} of theory`)
  }
})

t.test('the same seed gives the same answers, another one others', async (t) => {
  const load = { model, cell, rate: capacityOf(model, cell) * 0.8, requests: 5_000 }
  t.same(simulateLoad({ ...load, seed: 7 }), simulateLoad({ ...load, seed: 7 }))
  t.not(simulateLoad({ ...load, seed: 7 }).p99, simulateLoad({ ...load, seed: 8 }).p99)
})

t.test('parts are busy for as long as their costs say, and latency grows with the load', async (t) => {
  const most = capacityOf(model, cell)
  const [calm, busy] = [0.3, 0.95].map((share) =>
    simulateLoad({ model, cell, rate: most * share, requests: 40_000, seed: 3 }),
  )
  t.ok(Math.abs(Math.max(...Object.values(calm!.used)) - 0.3) < 0.03, JSON.stringify(calm!.used))
  t.ok(busy!.p99 > 2 * calm!.p99, `${busy!.p99} ms against ${calm!.p99} ms`)
})

t.test('the computed counts for a rate keep every part below full', async (t) => {
  for (const rate of [50, 5_000, 500_000]) {
    const { cells, cell, walMbPerSecond } = sizeDeployment(model, rate)
    t.ok(walMbPerSecond / cells <= walMbPerSecondMax)
    t.ok(rate / cells <= capacityOf(model, cell) * fullAt * 1.000_001, `${rate} a second`)
  }
})

t.test('the knee of one machine is within a third of the measured one', async (t) => {
  const ratio = kneeOfOneMachine(model, 1) / model.knee.rate
  t.ok(ratio > 2 / 3 && ratio < 4 / 3, `${ratio.toFixed(2)} of what was measured`)
})

t.test('the page holds everything it needs', async (t) => {
  const chart = { title: 'A </script> chart', about: '', xLabel: 'x', yLabel: 'y', xLog: false, yLog: false } as const
  const series = [{ label: 'line', points: [[1, 2] as const, [2, 3] as const] }]
  const html = renderModel(model, [{ ...chart, xTicks: 'plain', series }], [{ 'requests/s': '50' }])
  t.match(html, 'uPlot')
  t.notMatch(html, /(src|href)="http/)
  t.notMatch(html, 'A </script> chart')
})
