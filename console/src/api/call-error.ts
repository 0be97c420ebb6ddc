import { Code, ConnectError } from '@connectrpc/connect'

/** A call that nothing answered, which a browser reports as a TypeError. */
export function isUnanswered(cause: unknown): boolean {
  return (cause instanceof ConnectError ? cause.cause : cause) instanceof TypeError
}

/** The error that a call ended with; `Unavailable` where nothing answered it. */
export function callError(cause: unknown): ConnectError {
  const error = ConnectError.from(cause)
  return isUnanswered(cause) ? new ConnectError('', Code.Unavailable) : error
}
