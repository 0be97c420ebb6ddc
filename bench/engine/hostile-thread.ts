import { parentPort, workerData } from 'node:worker_threads'
import { calculate, compileProgramme } from '../../engine/core/index.js'
import { createDice } from '../load/dice.js'
import { inputOf } from './engine-case.js'
import { hostileShapes } from './hostile-shapes.js'

/** What the thread is started with. */
export interface HostileTask {
  readonly name: string
  readonly seed: number
  readonly stepsMax: number
  /** As many for the compiler, and as many that count. */
  readonly runs: number
}

/** What it says when it is through. */
export interface HostileAnswer {
  /** Processor time of each run, the garbage collector's threads included; other work of the machine is not. */
  readonly tookMs: readonly number[]
  readonly optimal: boolean
  readonly value: number
  readonly gap: number
  readonly steps: number
}

/** The entry of a thread that prices one hostile basket, so that one that never ends can be ended from outside. */

const { name, seed, stepsMax, runs } = workerData as HostileTask
const { benefits, basket, venue } = hostileShapes.find((one) => one.name === name)!.shape(createDice(seed))
const programme = compileProgramme(benefits)
const input = inputOf(basket, venue, stepsMax)
const tookMs: number[] = []
let answer = calculate(programme, input)
for (let run = 1; run < runs; run++) answer = calculate(programme, input)
for (let run = 0; run < runs; run++) {
  const began = process.cpuUsage()
  answer = calculate(programme, input)
  const { user, system } = process.cpuUsage(began)
  tookMs.push((user + system) / 1000)
}
const { optimal, value, gap, steps } = answer
parentPort!.postMessage({ tookMs, optimal, value, gap, steps } satisfies HostileAnswer)
