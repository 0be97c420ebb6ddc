import type { MessageInitShape } from '@bufbuild/protobuf'
import type { CodeCountSchema, TrafficSchema } from '../../gen/loyalty/v1/report_service_pb.js'
import { type CodeCount, errorCount, type Traffic, type TrafficPlace } from '../../telemetry/traffic.js'

const placesMax = 100

export function messageFromTraffic(traffic: Traffic): MessageInitShape<typeof TrafficSchema> {
  const { seconds, baskets, outcomes, calls, places, isWell } = traffic
  const [p50Ms, p95Ms, p99Ms] = [50, 95, 99].map((each) => traffic.percentile(each) ?? undefined)
  return {
    ...{ seconds, baskets: BigInt(baskets), calls: BigInt(calls), well: isWell },
    outcomes: outcomes.map((each) => ({ outcome: each.outcome, baskets: BigInt(each.baskets) })),
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p95Ms !== undefined && { p95Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
    ...errorsFrom(traffic),
    places: places.slice(0, placesMax).map((place) => ({
      ...{ venueId: place.venueId, cashRegisterId: place.cashRegisterId },
      ...{ calls: BigInt(place.calls), slow: BigInt(place.slow) },
      ...errorsFrom(place),
    })),
  }
}

function errorsFrom(counted: Pick<TrafficPlace, 'errors'>) {
  const messageFrom = ({ code, calls }: CodeCount): MessageInitShape<typeof CodeCountSchema> => ({
    code,
    calls: BigInt(calls),
  })
  return { failedCalls: BigInt(errorCount(counted)), errors: counted.errors.map(messageFrom) }
}
