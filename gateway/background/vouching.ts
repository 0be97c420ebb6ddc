import type { Cache, Marks } from '../../store/cache.js'
import { type FlushBarrier, within } from './flush-barrier.js'

/** Longer than a killed gateway's lease: then its copies count as lost, and Redis can be vouched for again. */
const recoveryMaxMs = 8_000

/** Whether Redis's memory can be believed, and the way back where it cannot. */
export interface Vouching {
  /** The marks now. A call reads them before it asks the ledger for a key, and passes them to its Redis calls for that key. */
  readonly marks: Marks
  /**
   * Makes Redis vouch for its memory again: from then on whatever was answered from it before is in the ledger, to be looked for there
   * first. Rejects with StoreFault of Redis where it is out of reach, of the ledger (`busy`) where it takes longer than this.
   */
  recover(withinMs: number): Promise<void>
  /** As `FlushBarrier.pass`: where Redis is out of reach and the ledger is to decide alone. */
  pass(withinMs: number): Promise<void>
  readonly usesCache: boolean
}

interface Parts {
  /** Begins this gateway's marks: no other process has it. */
  readonly gatewayId: string
  readonly cache: Cache
  readonly barrier: Pick<FlushBarrier, 'pass' | 'usesCache'>
  /** Notified of buckets of Redis's memory that nothing vouched for. */
  readonly onLoss: (buckets: number) => void
}

export function createVouching({ gatewayId, cache, barrier, onLoss }: Parts): Vouching {
  let marks: Marks = []
  let surveys = 0
  let recovering: Promise<void> | null = null

  function adopt(found: readonly { readonly bucket: number; readonly mark: string }[]): void {
    const adopted = [...marks]
    for (const { bucket, mark } of found) adopted[bucket] = mark
    marks = adopted
  }

  async function recoverNow(): Promise<void> {
    surveys += 1
    const found = await cache.survey(`${gatewayId}-${surveys}`)
    adopt(found.filter(({ vouched }) => vouched))
    const lost = found.filter(({ vouched }) => !vouched)
    if (lost.length === 0) return
    onLoss(lost.length)
    await barrier.pass(recoveryMaxMs)
    // Where the memory was lost once more meanwhile the mark is gone with it, and the next decision notices.
    adopt(await cache.vouch(lost))
  }

  return {
    get marks() {
      return marks
    },
    async recover(withinMs) {
      recovering ??= recoverNow().finally(() => {
        recovering = null
      })
      await within(withinMs, recovering)
    },
    pass: (withinMs) => barrier.pass(withinMs),
    get usesCache() {
      return barrier.usesCache
    },
  }
}

/** Without Redis everything is in the ledger before it is answered. */
export const nothingToVouchFor: Vouching = {
  marks: [],
  recover: async () => {},
  pass: async () => {},
  usesCache: false,
}
