import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectError } from '@connectrpc/connect'
import { reasonOf } from './internal.js'
import { tlsFaultOf } from './tls-fault.js'

/** Attempts of a change while the service is unreachable, and the pause between two, in milliseconds. */
const attemptsMax = 5
const pauseMs = 1_000

/** Repeats a change until the service is reached; every attempt has the same request id, so that the change is made once. */
export async function untilReached<T>(change: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await change()
    } catch (error) {
      if (!isUnreachable(error) || attempt === attemptsMax) throw error
    }
    await sleep(pauseMs)
  }
}

/** The service reports it, or did not answer: it may be restarting. A certificate that is refused stays so. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof ConnectError)) return false
  return reasonOf(error) === 'UNAVAILABLE' || (reasonOf(error) === null && tlsFaultOf(error) === null)
}
