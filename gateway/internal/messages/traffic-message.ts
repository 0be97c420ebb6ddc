import type { MessageInitShape } from '@bufbuild/protobuf'
import type { TrafficSchema } from '../../gen/loyalty/v1/report_service_pb.js'
import type { Traffic } from '../../telemetry/traffic.js'

export function messageFromTraffic(traffic: Traffic): MessageInitShape<typeof TrafficSchema> {
  const { seconds, baskets, outcomes } = traffic
  const [p50Ms, p95Ms, p99Ms] = [50, 95, 99].map((each) => traffic.percentile(each) ?? undefined)
  return {
    ...{ seconds, baskets: BigInt(baskets) },
    outcomes: outcomes.map((each) => ({ outcome: each.outcome, baskets: BigInt(each.baskets) })),
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p95Ms !== undefined && { p95Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
  }
}
