import type { Cache, HotLookup, Marks, Unvouched } from '../../store/cache.js'
import { isOutOfReach, StoreFault } from '../../store/fault.js'
import type { AnswerLookup, StoredAnswer } from '../../store/ledger/calculations.js'
import type { PosLedger } from '../../store/ledger.js'
import type { Journal } from '../background/journal.js'
import type { Vouching } from '../background/vouching.js'

export interface AnswerParts {
  readonly cache: Cache | null
  readonly posLedger: Pick<PosLedger, 'calculations'>
  readonly journal: Pick<Journal, 'find' | 'track' | 'holdCopy'>
  readonly vouching: Pick<Vouching, 'recover' | 'pass'>
  readonly deadlineMs: number
  readonly inBackground: (work: Promise<unknown>) => void
}

/**
 * `missed`: the ledger could not be asked just now, so a basket that takes limited benefits is a 503. `out`: it has been out of reach
 * for seconds, so limited benefits count as exhausted (wire decisions 2 and 6).
 */
export type LedgerReach = 'asked' | 'missed' | 'out'

export interface AnswerFound {
  readonly lookup: AnswerLookup
  readonly reach: LedgerReach
}

/**
 * Looks up a stored answer before a basket is priced: among this gateway's own copies, then in the ledger. Redis is asked only if
 * the ledger cannot be: the write that keeps the new answer reports an earlier one in Redis. A key that this gateway has answered
 * is looked up in Redis first, so that a storm of repeats does not reach the ledger.
 *
 * @param marks     marks that vouched for Redis before this look-up
 * @param isRepeat  this gateway has answered the key
 */
export async function findAnswer(
  parts: AnswerParts,
  key: string,
  { marks, isRepeat }: { readonly marks: Marks; readonly isRepeat: boolean },
): Promise<AnswerFound> {
  const own = findOwn(parts, key)
  if (own !== null) return { lookup: own, reach: 'asked' }
  const hotOfRepeat = isRepeat ? await findHot(parts, key, marks) : null
  if (hotOfRepeat?.kind === 'stored') return { lookup: hotOfRepeat, reach: 'asked' }
  try {
    return { lookup: await parts.posLedger.calculations.findAnswer(key), reach: 'asked' }
  } catch (error) {
    const hot = hotOfRepeat ?? (await findHot(parts, key, marks))
    switch (hot.kind) {
      case 'stored':
        return { lookup: hot, reach: 'asked' }
      case 'unknown':
        if (!isOutOfReach(error)) throw error
        return { lookup: hot, reach: error.lasting ? 'out' : 'missed' }
      case 'unvouched':
        // Others may have vouched since: without their marks every call would fail until the ledger is back.
        parts.inBackground(parts.vouching.recover(parts.deadlineMs))
        throw error
      case 'cache_out':
        throw error
    }
  }
}

/**
 * Looks up a stored answer before a basket that the ledger does not have is refused: a refused basket is not kept, so Redis has not
 * been asked yet. If Redis cannot answer, waits until the ledger has all answers that were given from Redis, then asks the ledger again.
 *
 * @param untilMs  `performance.now()` at the call's deadline
 */
export async function findAnswerBeforeRefusal(
  parts: AnswerParts,
  key: string,
  { marks, untilMs }: { readonly marks: Marks; readonly untilMs: number },
): Promise<AnswerLookup> {
  const { cache, posLedger, vouching } = parts
  const withinMs = () => untilMs - performance.now()
  if (cache === null) return findOwn(parts, key) ?? unknown
  const hot = await findHot(parts, key, marks)
  switch (hot.kind) {
    case 'stored':
    case 'unknown':
      return hot
    case 'unvouched':
      if ((await vouching.recover(withinMs()).catch(cacheOut)) === cacheIsOut) await vouching.pass(withinMs())
      return await posLedger.calculations.findAnswer(key)
    case 'cache_out':
      await vouching.pass(withinMs())
      return await posLedger.calculations.findAnswer(key)
  }
}

interface FoundHere {
  readonly kind: 'stored'
  readonly answer: StoredAnswer
}

type HotAnswerLookup = FoundHere | { readonly kind: 'unknown' } | Unvouched | { readonly kind: 'cache_out' }

const unknown = { kind: 'unknown' } as const
const cacheIsOut = { kind: 'cache_out' } as const

/** An answer of this gateway that may not be in the ledger yet. */
function findOwn({ journal }: AnswerParts, key: string): FoundHere | null {
  const answer = journal.find(key)
  return answer === null ? null : { kind: 'stored', answer }
}

async function findHot(parts: AnswerParts, key: string, marks: Marks): Promise<HotAnswerLookup> {
  const { cache, journal } = parts
  const own = findOwn(parts, key)
  if (own !== null) return own
  if (cache === null) return cacheIsOut
  const found = await journal.track(findAndCopy(journal, cache, { key, marks })).catch(cacheOut)
  return found.kind === 'known' ? { kind: 'stored', answer: found.answer } : found
}

/** Copies an answer from Redis before it is replied: Redis may lose it before the ledger has it. */
async function findAndCopy(
  journal: AnswerParts['journal'],
  cache: Cache,
  { key, marks }: { readonly key: string; readonly marks: Marks },
): Promise<HotLookup> {
  const found = await cache.findAnswer(key, marks)
  if (found.kind === 'known') journal.holdCopy(found.record)
  return found
}

function cacheOut(error: unknown): typeof cacheIsOut {
  if (!(error instanceof StoreFault) || error.store !== 'cache') throw error
  return cacheIsOut
}
