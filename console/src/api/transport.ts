import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-web'
import { newId } from './new-id.js'
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
      return await next(request)
    } catch (cause) {
      const error = ConnectError.from(cause)
      error.metadata.set(requestIdHeader, requestId)
      if (error.code === Code.Unauthenticated) onSignedOut()
      throw error
    }
  }
  return createConnectTransport({ baseUrl: '/', interceptors: [identify] })
}
