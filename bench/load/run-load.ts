import type { Service } from '../../clients/pos-js/call.js'
import { createConnections } from './connections.js'
import { createMetronome, monotonicMs } from './metronome.js'
import { type Load, planLoad, type Shot } from './plan-load.js'
import { createPosCallers, goodOutcomes } from './pos-caller.js'
import { createSpread, createTally, type Spread, type StreamReport, type Tally } from './tally.js'

export interface LoadReport {
  /** All baskets, baskets by size where sizes were given, sales. */
  readonly streams: readonly StreamReport[]
  /** Baskets answered with 200 and with 503, separately. */
  readonly answered: StreamReport
  readonly refused: StreamReport
  /** Delay of requests behind their due moment, caused by the generator; included in every latency. */
  readonly late: Spread
  /** True when the generator was on time; otherwise latencies include its own delay. */
  readonly kept: boolean
  /** Processor time of the generator as a share of one core. */
  readonly generatorCpu: number
  readonly problems: Readonly<Record<string, string>>
}

/**
 * A generator is late when its p99 delay exceeds this many milliseconds and this share of the latencies' p99; beside a
 * slow service a small delay does not matter.
 */
const lateMaxMs = 5
const lateMaxShare = 0.25
/** Answers checked in full per second at most, because checking takes the generator's time. */
const checkedPerSecond = 50
const openAtFirst = 32

/**
 * Sends every request at its planned moment without waiting for earlier ones (an open loop); resolves when all have
 * responses. Latency counts from the due moment, so it includes delays of service, network and generator.
 */
export async function runLoad(load: Load, service: Service): Promise<LoadReport> {
  const plan = planLoad(load)
  const tallies = createTallies(load)
  const posCallers = createPosCallers(load, plan, service)
  const connections = createConnections(service.url)
  const metronome = await createMetronome()
  const problems: Record<string, string> = {}
  const late = createSpread()
  const checkEvery = Math.ceil(highestRate(load) / checkedPerSecond)
  let sent = 0
  let landed = 0
  const began = monotonicMs()
  const cpu = process.cpuUsage()
  try {
    await connections.open(openAtFirst)
    await new Promise<void>((resolve, reject) => {
      const done = () => landed === plan.shots.length && resolve()
      const strike = (at: number, startMs: number) => {
        const shot = plan.shots[at]!
        const dueAtMs = startMs + shot.dueMs
        const check = sent % checkEvery === 0
        sent += 1
        if (shot.counted) late.add(monotonicMs() - dueAtMs)
        connections.send(posCallers.request(shot), (response) => {
          const latencyMs = monotonicMs() - dueAtMs
          const { outcome, problem } = posCallers.land(shot, response, check)
          if (problem !== null) problems[outcome] ??= problem
          tallies.add(shot, posCallers.linesOf(shot), { latencyMs, outcome })
          landed += 1
          done()
        })
      }
      metronome
        .play(
          Float64Array.from(plan.shots, ({ dueMs }) => dueMs),
          strike,
        )
        .then(done, reject)
    })
  } finally {
    connections.close()
    await metronome.close()
  }
  const { user, system } = process.cpuUsage(cpu)
  const wallMs = monotonicMs() - began
  return {
    streams: tallies.reports(),
    answered: tallies.answered.report(),
    refused: tallies.refused.report(),
    late: late.spread(),
    kept: late.spread().p99 <= Math.max(lateMaxMs, tallies.all.report().latency.p99 * lateMaxShare),
    generatorCpu: (user + system) / 1000 / wallMs,
    problems,
  }
}

function highestRate({ stages }: Load): number {
  return Math.max(...stages.map(({ rate }) => rate))
}

interface Tallies {
  readonly all: Tally
  readonly answered: Tally
  readonly refused: Tally
  add(shot: Shot, lines: number, what: { readonly latencyMs: number; readonly outcome: string }): void
  reports(): StreamReport[]
}

function createTallies({ mix, visits }: Load): Tallies {
  const all = createTally('all')
  const baskets = createTally('basket')
  const answered = createTally('answered')
  const refused = createTally('refused')
  const sales = createTally('sale')
  const sizes = typeof mix.lines === 'string' ? [] : [...new Set(mix.lines)]
  const bySize = new Map(sizes.length > 1 ? sizes.map((size) => [size, createTally(`basket/${size}`)]) : [])
  return {
    all,
    answered,
    refused,
    add(shot, lines, what) {
      const landing = { counted: shot.counted, ...what }
      all.add(landing)
      if (shot.kind === 'sale') return sales.add(landing)
      baskets.add(landing)
      if (goodOutcomes.includes(what.outcome)) answered.add(landing)
      if (what.outcome === 'http_503') refused.add(landing)
      bySize.get(lines)?.add(landing)
    },
    reports: () => [baskets, ...bySize.values(), ...(visits === null ? [] : [sales])].map((one) => one.report()),
  }
}
