import type { Cache, RequestBounds, RequestsAt } from '../../store/cache.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LookupCache } from './lookup-cache.js'

/** A POS's request as the partner page shows it. */
export interface KeptRequest {
  readonly id: string
  /** Wall clock, milliseconds since the epoch. */
  readonly atMs: number
  readonly endpoint: 'basket' | 'sale' | 'return'
  readonly isSigned: boolean
  readonly requestId: string
  readonly durationMs: number
  readonly status: number
  readonly outcome: string
  /** As they arrived and left, read as UTF-8; their beginning, if they are longer than `textBytesMax`. */
  readonly body: string
  readonly answer: string
  readonly isCut: boolean
}

/** Requests of the last day for the partner page, the latest of each venue. */
export interface KeptRequests {
  /** Never waits or throws: what cannot be kept is dropped. */
  keep(venueId: string, request: KeptRequest): void
  /** Newest first. Rejects with StoreFault. */
  list(venueId: string): Promise<readonly KeptRequest[]>
  /** Drops those of every venue: any may name a person who is to be forgotten. Rejects with StoreFault. */
  dropAll(): Promise<void>
}

/** Bytes of a body or an answer. */
export const textBytesMax = 64 * 1_024
const dayMs = 86_400_000
const signedBounds: RequestBounds = { countMax: 200, bytesMax: 1_024 * 1_024, lifetimeMs: dayMs }
/** Anyone can send them: they take no place of the signed ones. */
const unsignedBounds: RequestBounds = { countMax: 20, bytesMax: 256 * 1_024, lifetimeMs: dayMs }
/** Unsigned requests kept a second by this process; further ones could ask the ledger for ever new venues. */
const unsignedPerS = 5
/** Requests on their way at once. */
const keepingMax = 64
const venuesAtOnce = 500

type Store = Pick<Cache, 'keepRequest' | 'readRequests' | 'dropRequests'>

interface Parts {
  /** null: they are kept in this process, which is then the only one. */
  readonly cache: Store | null
  readonly facts: Pick<LookupCache, 'findVenue'>
  readonly venues: Pick<AdminLedger['venues'], 'list'>
  readonly environment: 'staging' | 'production'
  /** Wall clock, milliseconds since the epoch. */
  readonly nowMs: () => number
  readonly inBackground: (work: Promise<unknown>) => void
}

export function createKeptRequests({ cache, facts, venues, environment, nowMs, inBackground }: Parts): KeptRequests {
  const store = cache ?? createMemory()
  let keeping = 0
  let second = 0
  let unsigned = 0

  function isAdmitted(isSigned: boolean): boolean {
    if (isSigned) return keeping < keepingMax
    const now = Math.floor(nowMs() / 1_000)
    unsigned = now === second ? unsigned + 1 : 1
    second = now
    return unsigned <= unsignedPerS && keeping < keepingMax
  }

  /** Only venues of this environment: their number bounds the memory. */
  async function keepNow(venueId: string, request: KeptRequest): Promise<void> {
    const venue = await facts.findVenue(venueId)
    if (venue?.environment !== environment) return
    const { isSigned } = request
    await store.keepRequest({ venueId, isSigned }, JSON.stringify(request), isSigned ? signedBounds : unsignedBounds)
  }

  return {
    keep(venueId, request) {
      if (!isAdmitted(request.isSigned)) return
      keeping += 1
      inBackground(
        keepNow(venueId, request).finally(() => {
          keeping -= 1
        }),
      )
    },
    async list(venueId) {
      const texts = await Promise.all([true, false].map((isSigned) => store.readRequests({ venueId, isSigned })))
      const sinceMs = nowMs() - dayMs
      return texts
        .flat()
        .flatMap((text) => readKept(text) ?? [])
        .filter(({ atMs }) => atMs > sinceMs)
        .toSorted((one, other) => other.atMs - one.atMs)
    },
    async dropAll() {
      let page: readonly { readonly venueId: string }[] = []
      do {
        const last = page.at(-1)
        page = await venues.list({ after: last === undefined ? null : [last.venueId], limit: venuesAtOnce })
        await Promise.all(page.map(({ venueId }) => store.dropRequests(venueId)))
      } while (page.length === venuesAtOnce)
    },
  }
}

/** Lists of each kind in memory; those that were used last stay. At most 32 MiB signed and 8 MiB others. */
const memoryListsMax = 32

function createMemory(): Store {
  const signed = new Map<string, readonly string[]>()
  const others = new Map<string, readonly string[]>()
  const listsOf = ({ isSigned }: Pick<RequestsAt, 'isSigned'>) => (isSigned ? signed : others)
  return {
    async keepRequest(at, text, { countMax, bytesMax }) {
      const lists = listsOf(at)
      const list = [text, ...(lists.get(at.venueId) ?? [])].slice(0, countMax)
      let bytes = 0
      const fit = list.filter((each) => {
        bytes += Buffer.byteLength(each)
        return bytes <= bytesMax
      })
      lists.delete(at.venueId)
      lists.set(at.venueId, fit)
      if (lists.size > memoryListsMax) lists.delete(lists.keys().next().value!)
    },
    readRequests: async (at) => listsOf(at).get(at.venueId) ?? [],
    async dropRequests(venueId) {
      for (const lists of [signed, others]) lists.delete(venueId)
    },
  }
}

/** null: a foreign text under our key. */
function readKept(text: string): KeptRequest | null {
  try {
    const request = JSON.parse(text) as KeptRequest
    return typeof request.id === 'string' && typeof request.answer === 'string' ? request : null
  } catch {
    return null
  }
}
