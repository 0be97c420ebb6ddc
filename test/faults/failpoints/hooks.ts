/** A module of the product as one of its modules imports it, and its replacement. */
const replaced: readonly (readonly [parent: string, specifier: string, instead: string])[] = [
  ['/gateway/open-stores.js', '/create-postgres-ledger.js', './ledger.js'],
  ['/gateway/open-stores.js', '/create-redis-cache.js', './cache.js'],
  ['/engine/thread/worker.js', '/pricer.js', './pricer.js'],
]

interface Context {
  readonly parentURL?: string
}

type Resolve = (specifier: string, context: Context) => Promise<{ readonly url: string }>

/** A hook of the module loader (`node:module`, register). */
export async function resolve(specifier: string, context: Context, next: Resolve): Promise<{ readonly url: string }> {
  const found = replaced.find(
    ([parent, end]) =>
      context.parentURL?.endsWith(parent) && specifier.endsWith(end.slice(1)) && specifier.includes('/'),
  )
  return await next(found === undefined ? specifier : new URL(found[2], import.meta.url).href, context)
}
