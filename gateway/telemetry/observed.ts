import { type BasketRead, EngineFault, type Priced, type PricingEngine } from '../../engine/index.js'
import type { Cache } from '../../store/cache.js'
import { StoreFault } from '../../store/fault.js'
import type { CalculationRecord, ConfirmReply } from '../../store/ledger/calculations.js'
import type { SaleReply } from '../../store/ledger/sales.js'
import type { Ledger, PosLedger } from '../../store/ledger.js'
import { withMethods } from '../../store/with-methods.js'
import type { Metrics, PartCall } from './metrics.js'

/** The same ledger, with its calls counted and timed, and its decisions counted. */
export function observedLedger({ posLedger, adminLedger }: Ledger, metrics: Metrics): Ledger {
  return {
    posLedger: observedPosLedger(posLedger, metrics),
    adminLedger: observed('ledger', adminLedger, metrics, {}),
  }
}

function observedPosLedger(ledger: PosLedger, metrics: Metrics): PosLedger {
  return observed('ledger', ledger, metrics, {
    'calculations.confirm'(reply: ConfirmReply, record: CalculationRecord) {
      if (reply.kind === 'short') metrics.limited('short')
      else if (reply.kind === 'confirmed' && (record.holds.length > 0 || record.spending !== null))
        metrics.limited('granted')
    },
    'calculations.expire': (calculations: number) => metrics.expired(calculations),
    'sales.record'(reply: SaleReply) {
      if ('discrepancies' in reply) metrics.discrepancies(reply.discrepancies)
    },
  })
}

export function observedCache(cache: Cache, metrics: Metrics): Cache {
  return observed('cache', cache, metrics, {})
}

/** The same engine, with its calls counted and timed, and its search's steps. */
export function observedEngine(engine: PricingEngine, metrics: Metrics): PricingEngine {
  return observed('engine', engine, metrics, {
    priceBasket: ({ steps, optimal }: Priced) => metrics.priced(steps, optimal),
    readBasket(read: BasketRead) {
      const ahead = read.kind === 'read' ? read.ahead : null
      if (ahead !== null) metrics.priced(ahead.steps, ahead.optimal)
    },
  })
}

/** By the path of the call. */
type Watchers<T> = { readonly [Path in PathsOf<T>]?: (reply: never, first: never) => void }

type PathsOf<T> = {
  readonly [Name in keyof T & string]: T[Name] extends (...args: never) => unknown
    ? Name
    : `${Name}.${keyof T[Name] & string}`
}[keyof T & string]

/** Only functions that return a promise are calls; one of a room within the part is named by its path, such as `sales.record`. */
function observed<T extends object>(part: PartCall['part'], target: T, metrics: Metrics, watchers: Watchers<T>): T {
  return withMethods(target, (call, method) => {
    const watcher = watchers[call as PathsOf<T>] as ((reply: unknown, first: unknown) => void) | undefined
    return (...args) => {
      const startedAt = performance.now()
      const done = (outcome: string) =>
        metrics.called({ part, call, outcome, durationMs: performance.now() - startedAt })
      const result = method(...args)
      if (!(result instanceof Promise)) return result
      return result.then(
        (reply: unknown) => {
          done('ok')
          watcher?.(reply, args[0])
          return reply
        },
        (error: unknown) => {
          done(error instanceof StoreFault || error instanceof EngineFault ? error.kind : 'bug')
          throw error
        },
      )
    }
  })
}
