import type { ConnectRouter } from '@connectrpc/connect'
import { AccessService } from '../../gen/loyalty/v1/access_service_pb.js'
import { accessOf, callerOf } from '../access.js'
import { endpointOf } from '../call.js'

/** What a token may do. Registered last but for reflection: it lists what is registered by then. */
export function accessRoutes({
  environment,
  publishReview,
}: {
  readonly environment: 'staging' | 'production'
  readonly publishReview: 'optional' | 'required'
}): (router: ConnectRouter) => void {
  return (router) => {
    router.service(AccessService, {
      getAccess(_, context) {
        const { role, name } = callerOf(context)
        const calls = [...accessOf(router)]
          .filter(([path, { roles }]) => path.startsWith('/loyalty.') && roles !== 'open' && roles.includes(role))
          .map(([path]) => endpointOf(path))
          .sort()
        return { role, name, calls, environment, reviewRequired: publishReview === 'required' }
      },
    })
  }
}
