import type { Dice } from '../support/dice.js'
import type { Gateway, StoreName } from './gateway-place.js'
import type { Owner } from './virtual-time.js'

/** The network between the gateways and their stores at this moment. */
export interface Weather {
  /** The connection is refused. */
  refuses(store: StoreName, gateway: Pick<Gateway, 'place'>): boolean
  /** What of one call is lost with its connection. */
  loses(store: StoreName, gateway: Pick<Gateway, 'place'>): 'request' | 'reply' | null
  /** Calls back when the server, as it is now, ends; the function returned unsubscribes. */
  onCrash(server: Owner, notify: () => void): () => void
  /** Notifies everybody who waits for this server. */
  crashed(server: Owner): void
  /** Refuses connections of one gateway, or of all; the function returned ends it. */
  refuse(store: StoreName, place: number | 'all'): () => void
  /** Share of calls that lose their connection. */
  readonly lossShare: Record<StoreName, number>
  clear(): void
}

export function createWeather(dice: Dice): Weather {
  const refusing = new Set<{ readonly store: StoreName; readonly place: number | 'all' }>()
  const subscribers = new Map<Owner, Set<() => void>>()
  const lossShare = { cache: 0, ledger: 0 }
  return {
    lossShare,
    refuses: (store, { place }) =>
      [...refusing].some((each) => each.store === store && (each.place === 'all' || each.place === place)),
    loses(store) {
      if (lossShare[store] === 0 || !dice.chance(lossShare[store])) return null
      return dice.chance(0.5) ? 'request' : 'reply'
    },
    onCrash(server, notify) {
      const known = subscribers.get(server) ?? new Set()
      subscribers.set(server, known.add(notify))
      return () => known.delete(notify)
    },
    crashed(server) {
      for (const notify of subscribers.get(server) ?? []) notify()
      subscribers.delete(server)
    },
    refuse(store, place) {
      const refusal = { store, place }
      refusing.add(refusal)
      return () => refusing.delete(refusal)
    },
    clear() {
      refusing.clear()
      lossShare.cache = 0
      lossShare.ledger = 0
    },
  }
}
