import type { Terms } from './terms.js'
import type { Transaction } from './transactions.js'

/** What a gateway reports. */
export interface Report {
  readonly gatewayId: string
  readonly usesCache: boolean
  readonly flushedThrough: number
  readonly wishes: boolean
  readonly leaseMs: number
}

const wishKey = 'wish'

/** meet_gateways: renews the lease of one gateway and returns how far the others are. */
export async function meetGateways(tx: Transaction, report: Report, terms: Terms) {
  const { gatewayId, usesCache, wishes, leaseMs } = report
  const nowMs = terms.nowMs()
  let wished = tx.get('wishes', wishKey)?.number ?? 0
  const flushedThrough = report.flushedThrough > wished ? 0 : report.flushedThrough
  let own = tx.get('gateways', gatewayId)
  const isFresh =
    own !== undefined && own.heldUntilMs >= nowMs + (leaseMs * 2) / 3 && own.heldUntilMs <= nowMs + leaseMs
  if (!isFresh || own?.usesCache !== usesCache || own.flushedThrough !== flushedThrough) {
    await tx.lock(`gateway ${gatewayId}`)
    const known = tx.get('gateways', gatewayId)
    const heldSinceMs = known === undefined || known.heldUntilMs < nowMs ? nowMs : known.heldSinceMs
    own = { gatewayId, heldSinceMs, heldUntilMs: nowMs + leaseMs, usesCache, flushedThrough }
    tx.put('gateways', gatewayId, own)
  }
  if (wishes) {
    await tx.lock(wishKey)
    wished = (tx.get('wishes', wishKey)?.number ?? 0) + 1
    tx.put('wishes', wishKey, { number: wished })
  }
  await tx.pause()
  const { heldSinceMs } = own!
  const others = tx
    .rows('gateways')
    .filter((each) => each.gatewayId !== gatewayId && each.usesCache)
    .filter(({ heldUntilMs }) => heldUntilMs >= nowMs || heldSinceMs + leaseMs > nowMs)
  const flushed = Math.min(...others.map((each) => each.flushedThrough))
  return { wished, flushed_by_others: others.length === 0 ? null : flushed }
}

/** leave_gateways: a gateway that ends has written everything. */
export async function leaveGateways(tx: Transaction, gatewayId: string): Promise<void> {
  await tx.lock(`gateway ${gatewayId}`)
  tx.remove('gateways', gatewayId)
}
