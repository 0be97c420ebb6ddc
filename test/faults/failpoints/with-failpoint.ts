import { failpoint } from './failpoint.js'

/** A store that ends the process at the failpoint. */
export function withFailpoint<T extends object>(name: string, store: T): T {
  if (failpoint.kind !== 'kill') return store
  const { place, when, nth } = failpoint
  let calls = 0
  return new Proxy(store, {
    get(_, property) {
      const method: unknown = Reflect.get(store, property)
      if (`${name}.${String(property)}` !== place || typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        calls += 1
        if (calls !== nth) return await method.apply(store, args)
        if (when === 'before') die()
        const reply = method.apply(store, args)
        // The request leaves with this turn of the event loop; its reply has not been read.
        if (when === 'during') setImmediate(die)
        await reply
        return die()
      }
    },
  })
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal is on its way; nothing else may happen until it arrives.
  for (;;);
}
