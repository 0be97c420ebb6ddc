import { setTimeout as sleep } from 'node:timers/promises'
import type { Attempt, Call } from '../history.js'
import type { FaultCase, Stage } from '../run-case.js'

const stepMs = 10_000
/** Observed before a step, and after it, in milliseconds. */
const watchedMs = 2_500
/** 503s that a busy machine explains after a step. A gateway that does not follow the step gives ten times as many. */
const hiccupMax = 5

/**
 * The ledger's clock steps, as a wrong time server would set it, while calls run. Only baskets that were in the ledger at that moment
 * may get a 503; units expire by the new clock.
 */
export const clockCases: readonly FaultCase[] = [
  clockCase('clock-ahead', 'set forward by 10 s, and back', [stepMs, 0]),
  clockCase('clock-back', 'set back by 10 s, and forward again', [-stepMs, 0]),
  clockCase('clock-often', 'set forward and back by up to 10 s, again and again', [7_000, -3_000, 300, -stepMs, 60, 0]),
]

function clockCase(id: string, how: string, settings: readonly number[]): FaultCase {
  return { id, title: `the clock of Postgres ${how}`, clockSteps: 'server', run: (stage) => setClock(stage, settings) }
}

async function setClock({ world, client }: Stage, settings: readonly number[]): Promise<readonly string[]> {
  const missed: string[] = []
  for (const aheadMs of settings) {
    await sleep(watchedMs)
    const before = unavailable(client.history, performance.now() - watchedMs)
    await world.setLedgerClock(aheadMs)
    const from = performance.now()
    await sleep(watchedMs)
    const after = unavailable(client.history, from)
    if (after > 2 * before + hiccupMax)
      missed.push(`clock ${aheadMs} ms ahead: ${after} baskets were answered 503, ${before} before`)
  }
  return missed
}

function unavailable(history: readonly Call[], from: number): number {
  const is = ({ sentAt, answer }: Attempt) => sentAt >= from && answer?.status === 503
  return history
    .filter(({ endpoint }) => endpoint === 'basket')
    .reduce((sum, { attempts }) => sum + attempts.filter(is).length, 0)
}
