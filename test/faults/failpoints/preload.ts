import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'
import { failpoint } from './failpoint.js'

/**
 * Loaded into a gateway's process before its own code (`--import`), where the environment names a failpoint: replaces a few modules of
 * the product by wrapped ones. The product has no code for it.
 */
if (failpoint.kind !== 'none') register('./hooks.js', import.meta.url)

if (failpoint.kind === 'clock') {
  const { now } = Date
  const { ms } = failpoint
  Date.now = () => now() + ms
}

if (failpoint.kind === 'block' && isMainThread) {
  const { ms, everyMs } = failpoint
  setInterval(() => {
    const untilMs = performance.now() + ms
    while (performance.now() < untilMs);
  }, everyMs).unref()
}
