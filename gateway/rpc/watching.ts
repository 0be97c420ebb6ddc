/** How often a watcher at the end of a feed looks for more, in milliseconds. */
const lookMs = 500
/** How long a watcher is silent at most, in milliseconds. */
export const silentMs = 5_000

/** Until a watcher's next look, or the end of its call. */
export function untilNextLook(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, lookMs)
    signal.addEventListener('abort', done)
  })
}
