import { setTimeout as sleep } from 'node:timers/promises'
import { StoreFault } from '../../fault.js'
import { withinTime } from '../../within-time.js'
import { serverUrls } from './server-urls.js'

/** Between two looks at all servers, in milliseconds. */
const lookEveryMs = 500

/** A server that has not said what it is after this time does not count in this look, in milliseconds. */
const lookMs = 1_000

/** How long a first call waits for a server that takes writes, in milliseconds. */
const firstMs = 2_000

/** What a server says of itself. */
export interface ServerState {
  /** It follows another one and takes no writes. */
  readonly follows: boolean
  /** Which timeline it writes; every promotion begins a new one, with a greater number. 0 while it follows. */
  readonly timeline: number
  /** Names the cluster (system identifier): a standby has that of its primary, whoever of them is promoted. */
  readonly system: string
}

/**
 * Which of the servers of a DATABASE_URL is the primary. With one server that is settled; of several, all are asked again and again
 * what they are. The primary is the server that takes writes on the greatest timeline. A process that has seen a promotion never uses the
 * old primary again, and `require_durable` refuses writes there. A server of another cluster than the first one found is never used: it
 * holds another ledger.
 */
export interface Primary {
  /** Whether there is more than one server. */
  readonly several: boolean
  /** Resolves once it is known, or to the first server when nobody has answered for a while. */
  found(): Promise<void>
  /** The server to talk to now. */
  url(): string
  /** The greatest timeline seen; 0: unknown, as with a single server. */
  timeline(): number
  /** Calls back when it is first known, and whenever another server, or the same one on a new timeline, has become the primary. */
  onMove(notify: (move: Move) => void): void
  close(): Promise<void>
}

export interface Move {
  readonly url: string
  readonly timeline: number
  /** The timeline before; 0: none was known. */
  readonly from: number
}

/** A connection for looking at one server. */
export interface Lookout {
  /** Rejects where the server does not say. */
  look(): Promise<ServerState>
  close(): Promise<void>
}

/**
 * @param url       DATABASE_URL
 * @param watchOut  opens a lookout at a server; only asked where there are several
 * @throws StoreFault where the URL is none
 */
export function createPrimary(url: string, watchOut: (url: string) => Lookout): Primary {
  const urls = serverUrls(url)
  if (urls === null) throw new StoreFault('ledger', 'unreachable', { cause: new Error('the URL is malformed') })
  return urls.length === 1 ? onlyServer(urls[0]!) : watchServers(urls, watchOut)
}

function onlyServer(url: string): Primary {
  return {
    several: false,
    found: async () => {},
    url: () => url,
    timeline: () => 0,
    onMove() {},
    close: async () => {},
  }
}

function watchServers(urls: readonly string[], watchOut: (url: string) => Lookout): Primary {
  const listeners: ((move: Move) => void)[] = []
  const closing = new AbortController()
  let now = { url: urls[0]!, timeline: 0 }
  let ours: string | null = null
  let known: () => void = () => {}
  const first = new Promise<void>((resolve) => {
    known = resolve
  })

  function weigh(url: string, { follows, timeline, system }: ServerState): void {
    if (follows || timeline <= now.timeline || system !== (ours ?? system) || closing.signal.aborted) return
    ours = system
    const { timeline: from } = now
    now = { url, timeline }
    for (const notify of listeners) notify({ ...now, from })
    known()
  }

  /** Each server by itself: one that is slow to answer, or to refuse, does not delay the others. */
  async function watch(url: string): Promise<void> {
    while (!closing.signal.aborted) {
      const lookout = watchOut(url)
      try {
        for (;;) {
          weigh(url, await withinTime('ledger', lookMs, lookout.look()))
          await sleep(lookEveryMs, undefined, { signal: closing.signal, ref: false })
        }
      } catch {
        await lookout.close()
        await sleep(lookEveryMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
    }
  }

  const watching = urls.map(watch)
  return {
    several: true,
    found: () => withinTime('ledger', firstMs, first).catch(() => {}),
    url: () => now.url,
    timeline: () => now.timeline,
    onMove: (notify) => void listeners.push(notify),
    async close() {
      closing.abort()
      await Promise.all(watching)
    },
  }
}
