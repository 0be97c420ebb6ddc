import type { Cache, Marks } from '../../store/cache.js'
import { type FlushBarrier, within } from './flush-barrier.js'

/** Longer than a killed gateway's lease: then its copies count as lost, and Redis can be vouched for again. */
const recoveryMaxMs = 8_000

/** Trust in Redis's memory, and its recovery after a loss. */
export interface Vouching {
  /** The current marks. A call reads them before it asks the ledger for a key, and passes them to its Redis calls for that key. */
  readonly marks: Marks
  /**
   * Makes Redis vouch for its memory again: the ledger then has every answer given from Redis before, and is asked first. Rejects with
   * StoreFault of Redis where it is out of reach, of the ledger (`busy`) after this time.
   */
  recover(withinMs: number): Promise<void>
  /** As `FlushBarrier.pass`: for a decision by the ledger alone while Redis is out of reach. */
  pass(withinMs: number): Promise<void>
  readonly usesCache: boolean
  /** As in `FlushBarrier`. */
  readonly use: FlushBarrier['use']
}

interface Parts {
  /** Prefix of this gateway's marks: no other process has it. */
  readonly gatewayId: string
  readonly cache: Cache
  readonly barrier: Pick<FlushBarrier, 'pass' | 'usesCache' | 'use'>
  /** Receives the number of unvouched buckets of Redis's memory. */
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
    // If the memory was lost again since, the mark is lost with it, and the next decision notices.
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
    use: barrier.use,
  }
}

/** Without Redis the ledger has everything before it is answered. */
export const nothingToVouchFor: Vouching = {
  marks: [],
  recover: async () => {},
  pass: async () => {},
  usesCache: false,
  use: (work) => work(),
}
