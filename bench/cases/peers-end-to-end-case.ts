import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainMix } from '../load/draw-baskets.js'
import type { Spread } from '../load/tally.js'
import { promotions } from '../peers/shop.js'
import { medusa, type Peer, startPeer, vendure } from '../peers/start-peer.js'
import { cpuOfTree, memoryOf } from '../probe/cpu-of-parts.js'
import type { Bench } from '../run/bench.js'
import { benchFolder } from '../run/report.js'
import type { Result, TableRow } from '../run/result.js'
import { type BenchCase, figure, loadOf, middleOf, streamOf } from './bench-case.js'
import { findKnee } from './find-knee.js'

const rates = [1, 2, 10, 50]
const turnsEach = 3
const settleMs = 8_000
/** A rate holds while its p99 is within this time, in milliseconds. */
const p99Max = 250
/** With a slower p99 a peer does not keep up with the rate: its baskets queue. In milliseconds. */
const keptMs = 2_000
/** Processor time of other programs, as a share of a core, up to which a turn is quiet. A louder one is taken again. */
const othersMax = 0.15
const triesMax = 4
const chartFile = join(benchFolder, 'peers.svg')

/** The service beside two shops with promotions, each with stores of its own, on the same basket. */
export const peersEndToEndCase: BenchCase = { name: 'peers/end-to-end', onlyByName: true, run: endToEnd }

interface Turn {
  readonly rate: number
  readonly latency: Spread
  /** Processor time of a basket over all processes of the peer, in milliseconds. */
  readonly cpuMs: number
  readonly isKept: boolean
  readonly isQuiet: boolean
}

interface Measured {
  readonly peer: Peer
  /** Quiet ones, at rates that the peer keeps up with. */
  readonly turns: Turn[]
  readonly idleMs: number
  /** The lowest rate that it does not keep up with. */
  lateFrom: number
}

async function* endToEnd(bench: Bench): AsyncGenerator<Result> {
  const peers: Peer[] = []
  try {
    peers.push(await startOurs(bench))
    for (const kind of [vendure, medusa]) peers.push(await startPeer(kind))
    const measured = await takeAllTurns(bench, peers)
    writeChart(measured)
    for (const one of measured) yield await resultOf(bench, one)
  } finally {
    for (const peer of peers) await peer.stop()
  }
}

async function takeAllTurns(bench: Bench, peers: readonly Peer[]): Promise<readonly Measured[]> {
  const { seconds } = bench.settings
  for (const peer of peers) await takeTurn(bench, peer, { rate: peer.warmRate, seconds: seconds * 5 })
  await sleep(settleMs)
  const before = peers.map(cpuOf)
  await sleep(seconds * 2_500)
  const idle = peers.map((peer, at) => (cpuOf(peer) - before[at]!) / 2_500 / seconds)
  const measured = peers.map((peer, at): Measured => ({ peer, turns: [], idleMs: idle[at]!, lateFrom: Infinity }))
  for (let turn = 0; turn < turnsEach; turn++) {
    for (const rate of rates) {
      for (const one of measured) {
        if (rate >= one.lateFrom) continue
        const turn = await quietTurn(bench, one.peer, rate)
        if (!turn.isKept) one.lateFrom = rate
        else if (turn.isQuiet) one.turns.push(turn)
      }
    }
  }
  return measured
}

async function quietTurn(bench: Bench, peer: Peer, rate: number): Promise<Turn> {
  const seconds = bench.settings.seconds * Math.max(1, 2 / rate)
  for (let tries = 1; ; tries++) {
    const turn = await takeTurn(bench, peer, { rate, seconds })
    if (turn.isQuiet || tries === triesMax) return turn
  }
}

async function takeTurn(
  bench: Bench,
  peer: Peer,
  { rate, seconds }: { readonly rate: number; readonly seconds: number },
): Promise<Turn> {
  const stages = [{ rate, seconds, counted: true }]
  const name = `peers/${peer.name}/${randomUUID()}`
  const load = loadOf(bench, { name, ...peer.load, arrivals: 'fixed', basketsDrawn: 1, stages })
  const before = { peer: cpuOf(peer), others: othersCpu(), atMs: performance.now() }
  const report = await bench.load(peer.service, load)
  const { latency, errors } = streamOf(report, 'basket')
  if (report.problems['invalid'] !== undefined) throw new Error(`${peer.name}: ${report.problems['invalid']}`)
  return {
    ...{ rate, latency, cpuMs: (cpuOf(peer) - before.peer) / 1_000 / latency.count },
    isKept: errors === 0 && latency.p99 <= keptMs,
    isQuiet: (othersCpu() - before.others) / 1_000 <= othersMax * (performance.now() - before.atMs),
  }
}

/** Processor time of all the peer's processes so far, in microseconds. */
function cpuOf({ pids: { node, stores } }: Peer): number {
  return sum([node, ...stores].map(cpuOfTree))
}

function sum(values: readonly number[]): number {
  return values.reduce((all, each) => all + each, 0)
}

/** Processor time of programs outside of this bench so far, in microseconds; `/proc/stat` counts in hundredths of a second. */
function othersCpu(): number {
  const [total] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user, nice, system, , , irq, softirq] = total!.split(/\s+/).slice(1).map(Number)
  return (user! + nice! + system! + irq! + softirq!) * 10_000 - cpuOfTree(process.pid)
}

