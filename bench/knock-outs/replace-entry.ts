import type { LoadHook } from 'node:module'

/** Hooks of the module loader: some files are loaded with another text. */

let replaced: ReadonlyMap<string, string> = new Map()

export function initialize(texts: ReadonlyMap<string, string>): void {
  replaced = texts
}

export const load: LoadHook = (url, context, nextLoad) => {
  const source = replaced.get(url)
  return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true }
}
