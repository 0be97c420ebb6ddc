import { Gauge } from 'prom-client'
import type { Recount } from '../../store/ledger/counters.js'
import type { PosLedger } from '../../store/ledger.js'
import type { Log } from '../telemetry/log.js'
import type { Metrics } from '../telemetry/metrics.js'

/** Pause between two rounds through all counters and accounts, in milliseconds: in an idle service each round finds the same. */
const restMs = 60_000

interface Parts {
  readonly posLedger: PosLedger
  readonly metrics: Metrics
  readonly log: Log
}

/**
 * Recounts limit counters and accounts of members from the records, and reports to metrics and log. A difference is a bug of ours, never
 * of a caller.
 *
 * @returns recounts the next small slice, to be called every few seconds: the ledger gives one gateway at a time a slice, and paces them
 *   all. Rejects with StoreFault.
 */
export function createRecount({ posLedger, metrics, log }: Parts): () => Promise<void> {
  let restsUntilMs = 0
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

  return async () => {
    if (performance.now() < restsUntilMs) return
    const { endedAtS } = last
    last = await posLedger.counters.recount()
    if (last.endedAtS !== endedAtS) restsUntilMs = performance.now() + restMs
    for (const difference of last.found)
      log.error({ difference }, 'a limit counter or an account differs from the records')
    discrepancies.reset()
    for (const [kind, count] of Object.entries(last.discrepancies)) discrepancies.set({ kind }, count)
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
