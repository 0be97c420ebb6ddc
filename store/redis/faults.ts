import { StoreFault } from '../fault.js'

const fullWords = new Set(['OOM', 'MISCONF', 'NOREPLICAS'])

/** Errors of a server that is the wrong one now, or refuses our user. */
const unreachableWords = new Set([
  'READONLY',
  'LOADING',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'MOVED',
  'ASK',
  'BUSY',
  'UNKILLABLE',
  'NOAUTH',
  'WRONGPASS',
  'NOPERM',
])

/** A script's call was refused: before 7.2 without an error word of its own. The command may be renamed, or denied by a provider. */
const refusedInScript =
  /^ERR (The user executing the script can't run this command|ACL failure in script|Unknown Redis command called from script|This Redis command is not allowed from script)/

export function isNotPermitted(error: unknown): boolean {
  return error instanceof Error && (/^NOPERM\b/.test(error.message) || refusedInScript.test(error.message))
}

export function faultFromError(error: Error): Error {
  if (error instanceof StoreFault) return error
  // Errors other than server replies are connection errors; nothing is sent again by itself.
  if (error.name !== 'ReplyError') return new StoreFault('cache', 'unreachable', { cause: error })
  const word = error.message.split(' ', 1)[0]!
  if (fullWords.has(word)) return new StoreFault('cache', 'full', { cause: error })
  if (unreachableWords.has(word) || isNotPermitted(error))
    return new StoreFault('cache', 'unreachable', { cause: error })
  return error
}
