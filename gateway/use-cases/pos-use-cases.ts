import type { LowPriority } from '../background/low-priority.js'
import type { Log } from '../telemetry/log.js'
import { type BasketParts, createCalculateBasket } from './calculate-basket.js'
import { countPaid, countUnknown } from './count-paid.js'
import { createRecordReturn } from './record-pos-return.js'
import { createRecordSale } from './record-sale.js'
import { type PartnerUseCases, returnDeadlineMs } from './replies.js'

export interface PartnerParts extends BasketParts {
  readonly lowPriority: LowPriority
  readonly log: Log
}

/** A POS's use cases, also for internal callers of PosService. */
export function createPartnerUseCases(parts: PartnerParts): PartnerUseCases {
  const { posLedger, cache, engine, facts, journal, vouching, lowPriority, log } = parts
  const { expiryS, environment, deadlineMs, discountCode, stepsMax, inBackground } = parts
  const keeping = { posLedger, cache, journal, vouching, expiryS, inBackground }
  const calculateBasket = createCalculateBasket({
    ...keeping,
    ...{ engine, facts, environment, deadlineMs, discountCode, stepsMax },
  })
  return {
    calculateBasket: (call) => vouching.use(() => calculateBasket(call)),
    recordReturn: createRecordReturn({ engine, posLedger, lowPriority, deadlineMs: returnDeadlineMs(deadlineMs) }),
    recordSale: createRecordSale({
      ...{ posLedger, cache, engine, journal, vouching, deadlineMs, inBackground },
      recount: (why, event, signal) =>
        why === 'paid_less'
          ? countPaid({ posLedger, lowPriority, log }, event, signal)
          : countUnknown({ engine, facts }, event),
    }),
  }
}
