import { plainMix } from '../load/draw-baskets.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { figure, loadOf, measureLoad, middleOf, streamOf, target } from './bench-case.js'
import { cpuOf } from './gateway-cases.js'

/**
 * Lowest ratios allowed, by lines of the basket: the processor time per request of floor/least over the service's.
 * Ratios depend less on machine and load than times do.
 */
export type GuardRatios = Readonly<Record<string, number>>

const sizes = [
  { lines: 20, rate: 120 },
  { lines: 200, rate: 30 },
]
/** Rounds when recording. A comparison takes two, and up to `roundsMax` where the ratio is not reached. */
const rounds = 3
const roundsMin = 2
const roundsMax = 6
const roundSeconds = 4
/** Largest fall of a ratio below the recorded one. */
const fallMax = 0.15

/**
 * Measures floor and service in turns, so that other work of the machine affects both. Records the median ratio, but
 * compares the best: other work can only worsen a round.
 */
export async function* guardCase(bench: Bench, recorded: GuardRatios | null): AsyncGenerator<Result> {
  for (const { lines, rate } of sizes) {
    const ratios: number[] = []
    let last: Result | null = null
    const needed = neededOf(recorded?.[String(lines)])
    for (let round = 0; round < roundsMax && !isEnough(ratios, needed); round += 1) {
      const least = await roundOf(bench, await bench.floor(), { lines, rate, name: `least/${round}` })
      const service = await roundOf(bench, await bench.service(), { lines, rate, name: `service/${round}` })
      const errors = streamOf(least.report, 'basket').errors + streamOf(service.report, 'basket').errors
      // A refused request costs less than an answered one, so a round with errors does not count.
      if (errors === 0) ratios.push(cpuOf(least) / cpuOf(service))
      last = resultOfRound(`guard/${lines}`, service)
    }
    const ratio = ratios.length === 0 ? 0 : needed === null ? middleOf(ratios) : Math.max(...ratios)
    yield judged(last!, { ratio, rounds: ratios.length, recorded: recorded?.[String(lines)], rate })
  }
}

function neededOf(recorded: number | undefined): number | null {
  return recorded === undefined ? null : recorded * (1 - fallMax)
}

function isEnough(ratios: readonly number[], needed: number | null): boolean {
  if (needed === null) return ratios.length >= rounds
  return ratios.length >= roundsMin && Math.max(...ratios) >= needed
}

export function ratiosOf(results: readonly Result[]): GuardRatios {
  const guarded = results.filter(({ name }) => name.startsWith('guard/'))
  return Object.fromEntries(
    guarded.map(({ name, figures }) => [
      name.slice('guard/'.length),
      Math.round(figures.find((one) => one.name === ratioName)!.value * 1000) / 1000,
    ]),
  )
}

const ratioName = 'floor/least of the service'

interface Guarded {
  readonly ratio: number
  readonly rounds: number
  readonly recorded: number | undefined
  readonly rate: number
}

function judged(result: Result, { ratio, rounds: counted, recorded, rate }: Guarded): Result {
  const least = neededOf(recorded)
  return {
    ...result,
    figures: [figure(ratioName, ratio, 'x'), ...(recorded === undefined ? [] : [figure('recorded', recorded, 'x')])],
    targets: [
      target('a round without errors', counted > 0),
      ...(least === null ? [] : [target(`ratio >= ${least.toFixed(3)}`, ratio >= least)]),
    ],
    note: `${rate}/s; processor time of floor/least per request over the service's, ${least === null ? 'the median' : 'the best'} of ${counted} rounds; the spread is the service's in the last`,
  }
}

async function roundOf(
  bench: Bench,
  server: StartedServer,
  { lines, rate, name }: { readonly lines: number; readonly rate: number; readonly name: string },
) {
  const load = loadOf(bench, {
    name: `guard/${lines}/${name}`,
    mix: { ...plainMix, lines: [lines] },
    arrivals: 'fixed',
    stages: [
      { rate, seconds: 1, counted: false },
      { rate, seconds: roundSeconds, counted: true },
    ],
    answers: name.startsWith('least') ? 'anything' : 'contract',
  })
  return await measureLoad(bench, server, load)
}

function resultOfRound(name: string, { report }: Awaited<ReturnType<typeof roundOf>>): Result {
  const { latency } = streamOf(report, 'basket')
  return { name, unit: 'ms', spread: { ...latency, p999: null }, figures: [], targets: [], note: '' }
}
