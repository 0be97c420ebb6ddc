import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Pace } from '../../../store/ledger/counters.js'
import type { LimitPaceSchema } from '../../gen/loyalty/v1/limit_service_pb.js'
import { timestamp } from './fields.js'

/** Recent use of a limit; null: no samples, and the field is absent. */
export function messageFromPace(pace: Pace | null): MessageInitShape<typeof LimitPaceSchema> | undefined {
  return pace === null ? undefined : { since: timestamp(pace.since), taken: BigInt(pace.taken) }
}
