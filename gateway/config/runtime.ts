/** The oldest supported release of Node.js (`npm run verify -- runtimes` tests it and newer ones). */
const majorMin = 22

/** Every connection takes one, and so does every file of an embedded ledger. */
const openFilesMin = 4_096

/**
 * The warning of a start on an older release of Node.js; null on a supported one. Node.js 20 runs with the flag that
 * `engine/thread/v8-flags.ts` sets.
 *
 * @param version  such as `22.15.0`
 */
export function runtimeWarning(version: string): string | null {
  const major = Number(version.split('.')[0])
  if (major >= majorMin) return null
  return `Node.js ${version} is past its end of life and not supported: use 24 or 26. It runs with --no-turbo-move-optimization, without which it can read small numbers as 0`
}

/**
 * The warning of a start with too few open files for its connections; null: enough, or not known.
 *
 * @param limits  the text of `/proc/self/limits`
 */
export function openFilesWarning(limits: string): string | null {
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1]
  if (soft === undefined || Number(soft) >= openFilesMin) return null
  return `open files: at most ${soft}, and every connection takes one: allow ${openFilesMin} or more (ulimit -n, LimitNOFILE)`
}
