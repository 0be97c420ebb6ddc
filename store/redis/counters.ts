import { type CounterName, counterKey, type Want } from '../../engine/core/base/outcome.js'
import type { Cache, ReserveReply } from '../cache.js'
import type { Counter } from '../ledger/counters.js'
import type { CacheAccess } from './access.js'
import { replyWord, runScript } from './scripts.js'

type CounterVerb = 'reserve' | 'confirmHold' | 'giveBack' | 'loadCounters' | 'forgetCounters'

const prunedMax = 1_000

/**
 * Limit counters: a filter before the ledger (wire decisions 6). A counter is the ledger's value when it was loaded, plus the holds
 * since; it is soon loaded anew. Counters may lie on different nodes: each is asked by itself, all at once.
 */
export function createCounters({ client, keys, lifetimes, callMs }: CacheAccess): Pick<Cache, CounterVerb> {
  return { reserve, confirmHold, giveBack, loadCounters, forgetCounters }

  async function reserve(
    calculationId: string,
    supersedes: string | null,
    wants: readonly Want[],
  ): Promise<ReserveReply> {
    const replies = await Promise.allSettled(wants.map((want) => reserveOne(calculationId, supersedes, want)))
    const fault = replies.find((reply) => reply.status === 'rejected')
    if (fault !== undefined) {
      // Sent after the reservations on the same connections, so that a late one is given back too. No request waits for it: if it fails
      // as well, the holds end by themselves.
      giveBack(calculationId, wants).catch(() => {})
      throw fault.reason
    }
    const reply = replyFromCounters(
      wants,
      replies.map((each) => (each as PromiseFulfilledResult<unknown[]>).value),
    )
    // No request waits for this either: later calls for these counters are sent after it, and most calculations have nothing to give back.
    const held = wants.filter(
      (_, index) => replyWord((replies[index] as PromiseFulfilledResult<unknown[]>).value) === 'reserved',
    )
    if (reply.kind !== 'reserved' && held.length > 0) giveBack(calculationId, held).catch(() => {})
    return reply
  }

  function reserveOne(calculationId: string, supersedes: string | null, want: Want): Promise<unknown[]> {
    return runScript(client, 'reserve', {
      keys: keys.counter(want),
      args: [calculationId, supersedes ?? '', want.units, want.maximum, lifetimes.holdMs, prunedMax],
      timeMs: callMs,
    })
  }

  async function confirmHold(calculationId: string, wants: readonly CounterName[], forMs: number): Promise<void> {
    await Promise.all(
      wants.map((name) =>
        runScript(client, 'confirm_hold', { keys: keys.counter(name), args: [calculationId, forMs], timeMs: callMs }),
      ),
    )
  }

  async function giveBack(calculationId: string, names: readonly CounterName[]): Promise<void> {
    await Promise.all(
      names.map((name) =>
        runScript(client, 'give_back', { keys: keys.counter(name), args: [calculationId], timeMs: callMs }),
      ),
    )
  }

  async function loadCounters(counters: readonly Counter[]): Promise<void> {
    await Promise.all(
      counters.map((counter) =>
        runScript(client, 'load_counter', {
          keys: keys.counter(counter).slice(0, 1),
          args: [counter.used, counter.open, lifetimes.counterMs],
          timeMs: callMs,
        }),
      ),
    )
  }

  async function forgetCounters(names: readonly CounterName[]): Promise<void> {
    await Promise.all(names.map((name) => client.send('unlink', keys.counter(name), callMs)))
  }
}

function replyFromCounters(wants: readonly Want[], replies: readonly unknown[][]): ReserveReply {
  const unknown = wants.filter((_, index) => replyWord(replies[index]!) === 'unknown')
  if (unknown.length > 0) {
    return { kind: 'unknown', names: unknown.map(({ limitId, subject, period }) => ({ limitId, subject, period })) }
  }
  const short = wants.flatMap((want, index) =>
    replyWord(replies[index]!) === 'short' ? [[counterKey(want), Number(replies[index]![1])] as const] : [],
  )
  return short.length > 0 ? { kind: 'short', left: Object.fromEntries(short) } : { kind: 'reserved' }
}
