import { setTimeout as sleep } from 'node:timers/promises'
import { plainMix } from '../load/draw-baskets.js'
import { type CpuReading, memoryOf, readCpu, sumOf } from '../probe/cpu-of-parts.js'
import type { Bench, ServiceOptions } from '../run/bench.js'
import type { Result, Target } from '../run/result.js'
import { type BenchCase, figure, loadOf, resultOf, streamOf, target } from './bench-case.js'

/** Baskets a second; a fresh embedded ledger, on the thread that answers, refuses part of 75. */
const rates = { embedded: 15, real: 75 } as const
const loadSeconds = 20
/** After the load: the journal is written, and the gateway counts as idle. */
const settleMs = 8_000
const idleMsMax = 5
const nodeMbMax = 250
const postgresMbMax = 150

/** Processor time and memory of a service without calls, after a load. */
export const idleCase: BenchCase = {
  name: 'idle',
  async *run(bench) {
    for (const stores of ['embedded', 'real'] as const) yield await measureIdle(bench, stores)
  },
}

async function measureIdle(bench: Bench, stores: ServiceOptions['stores']): Promise<Result> {
  const server = await bench.start({ stores, catalogue: bench.catalogue, settings: { LOYALTY_WORKERS: '1' } })
  const mix = { ...plainMix, lines: [20], couponShare: 1 }
  const stages = [{ rate: rates[stores], seconds: loadSeconds, counted: true }]
  const report = await bench.load(server, loadOf(bench, { name: `idle/${stores}`, mix, stages }))
  await sleep(settleMs)
  const { pid } = server
  const own = stores === 'real' ? { redis: (await bench.redis()).pid, postgres: (await bench.postgres()).pid } : null
  const cpu = () => readCpu({ gateway: pid, ...(own ?? { redis: 0, postgres: 0 }) })
  const before = cpu()
  await sleep(bench.settings.seconds * 5_000)
  const used = (part: (reading: CpuReading) => number) => (part(cpu()) - part(before)) / 5_000 / bench.settings.seconds
  const parts = [
    figure(
      'node',
      used(({ gateway }) => sumOf(gateway)),
      'ms/s',
    ),
    figure(
      'Redis',
      used(({ redis }) => redis),
      'ms/s',
    ),
    figure(
      'Postgres',
      used(({ postgres }) => postgres),
      'ms/s',
    ),
  ]
  const idle = parts.reduce((sum, { value }) => sum + value, 0)
  // Resident: other programs of this machine may share pages of Node.js.
  const node = (await server.read()).rss / 2 ** 20
  const memory = { node, postgres: own === null ? 0 : memoryOf(own.postgres) }
  await bench.release(server)
  return resultOf(`idle/${stores}`, streamOf(report, 'basket'), {
    report,
    figures: [
      figure('idle', idle, 'ms/s'),
      ...parts,
      figure('memory of node', memory.node, 'MB'),
      figure('memory of Postgres', memory.postgres, 'MB'),
    ],
    targets: [target(`idle <= ${idleMsMax} ms/s`, idle <= idleMsMax), ...(own === null ? [] : memoryTargets(memory))],
    note: `one process and one pricing thread, after ${loadSeconds} s of ${rates[stores]} baskets a second`,
  })
}

function memoryTargets({ node, postgres }: { readonly node: number; readonly postgres: number }): Target[] {
  return [
    target(`memory of node <= ${nodeMbMax} MB`, node <= nodeMbMax),
    target(`memory of Postgres <= ${postgresMbMax} MB`, postgres <= postgresMbMax),
  ]
}
