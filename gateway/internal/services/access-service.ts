import type { ConnectRouter } from '@connectrpc/connect'
import { AccessService } from '../../gen/loyalty/v1/access_service_pb.js'
import { accessOf, callerOf } from '../access.js'
import { endpointOf } from '../call.js'

/** The rights of a token. Registered after all others but reflection: it lists the registered calls. */
export function accessRoutes({
  environment,
  publishReview,
  publishWorst,
}: {
  readonly environment: 'staging' | 'production'
  readonly publishReview: 'optional' | 'required'
  readonly publishWorst: 'off' | 'warn' | 'require'
}): (router: ConnectRouter) => void {
  return (router) => {
    router.service(AccessService, {
      getAccess(_, context) {
        const { role, name } = callerOf(context)
        const calls = [...accessOf(router)]
          .filter(([path, { roles }]) => path.startsWith('/loyalty.') && roles !== 'open' && roles.includes(role))
          .map(([path]) => endpointOf(path))
          .sort()
        const [reviewRequired, worstRequired] = [publishReview === 'required', publishWorst === 'require']
        return { role, name, calls, environment, reviewRequired, worstRequired }
      },
    })
  }
}
