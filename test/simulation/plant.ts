import { setTimeout as sleep } from 'node:timers/promises'
import { counterKey } from '../../engine/core/base/outcome.js'
import type { Cache } from '../../store/cache.js'
import { StoreFault } from '../../store/fault.js'
import type { Ledger } from '../../store/ledger.js'
import type { World } from './world.js'

/** Counters that the cache reported short, where its "no" is trusted; per world. */
const saidShort = new WeakMap<World, Set<string>>()
/** Records read from the cache's journal, where own copies are dropped early; per world. */
const adopted = new WeakMap<World, Set<string>>()

function noted(notes: WeakMap<World, Set<string>>, world: World): Set<string> {
  const known = notes.get(world) ?? new Set<string>()
  notes.set(world, known)
  return known
}

/** The cache as the use cases see it, with the planted mistakes in between. */
export function plantCache(world: World, cache: Cache): Cache {
  const { planted } = world
  return {
    ...cache,
    async reserve(calculationId, supersedes, wants) {
      const reply = await cache.reserve(calculationId, supersedes, wants)
      if (planted.has('trust_cache_no') && reply.kind === 'short') {
        for (const key of Object.keys(reply.left)) noted(saidShort, world).add(key)
      }
      return reply
    },
    async claim(calculationId) {
      return planted.has('key_not_claimed') ? { kind: 'claimed' } : await cache.claim(calculationId)
    },
    async readJournal(max, olderThanMs) {
      const records = await cache.readJournal(max, olderThanMs)
      for (const { calculationId } of records) noted(adopted, world).add(calculationId)
      return records
    },
    async findJournalled(calculationId) {
      const record = await cache.findJournalled(calculationId)
      if (record !== null && !('kind' in record)) noted(adopted, world).add(calculationId)
      return record
    },
    forgetJournalled(ids) {
      if (!planted.has('copy_dropped_early')) return cache.forgetJournalled(ids)
      return cache.forgetJournalled(ids.filter((id) => noted(adopted, world).has(id)))
    },
  }
}

function asOutage(error: unknown): never {
  throw error instanceof StoreFault && error.kind === 'busy'
    ? new StoreFault('ledger', 'timeout', { lasting: true })
    : error
}

const withdrawnLateMs = 2_000

/** The ledger as the use cases see it, with the planted mistakes in between. */
export function plantLedger(world: World, ledger: Ledger, cache: Cache): Ledger {
  const { planted } = world
  return {
    ...ledger,
    calculations: {
      ...ledger.calculations,
      async findAnswer(calculationId) {
        if (planted.has('busy_as_outage')) return await ledger.calculations.findAnswer(calculationId).catch(asOutage)
        if (!planted.has('call_without_timer')) return await ledger.calculations.findAnswer(calculationId)
        return await ledger.calculations.findAnswer(calculationId).catch(() => new Promise(() => {}))
      },
      async confirm(record, withinMs) {
        const { calculationId, digest, packed } = record
        if (planted.has('remember_before_commit'))
          await cache.remember(calculationId, { digest, packed }).catch(() => {})
        const asked = planted.has('hint_decides') ? { ...record, spending: null } : record
        const confirming = ledger.calculations.confirm(asked, withinMs)
        if (planted.has('answer_before_commit')) {
          confirming.catch(() => {})
          return { kind: 'confirmed' }
        }
        if (!planted.has('in_doubt_recalculated')) return await confirming
        return await confirming.catch(() => {
          throw new StoreFault('ledger', 'timeout', { lasting: true })
        })
      },
      async withdraw(calculationId) {
        // Withdrawals are rare, and so is a repeat that comes just before: late ones meet it.
        if (planted.has('withdraw_replayed')) await sleep(withdrawnLateMs)
        return await ledger.calculations.withdraw(calculationId)
      },
      async store(records) {
        const ids = records.map(({ calculationId }) => calculationId)
        if (planted.has('forget_before_ledger')) await cache.forgetJournalled(ids).catch(() => {})
        if (!planted.has('copy_dropped_early')) return await ledger.calculations.store(records)
        const kept = records.filter(({ calculationId }) => noted(adopted, world).has(calculationId))
        return await ledger.calculations.store(kept)
      },
    },
    counters: {
      ...ledger.counters,
      async lookUp(names) {
        const counters = await ledger.counters.lookUp(names)
        const short = noted(saidShort, world)
        return counters.map((counter) => (short.delete(counterKey(counter)) ? { ...counter, used: 1_000 } : counter))
      },
    },
    sales: {
      ...ledger.sales,
      async record(event, body) {
        const recording = ledger.sales.record(event, body)
        if (!planted.has('sale_answered_early')) return await recording
        recording.catch(() => {})
        return { kind: 'recorded', discrepancies: [], freed: [] }
      },
    },
  }
}
