import { LRUCache } from 'lru-cache'

/**
 * Answers of a store by key, with a maximum number; the least recently used goes first. Not `fetch` of lru-cache: it would fail or store
 * look-ups that a change overtakes, where here they answer their callers and are not stored.
 */
export interface Remembered<V extends object> {
  /** The stored answer, or a promise of it: calls for one key share one look-up. */
  get(key: string): V | Promise<V>
  known(key: string): V | undefined
  /** Call it before a look-up of your own: stores its answer, unless a change came meanwhile. */
  begin(): (key: string, found: V) => void
  forget(key: string): void
  forgetAll(): void
  /** Results of look-ups under way will not be stored, and later calls do not wait for them. */
  renew(): void
}

export function createRemembered<V extends object>(max: number, find: (key: string) => Promise<V>): Remembered<V> {
  const known = new LRUCache<string, V>({ max })
  // Replaced with every change: a look-up from before it must not store the old answer after it, nor be shared.
  let asked = new Map<string, Promise<V>>()

  function begin(): (key: string, found: V) => void {
    const mine = asked
    return (key, found) => {
      if (mine === asked) known.set(key, found)
    }
  }

  function ask(key: string): Promise<V> {
    const mine = asked
    const store = begin()
    const finding = find(key)
      .then((found) => {
        store(key, found)
        return found
      })
      .finally(() => mine.delete(key))
    mine.set(key, finding)
    return finding
  }

  return {
    get: (key) => known.get(key) ?? asked.get(key) ?? ask(key),
    known: (key) => known.get(key),
    begin,
    forget: (key) => void known.delete(key),
    forgetAll: () => known.clear(),
    renew() {
      asked = new Map()
    },
  }
}
