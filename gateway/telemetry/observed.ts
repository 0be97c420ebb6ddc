import { type BasketRead, EngineFault, type Priced, type PricingEngine } from '../../engine/index.js'
import {
  type Cache,
  type CalculationRecord,
  type ConfirmReply,
  type Ledger,
  type SaleReply,
  StoreFault,
} from '../../store/index.js'
import type { Metrics, PartCall } from './metrics.js'
import { type Method, withMethods } from './with-methods.js'

/** The same ledger, its calls counted and timed, and its decisions counted. */
export function observedLedger(ledger: Ledger, metrics: Metrics): Ledger {
  return observed('ledger', ledger, metrics, {
    confirm(reply: ConfirmReply, record: CalculationRecord) {
      if (reply.kind === 'short') metrics.limited('short')
      else if (reply.kind === 'confirmed' && record.holds.length > 0) metrics.limited('granted')
    },
    expireCalculations: (calculations: number) => metrics.expired(calculations),
    recordSale(reply: SaleReply) {
      if ('discrepancies' in reply) metrics.discrepancies(reply.discrepancies)
    },
  })
}

/** The same cache, its calls counted and timed. */
export function observedCache(cache: Cache, metrics: Metrics): Cache {
  return observed('cache', cache, metrics, {})
}

/** The same engine, its calls counted and timed, and what its search took. */
export function observedEngine(engine: PricingEngine, metrics: Metrics): PricingEngine {
  return observed('engine', engine, metrics, {
    priceBasket: ({ steps, optimal }: Priced) => metrics.priced(steps, optimal),
    readBasket(read: BasketRead) {
      const ahead = read.kind === 'read' ? read.ahead : null
      if (ahead !== null) metrics.priced(ahead.steps, ahead.optimal)
    },
  })
}

type Watchers = Readonly<Record<string, (reply: never, first: never) => void>>

/** Only what returns a promise is a call. */
function observed<T extends object>(part: PartCall['part'], target: T, metrics: Metrics, watchers: Watchers): T {
  function watch(call: string, method: Method) {
    const tell = watchers[call] as ((reply: unknown, first: unknown) => void) | undefined
    return (...args: unknown[]): unknown => {
      const startedAt = performance.now()
      const done = (outcome: string) =>
        metrics.called({ part, call, outcome, durationMs: performance.now() - startedAt })
      const result = method.apply(target, args)
      if (!(result instanceof Promise)) return result
      return result.then(
        (reply: unknown) => {
          done('ok')
          tell?.(reply, args[0])
          return reply
        },
        (error: unknown) => {
          done(error instanceof StoreFault || error instanceof EngineFault ? error.kind : 'bug')
          throw error
        },
      )
    }
  }

  return withMethods(target, watch)
}
