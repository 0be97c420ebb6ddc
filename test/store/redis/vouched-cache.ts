import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { Cache, HotLookup, KeepReply, Marks, Unvouched } from '../../../store/cache.js'
import type { CalculationRecord, StoredAnswer } from '../../../store/ledger/calculations.js'
import type { CacheLifetimes } from '../../../store/redis/access.js'

/** A cache whose memory is vouched for, as in a gateway before its first call. */
export type VouchedCache = Omit<Cache, 'keep' | 'findAnswer' | 'findJournalled'> & {
  /** Vouches again and repeats where Redis does not vouch for its memory any more. */
  keep(record: CalculationRecord): Promise<KeepReply>
  findAnswer(calculationId: string): Promise<StoredAnswer | null>
  findJournalled(calculationId: string): Promise<CalculationRecord | null>
  /** Vouches once more, after a loss. */
  vouchAgain(): Promise<void>
  readonly marks: Marks
  readonly plain: Cache
}

/** A group of promises on caches that begin empty, and that it closes; named by its function. */
export type Suite = (t: Test, open: (lifetimes?: Partial<CacheLifetimes>) => Promise<VouchedCache>) => Promise<void>

export async function vouchedCache(plain: Cache): Promise<VouchedCache> {
  let marks: Marks = []
  async function vouchAgain(): Promise<void> {
    marks = await vouchForAll(plain)
  }
  await vouchAgain()
  return {
    ...plain,
    async keep(record) {
      const reply = await plain.keep(record, marks)
      if (reply.kind !== 'unvouched') return reply
      await vouchAgain()
      return await plain.keep(record, marks)
    },
    findAnswer: async (calculationId) => answerOf(await plain.findAnswer(calculationId)),
    findJournalled: async (calculationId) => vouchedFor(await plain.findJournalled(calculationId)),
    vouchAgain,
    get marks() {
      return marks
    },
    plain,
  }
}

/** Vouches for the current memory without any check; resolves to the marks by bucket. */
export async function vouchForAll(cache: Cache): Promise<Marks> {
  const found = await cache.survey(randomUUID())
  const vouched = await cache.vouch(found.filter((mark) => !mark.vouched))
  const marks: string[] = []
  for (const { bucket, mark } of [...found, ...vouched]) marks[bucket] = mark
  return marks
}

function answerOf(found: HotLookup): StoredAnswer | null {
  if (found.kind === 'unvouched') throw new Error('unvouched')
  return found.kind === 'known' ? found.answer : null
}

function vouchedFor(found: CalculationRecord | Unvouched | null): CalculationRecord | null {
  if (found !== null && 'kind' in found) throw new Error('unvouched')
  return found
}
