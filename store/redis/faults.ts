import { StoreFault } from '../fault.js'

/** Error words with which a server says that it takes no writes now. */
const fullWords = new Set(['OOM', 'MISCONF', 'NOREPLICAS'])

/** Error words with which a server says that it is not the one to ask now, or is not to be asked by us. */
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

/** What a script is refused: before 7.2 without a word of its own for it. Such a command may be renamed, too, or denied by a provider. */
const refusedInScript =
  /^ERR (The user executing the script can't run this command|ACL failure in script|Unknown Redis command called from script|This Redis command is not allowed from script)/

/** Whether an error says that our user may not run a command that we need: a matter of settings, which somebody must mend. */
export function isNotPermitted(error: unknown): boolean {
  return error instanceof Error && (/^NOPERM\b/.test(error.message) || refusedInScript.test(error.message))
}

/** A StoreFault where the world failed, else the error itself, for then we have sent something wrong. */
export function faultFromError(error: Error): Error {
  if (error instanceof StoreFault) return error
  // Whatever is not a server's reply is a connection that is not there; nothing is sent again by itself.
  if (error.name !== 'ReplyError') return new StoreFault('cache', 'unreachable', { cause: error })
  const word = error.message.split(' ', 1)[0]!
  if (fullWords.has(word)) return new StoreFault('cache', 'full', { cause: error })
  if (unreachableWords.has(word) || isNotPermitted(error))
    return new StoreFault('cache', 'unreachable', { cause: error })
  return error
}
