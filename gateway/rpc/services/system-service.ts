import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter } from '@connectrpc/connect'
import type { RunningGateway } from '../../../store/ledger/processes.js'
import type { Ledger } from '../../../store/ledger.js'
import { CacheReachSchema, type GatewaySchema, SystemService } from '../../gen/loyalty/v1/system_service_pb.js'
import { timestamp } from '../messages/fields.js'
import { enumFromWord } from '../messages/words.js'

/** Rows of one list. */
const gatewaysMax = 1_000

/** What runs on this ledger. */
export function systemRoutes({
  ledger,
}: {
  readonly ledger: Pick<Ledger, 'clock' | 'processes'>
}): (router: ConnectRouter) => void {
  return (router) => {
    router.service(SystemService, {
      async listGateways() {
        const gateways = await ledger.processes.listGateways(gatewaysMax)
        return { at: timestamp(ledger.clock()), gateways: gateways.map(messageFromGateway) }
      },
    })
  }
}

function messageFromGateway({
  cache,
  startedAtMs,
  seenAtMs,
  isSilent,
  ...same
}: RunningGateway): MessageInitShape<typeof GatewaySchema> {
  return {
    ...same,
    cache: enumFromWord(CacheReachSchema, cache),
    startedAt: timestamp(startedAtMs),
    seenAt: timestamp(seenAtMs),
    silent: isSilent,
  }
}
