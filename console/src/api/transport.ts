import { Code, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { callError, isUnanswered } from './call-error.js'
import { newId } from './new-id.js'
import { noteReach } from './reach.js'
import { consoleHeaders } from './session.js'

/** Under this header each call has an id that the service writes to its log. */
export const requestIdHeader = 'x-request-id'

/** The way to the services. @param onSignedOut  called when a call is refused because the session has ended */
export function createTransport(onSignedOut: () => void) {
  const identify: Interceptor = (next) => async (request) => {
    const requestId = newId()
    for (const [name, value] of Object.entries(consoleHeaders)) request.header.set(name, value)
    request.header.set(requestIdHeader, requestId)
    try {
      const response = await next(request)
      noteReach(true)
      return response
    } catch (cause) {
      const error = callError(cause)
      if (!request.signal.aborted) noteReach(!isUnanswered(cause))
      if (!isUnanswered(cause)) error.metadata.set(requestIdHeader, requestId)
      if (error.code === Code.Unauthenticated) onSignedOut()
      throw error
    }
  }
  return createConnectTransport({ baseUrl: '/', interceptors: [identify] })
}
