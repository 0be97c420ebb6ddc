import { withMethods } from '../../../store/with-methods.js'
import { failpoint } from './failpoint.js'

/** A store that ends the process where the failpoint says so. */
export function withFailpoint<T extends object>(name: string, store: T): T {
  if (failpoint.kind !== 'kill') return store
  const { place, when, nth } = failpoint
  let calls = 0
  return withMethods(store, (path, method) => {
    if (`${name}.${path}` !== place) return method
    return async (...args) => {
      calls += 1
      if (calls !== nth) return await method(...args)
      if (when === 'before') die()
      const reply = method(...args)
      // The request has left with this turn of the event loop; its reply has not been read.
      if (when === 'during') setImmediate(die)
      try {
        await reply
      } finally {
        die()
      }
    }
  })
}

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal is on its way; nothing else may happen until it is here.
  for (;;);
}
