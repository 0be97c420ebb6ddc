import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import type { Cache } from '../../../store/cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { ReleaseReply } from '../../../store/ledger/calculations.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Journal } from '../../background/journal.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import {
  type ReleaseReservationRequest,
  ReleaseReservationRequestSchema,
  type ReleaseReservationResponseSchema,
} from '../../gen/loyalty/v1/calculation_service_pb.js'
import { LimitCountsSchema } from '../../gen/loyalty/v1/enums_pb.js'
import { refusal } from '../errors.js'
import { commandFrom, requestIdConflict } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { ValueFields } from '../messages/value-fields.js'
import { enumFromWord } from '../messages/words.js'

export interface ReleaseParts {
  readonly adminLedger: Pick<AdminLedger, 'calculations'>
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly cache: Pick<Cache, 'forgetCounters'> | null
  readonly facts: Pick<LookupCache, 'limits'>
}

export async function releaseReservation(
  parts: ReleaseParts,
  request: ReleaseReservationRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ReleaseReservationResponseSchema>> {
  const { requestId, calculationId, dryRun } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  const reason = new ValueFields(checks).reason('reason', request.reason)
  checks.done()
  await parts.journal.ensureInLedger(calculationId)
  const command = commandFrom(ReleaseReservationRequestSchema, request, context)
  const reply = await parts.adminLedger.calculations.release(command, { calculationId, reason, isDryRun: dryRun })
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
      if (!dryRun) await notifyCache(parts, reply)
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

/**
 * The next call that needs the counters asks the ledger. While Redis is out of reach, their holds end when the calculation would have
 * expired.
 */
async function notifyCache(
  { cache }: ReleaseParts,
  { reservations }: Extract<ReleaseReply, { readonly kind: 'done' }>,
): Promise<void> {
  if (cache === null || reservations.length === 0) return
  try {
    await cache.forgetCounters(reservations)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
  }
}
