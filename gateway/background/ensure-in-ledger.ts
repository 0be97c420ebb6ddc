import { StoreFault } from '../../store/fault.js'
import type { Journal } from './journal.js'
import type { Vouching } from './vouching.js'

/** How often a calculation is looked for: Redis may lose its memory while it is looked for again. */
const looksMax = 3

interface Parts {
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly vouching: Pick<Vouching, 'recover'>
}

/**
 * Makes sure that the ledger holds the calculation if any living gateway has answered it. `cannot_look`: Redis is out of reach, so
 * that a record there cannot be ruled out. Rejects with StoreFault of the ledger, `busy` where it takes longer than this.
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
