import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { EngineFault } from '../../engine/index.js'
import { StoreFault } from '../../store/index.js'
import type { Log } from '../log.js'
import { refusal } from './errors.js'

/** Seconds after which a client may try again: stores and threads are probed several times a second. */
const retryAfterS = 1

/**
 * What every call goes through: it ends when its deadline is over, or its client has gone, whatever it still waits for; faults
 * of stores and threads become `unavailable`, a bug is logged whole and told as `internal`.
 */
export function createGuard(log: Log): Interceptor {
  return (next) => async (request) => {
    try {
      const response = await untilAborted(next(request), request.signal)
      return response.stream ? { ...response, message: guarded(response.message, log) } : response
    } catch (error) {
      throw errorFor(error, log)
    }
  }
}

async function* guarded<T>(messages: AsyncIterable<T>, log: Log): AsyncIterable<T> {
  try {
    yield* messages
  } catch (error) {
    throw errorFor(error, log)
  }
}

/** Settles as `work` does, or rejects with the signal's reason where that comes first. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}

function errorFor(error: unknown, log: Log): ConnectError {
  if (error instanceof StoreFault) return refusal('UNAVAILABLE', storeMessage(error), { retryAfterS, cause: error })
  if (error instanceof EngineFault) return refusal('UNAVAILABLE', 'overloaded', { retryAfterS, cause: error })
  if (!(error instanceof ConnectError)) {
    log.error({ err: error }, 'internal call failed')
    return refusal('INTERNAL_ERROR', 'unexpected error', { cause: error })
  }
  if (error.details.length > 0) return error
  switch (error.code) {
    case Code.DeadlineExceeded:
      return refusal('DEADLINE_EXCEEDED', 'the deadline is over', { cause: error })
    case Code.Unavailable:
      return refusal('UNAVAILABLE', error.rawMessage, { retryAfterS, cause: error })
    default:
      return error
  }
}

/** A write in doubt may have happened: its repeat, under the same request id, finds out. */
function storeMessage({ store, kind }: StoreFault): string {
  return kind === 'in_doubt' ? `${store}: it is not known whether the change was made` : `${store} out of reach`
}