async function resultOf(bench: Bench, { peer, turns, idleMs }: Measured): Promise<Result> {
  const memory = { node: memoryOf(peer.pids.node), stores: sum(peer.pids.stores.map(memoryOf)) }
  const holds = ({ isKept, latency }: Turn) => isKept && latency.p99 <= p99Max
  const firstRate = Math.max(0, ...turns.filter(holds).map(({ rate }) => rate))
  const climb = { firstRate, doublingsMax: 8, halvings: 2 }
  const { seconds } = bench.settings
  const step = async (rate: number) => holds(await takeTurn(bench, peer, { rate, seconds }))
  const knee = firstRate === 0 ? 0 : await findKnee(climb, step)
  const off =
    peer.turnPromotionsOff === null ? [] : [figure('with promotions off', await cpuWhenOff(bench, peer), 'ms')]
  if (turns.length === 0) throw new Error(`${peer.name} had no quiet turn`)
  const { latency } = turns[0]!
  return {
    ...{
      name: `peers/end-to-end/${peer.name.toLowerCase()}`,
      unit: 'ms',
      spread: { ...latency, p999: null },
      targets: [],
    },
    figures: [
      ...[figure('cpu per basket', cpuPerBasket(turns), 'ms'), ...off, figure('idle', idleMs, 'ms/s')],
      ...[figure('memory of node', memory.node, 'MB'), figure('memory of stores', memory.stores, 'MB')],
      ...[figure('start', peer.startMs, 'ms'), figure('highest rate', knee, '/s')],
    ],
    note: `${turns.length} quiet turns; the highest rate has p99 <= ${p99Max} ms, 0: none has; chart in ${chartFile}`,
    table: rates.flatMap((rate) => rowOf(rate, turnsAt(turns, rate))),
  }
}

async function cpuWhenOff(bench: Bench, peer: Peer): Promise<number> {
  await peer.turnPromotionsOff!()
  return (await quietTurn(bench, { ...peer, load: { ...peer.load, answers: 'anything' } }, rates[0]!)).cpuMs
}

function turnsAt(turns: readonly Turn[], rate: number): Turn[] {
  return turns.filter((turn) => turn.rate === rate)
}

/** At the highest of the rates: it has the smallest part of what an idle peer takes. */
function cpuPerBasket(turns: readonly Turn[]): number {
  const highest = Math.max(...turns.map(({ rate }) => rate))
  return middle(turnsAt(turns, highest), ({ cpuMs }) => cpuMs)
}

function middle(turns: readonly Turn[], value: (turn: Turn) => number): number {
  return turns.length === 0 ? 0 : middleOf(turns.map(value))
}

function rowOf(rate: number, turns: readonly Turn[]): TableRow[] {
  const cell = (name: string, value: (turn: Turn) => number) => figure(name, middle(turns, value), 'ms')
  const latencies = (['p50', 'p99'] as const).map((name) => cell(name, ({ latency }) => latency[name]))
  return turns.length === 0 ? [] : [{ name: `${rate}/s`, cells: [...latencies, cell('cpu', ({ cpuMs }) => cpuMs)] }]
}

function writeChart(measured: readonly Measured[]): void {
  const bars = (what: string, value: (turns: readonly Turn[]) => number) =>
    measured.map(({ peer, turns }) => ({ name: `${peer.name}: ${what}`, ms: value(turns) }))
  const answer = bars('answer', (turns) => middle(turnsAt(turns, rates[0]!), ({ latency }) => latency.p50))
  writeFileSync(
    chartFile,
    barChart('A basket of 20 lines with a promotion each', [answer, bars('processor time', cpuPerBasket)]),
  )
}

async function startOurs(bench: Bench): Promise<Peer> {
  const catalogue = { kind: 'promotions' } as const
  const server = await bench.start({ stores: 'real', catalogue })
  return {
    ...{ name: 'Loyalty', service: server, startMs: server.startMs, warmRate: 50, turnPromotionsOff: null },
    pids: { node: server.pid, stores: [(await bench.redis()).pid, (await bench.postgres()).pid] },
    load: {
      ...{ catalogue, mix: { ...plainMix, lines: 'each' } },
      answers: { text: '"text":"Text of off-', times: promotions.length },
    },
    stop: () => bench.release(server),
  }
}

interface Bar {
  readonly name: string
  readonly ms: number
}

const [labelWidth, barWidth, valueWidth, rowHeight, gapHeight] = [230, 410, 80, 30, 14]
const style =
  'text{fill:#24292f}.own{fill:#0b6e4f}.peer{fill:#8b98a5}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.own{fill:#3fb68b}.peer{fill:#6e7b88}}'

/** Groups of bars on one scale, the first of each in another colour, as an SVG for light and dark pages. */
function barChart(title: string, groups: readonly (readonly Bar[])[]): string {
  const longest = Math.max(...groups.flat().map(({ ms }) => ms))
  let y = -gapHeight
  const rows = groups.flatMap((bars) => {
    y += gapHeight
    return bars.map(({ name, ms }, at) => {
      const length = Math.max(2, (ms / longest) * barWidth)
      const row = `  <text x="0" y="${y + 20}">${name}</text>
  <rect class="${at === 0 ? 'own' : 'peer'}" x="${labelWidth}" y="${y + 4}" width="${length.toFixed(1)}" height="22" rx="3"/>
  <text x="${(labelWidth + length + 8).toFixed(1)}" y="${y + 20}">${ms >= 10 ? Math.round(ms) : ms.toFixed(1)} ms</text>`
      y += rowHeight
      return row
    })
  })
  const box = `viewBox="0 0 ${labelWidth + barWidth + valueWidth} ${y}" font-family="system-ui, sans-serif" font-size="14"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}>
  <style>${style}</style>
  <title>${title}</title>
${rows.join('\n')}
</svg>
`
}
