import type { PricingEngine, SaleEvent } from '../../engine/index.js'
import type { Cache } from '../../store/cache.js'
import type { Recounted, SaleReply } from '../../store/ledger/sales.js'
import type { PosLedger } from '../../store/ledger.js'
import { ensureInLedger } from '../background/ensure-in-ledger.js'
import type { Journal } from '../background/journal.js'
import type { Vouching } from '../background/vouching.js'
import type { Call, Reply } from './replies.js'
import { conflict, isAdmitted, oneAtATimeWithin, refused, sameBody, turnedAway, unavailable } from './replying.js'

export interface SaleParts {
  readonly engine: PricingEngine
  readonly cache: Cache | null
  readonly posLedger: PosLedger
  readonly journal: Journal
  readonly vouching: Vouching
  readonly deadlineMs: number
  readonly recount: (why: 'paid_less' | 'uncounted', event: SaleEvent, signal: AbortSignal) => Promise<Recounted>
  readonly inBackground: (work: Promise<unknown>) => void
}

/** Records a sale event exactly once (contract 4.1); its 200 leaves only when the event is durable in the ledger. */
export function createRecordSale(parts: SaleParts): (call: Call) => Promise<Reply> {
  return oneAtATimeWithin(parts.deadlineMs, (call) => record(parts, call))
}

async function record(parts: SaleParts, call: Call): Promise<Reply> {
  // The key is the calculation's own, or the body is refused; bringing it into the ledger changes nothing for anybody else.
  const coming = everythingIsInLedger(parts, call)
  // Awaited below, unless the body is refused first.
  coming.catch(() => {})
  const read = await parts.engine.readSale(call.body, call.idempotencyKey)
  if (read.kind === 'refused') return refused(read.refusal)
  call.onRead?.(read.event)
  if (!(await isAdmitted(call))) return turnedAway
  if (!(await coming)) return unavailable('cache unreachable')
  return await reply(parts, call, read.event)
}

/** `unknown_calculation` is final for the POS: it is only said when a calculation can no longer be on its way (wire decisions 5). */
async function everythingIsInLedger(parts: SaleParts, { idempotencyKey, arrivedAtMs }: Call): Promise<boolean> {
  const { posLedger, vouching, deadlineMs } = parts
  const leftMs = () => deadlineMs - (performance.now() - arrivedAtMs)
  const isStored = async () => (await posLedger.calculations.findAnswer(idempotencyKey)).kind !== 'unknown'
  if ((await ensureInLedger(parts, idempotencyKey, leftMs())) === 'looked' || (await isStored())) return true
  // Redis is out of reach. Another gateway, or the journal of a dead one in Redis, may still have the calculation.
  await vouching.pass(leftMs())
  return await isStored()
}

async function reply(parts: SaleParts, call: Call, event: SaleEvent): Promise<Reply> {
  const sale = await recordIn(parts, call, event)
  switch (sale.kind) {
    case 'recorded':
    case 'unknown_calculation':
      notifyCache(parts, sale)
      return answered(event, sale.kind, false)
    case 'stored': {
      const same = await sameBody(parts.engine, sale, { digest: event.digest, body: call.body })
      return same ? answered(event, sale.result, true) : conflict(call, 'sale')
    }
    case 'duplicate':
      return answered(event, 'duplicate', false)
  }
}

/**
 * If less was paid than the net, or nothing is counted yet, counts the earning in between; twice if an unknown
 * calculation comes meanwhile.
 */
async function recordIn(
  parts: SaleParts,
  { arrivedAtMs, body }: Call,
  event: SaleEvent,
): Promise<Exclude<SaleReply, Uncounted>> {
  const { posLedger, deadlineMs, recount } = parts
  let counted: Uncounted['kind'] | null = null
  let sale = await posLedger.sales.record(event, body)
  while (isUncounted(sale)) {
    if (counted === sale.kind) throw new Error('a sale that was counted is to be counted again')
    counted = sale.kind
    const leftMs = Math.max(0, deadlineMs - (performance.now() - arrivedAtMs))
    const recounted = await recount(counted, event, AbortSignal.timeout(Math.floor(leftMs)))
    sale = await posLedger.sales.record(event, body, recounted)
  }
  return sale
}

type Uncounted = { readonly kind: 'paid_less' | 'uncounted' }

function isUncounted(sale: SaleReply): sale is SaleReply & Uncounted {
  return sale.kind === 'paid_less' || sale.kind === 'uncounted'
}

/** Removes from Redis the counters that the sale changed. The next call that needs them asks the ledger. */
function notifyCache(
  { cache, inBackground }: SaleParts,
  { freed }: Extract<SaleReply, { readonly freed: unknown }>,
): void {
  if (cache !== null && freed.length > 0) inBackground(cache.forgetCounters(freed))
}

function answered({ calculationId }: SaleEvent, result: string, replayed: boolean): Reply {
  return { kind: 'answered', body: Buffer.from(JSON.stringify({ calculationId, result })), replayed, outcome: result }
}
