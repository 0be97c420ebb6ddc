import { setTimeout as sleep } from 'node:timers/promises'
import { Gauge } from 'prom-client'
import { StoreFault } from '../../store/fault.js'
import type { Recount } from '../../store/ledger/counters.js'
import type { PosLedger } from '../../store/ledger.js'
import type { Log } from '../telemetry/log.js'
import type { Metrics } from '../telemetry/metrics.js'

/** Interval of each gateway's requests for a slice; the ledger gives one gateway at a time a slice, and paces them all. */
const recountEveryMs = 5_000

interface Parts {
  readonly posLedger: PosLedger
  readonly metrics: Metrics
  readonly log: Log
}

/**
 * Recounts limit counters and accounts of members from the records for as long as the service runs, a small slice at a time, and reports
 * to metrics and log. A difference is a bug of ours, never of a caller.
 *
 * @returns a function that stops it
 */
export function startRecount({ posLedger, metrics, log }: Parts): () => Promise<void> {
  const stopping = new AbortController()
  let last: Recount = {
    endedAtS: null,
    counters: 0,
    accounts: 0,
    differences: 0,
    passedOver: 0,
    found: [],
    discrepancies: {},
  }
  watchRounds(metrics, () => last)
  const discrepancies = new Gauge({
    name: 'loyalty_sale_discrepancies',
    help: 'Sales of the last day that disagree with their calculations, by kind.',
    labelNames: ['kind'],
    registers: [metrics.registry],
  })

  async function once(): Promise<void> {
    last = await posLedger.counters.recount()
    for (const difference of last.found)
      log.error({ difference }, 'a limit counter or an account differs from the records')
    discrepancies.reset()
    for (const [kind, count] of Object.entries(last.discrepancies)) discrepancies.set({ kind }, count)
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await once().catch((error: unknown) => {
        if (!(error instanceof StoreFault)) log.error({ err: error }, 'recount')
      })
      await sleep(recountEveryMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

function watchRounds(metrics: Metrics, last: () => Recount): void {
  const watch = (name: string, help: string, read: (recount: Recount) => number) =>
    metrics.watch(`loyalty_recount_${name}`, help, () => read(last()))
  watch(
    'differences',
    'Limit counters and accounts that differ from the records, in this round or the last one.',
    (r) => r.differences,
  )
  watch('counters', 'Limit counters compared in the last round through all of them.', (r) => r.counters)
  watch('accounts', 'Accounts of members compared in the last round.', (r) => r.accounts)
  watch(
    'passed_over',
    'Of these, counters and accounts too large for the service: lps reconcile compares them.',
    (r) => r.passedOver,
  )
  watch(
    'ended_seconds',
    'When the last round through all of them ended, seconds since the epoch.',
    (r) => r.endedAtS ?? 0,
  )
}
