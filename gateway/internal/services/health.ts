import { Code, ConnectError, type ConnectRouter, type HandlerContext } from '@connectrpc/connect'
import { Health, HealthCheckResponse_ServingStatus as Status } from '../../gen/grpc/health/v1/health_pb.js'

/** Interval between checks of a watched status, in milliseconds. */
const watchMs = 1_000

/** The gRPC health service: for the whole server, and for itself by name. */
export function healthRoutes(isReady: () => boolean): (router: ConnectRouter) => void {
  const status = () => (isReady() ? Status.SERVING : Status.NOT_SERVING)
  return (router) => {
    router.service(Health, {
      check({ service }) {
        if (!isKnown(service)) throw new ConnectError('no service of that name', Code.NotFound)
        return { status: status() }
      },
      async *watch({ service }, context) {
        let sent: Status | null = null
        for (;;) {
          // Ends the call with its reason: cancelled, or unavailable at a shutdown, so that its client reconnects.
          context.signal.throwIfAborted()
          const now = isKnown(service) ? status() : Status.SERVICE_UNKNOWN
          if (now !== sent) yield { status: now }
          sent = now
          await pause(context)
        }
      },
    })
  }
}

function isKnown(service: string): boolean {
  return service === '' || service === Health.typeName
}

/** Waits for the next check, or for the end of the call. */
function pause({ signal }: HandlerContext): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, watchMs)
    signal.addEventListener('abort', done)
  })
}
