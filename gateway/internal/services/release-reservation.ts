import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { LookupCache } from '../../cache/lookup-cache.js'
import {
  type ReleaseReservationRequest,
  ReleaseReservationRequestSchema,
  type ReleaseReservationResponseSchema,
} from '../../gen/loyalty/v1/calculation_service_pb.js'
import { LimitCountsSchema } from '../../gen/loyalty/v1/enums_pb.js'
import { type ReleaseParts, releaseReservation } from '../../use-cases/release-reservation.js'
import { refusal } from '../errors.js'
import { commandFrom, requestIdConflict } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { enumFromWord } from '../messages/words.js'

export async function callReleaseReservation(
  parts: ReleaseParts & { readonly facts: Pick<LookupCache, 'limits'> },
  request: ReleaseReservationRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ReleaseReservationResponseSchema>> {
  const { requestId, calculationId, dryRun: isDryRun } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  const reason = new ValueFields(checks).reason('reason', request.reason)
  checks.done()
  const command = commandFrom(ReleaseReservationRequestSchema, request, context)
  const reply = await releaseReservation(parts, command, { calculationId, reason, isDryRun })
  switch (reply.kind) {
    case 'unknown_calculation':
      throw refusal('CALCULATION_NOT_FOUND', 'no calculation with this id')
    case 'not_open': {
      const { state } = reply
      throw refusal('CALCULATION_NOT_OPEN', `the calculation is ${state}`, { metadata: { state } })
    }
    case 'request_id_conflict':
      throw requestIdConflict()
    case 'done':
      return {
        reservations: reply.reservations.map(({ units, ...name }) => ({
          ...name,
          counts: enumFromWord(LimitCountsSchema, parts.facts.limits.get(name.limitId)?.counts),
          units: BigInt(units),
        })),
        value: reply.value.map(({ currencyId, amount }) => ({ currencyId, amount: BigInt(amount) })),
      }
  }
}
