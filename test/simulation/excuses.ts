import type { StoreName } from './gateway-place.js'
import type { Placement, SentAnswer, World } from './world.js'

/**
 * Why a key may have two answers where the contract allows it: a basket call goes on with either store alone (wire decisions 6). If
 * one store fails and the answer is only in the other one, the next call may not find it. A failure of the ledger alone is never an
 * excuse.
 */
export type Excuse =
  | 'both_stores_failed'
  | 'lost_with_cache'
  /**
   * Two concurrent calls with one key: one could not reach the cache and was confirmed by the ledger, after the other looked there and
   * before it stored its own answer in the cache.
   */
  | 'at_once_without_cache'

/** Faults within this time before an answered call may have affected it, in milliseconds. */
const aroundMs = 1_000

/** The excuse for differing answers of one key; null: there is none. */
export function excuseOf(world: World, calculationId: string): Excuse | null {
  const placements = world.placements.filter((each) => each.calculationId === calculationId)
  for (const [at, second] of placements.entries()) {
    for (const first of placements.slice(0, at)) {
      const excuse = first.answer === second.answer ? null : excuseFor(world, first, second)
      if (excuse !== null) return excuse
    }
  }
  return null
}

/** Calls that may have placed this answer; what the ledger has from the journal was sent to the cache. */
function callsOf({ sent }: World, { store, calculationId, answer }: Placement): readonly SentAnswer[] {
  const calls = sent.filter((call) => call.calculationId === calculationId && call.answer === answer)
  const direct = calls.filter((call) => call.store === store)
  return direct.length > 0 ? direct : calls
}

function excuseFor(world: World, first: Placement, second: Placement): Excuse | null {
  const calls = callsOf(world, second)
  const firstCalls = callsOf(world, first)
  // A call that placed both answers had both.
  if (within(firstCalls, calls) && within(calls, firstCalls)) return null
  const knownInLedgerFrom = Math.min(
    ...world.placements
      .filter(
        ({ store, calculationId, answer }) =>
          store === 'ledger' && calculationId === first.calculationId && answer === first.answer,
      )
      .map(({ atMs }) => atMs),
  )
  for (const { place, fromMs } of calls) {
    const failed = (store: StoreName, by: number | null, from: number) =>
      world.faults.some(
        (fault) =>
          fault.store === store &&
          (by === null || fault.place === by) &&
          fault.toMs >= from &&
          fault.fromMs <= second.atMs,
      )
    const lostSince = (sinceMs: number) => world.losses.some((atMs) => atMs >= sinceMs && atMs <= second.atMs)
    if (knownInLedgerFrom > fromMs && failed('cache', place, fromMs)) return 'both_stores_failed'
    if (knownInLedgerFrom > fromMs && lostSince(first.atMs)) return 'lost_with_cache'
    const cacheFailed = failed('cache', null, first.atMs - aroundMs) || lostSince(first.atMs)
    if (failed('ledger', place, fromMs) && cacheFailed) return 'both_stores_failed'
    const firstWithoutCache = firstCalls.some((call) => failed('cache', call.place, call.fromMs))
    const atOnce = first.store === 'ledger' && second.store === 'cache' && fromMs < first.atMs
    if (atOnce && firstWithoutCache) return 'at_once_without_cache'
  }
  return null
}

function within(calls: readonly SentAnswer[], others: readonly SentAnswer[]): boolean {
  return calls.every(({ place, fromMs }) => others.some((call) => call.place === place && call.fromMs === fromMs))
}
