import { StoreFault } from '../../store/fault.js'
import type { Journal } from './journal.js'
import type { Vouching } from './vouching.js'

/** Attempts to find a calculation: Redis may lose its memory during the next one. */
const looksMax = 3

interface Parts {
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly vouching: Pick<Vouching, 'recover'>
}

/**
 * Makes sure that the ledger has the calculation if any living gateway has answered it. `cannot_look`: Redis is out of reach, so that a
 * record there cannot be ruled out. Rejects with StoreFault of the ledger, `busy` after this time.
 */
export async function ensureInLedger(
  { journal, vouching }: Parts,
  calculationId: string,
  withinMs: number,
): Promise<'looked' | 'cannot_look'> {
  const untilMs = performance.now() + withinMs
  for (let look = 1; look <= looksMax; look += 1) {
    const found = await journal.ensureInLedger(calculationId)
    if (found !== 'unvouched') return found
    try {
      await vouching.recover(untilMs - performance.now())
    } catch (error) {
      if (error instanceof StoreFault && error.store === 'cache') return 'cannot_look'
      throw error
    }
  }
  throw new StoreFault('ledger', 'busy')
}
