import type { HandlerContext } from '@connectrpc/connect'
import { engineVersion, type PricingEngine } from '../../../engine/index.js'
import { jsonDifferences } from '../../../engine/programme/diff-programmes.js'
import { givenFromText } from '../../../engine/wire/write-stored.js'
import type { CalculationFilter, CalculationSummary, InspectedCalculation } from '../../../store/ledger/calculations.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Journal } from '../../background/journal.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import {
  CalculationService,
  type ListCalculationsRequest,
  type ReleaseReservationRequest,
} from '../../gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStateSchema, CalculationStatusSchema } from '../../gen/loyalty/v1/enums_pb.js'
import { readInputs } from '../../use-cases/calculation-record.js'
import type { Closed } from '../../use-cases/closed-benefits.js'
import type { Commands } from '../../use-cases/commands.js'
import { replayCalculation } from '../../use-cases/replay-calculation.js'
import { publishedProgramme, type SimulationParts } from '../../use-cases/simulate-basket.js'
import { sendCommand } from '../messages/commands.js'
import { messageFromClosed, messagesFromReports } from '../messages/explanation-message.js'
import { FieldChecks, microsecondsFrom, receiptFrom } from '../messages/fields.js'
import { channelFromWord, routeOf, wordFromEnum } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { refusalFrom } from '../messages/refusals.js'
import { earningRecords, spendingRecords } from '../messages/stored-value.js'
import { ValueFields } from '../messages/value-fields.js'
import { type SimulateParts, simulate } from './simulate.js'

const differencesMax = 100

export interface CalculationParts extends SimulateParts {
  readonly adminLedger: AdminLedger
  readonly commands: Commands
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly engine: Pick<PricingEngine, 'unpack'>
  readonly facts: SimulationParts['facts'] & Pick<LookupCache, 'limits'>
  readonly programmeReader: ProgrammeReader
}

export function calculationRoutes(parts: CalculationParts) {
  const { adminLedger, engine } = parts
  return routeOf(CalculationService, {
    async getCalculation({ calculationId }, { signal }) {
      const found = await findCalculation(parts, calculationId)
      const bodies = found.body && (await engine.unpack(found.body.packed))
      return messageFromCalculation(found, { bodies, closed: await closedIn(parts, found, signal) }, parts.facts)
    },

    async listCalculations(request) {
      const filter = filterFrom(request)
      const { rows, nextPageToken } = await pageOf(request, {
        name: 'ListCalculations',
        filters: Object.values(filter),
        form: ['number', 'uuid'],
        read: (page) => adminLedger.calculations.list(filter, page),
        cursorOf: ({ answeredAtUs, calculationId }) => [answeredAtUs, calculationId],
        lookedTo: (after) => adminLedger.calculations.findLookedTo(filter, after),
      })
      return { calculations: rows.map(messageFromSummary), nextPageToken }
    },

    async simulateBasket(request, context) {
      return await simulate(parts, request, context)
    },

    releaseReservation: (request, context) => callReleaseReservation(parts, request, context),

    async replayCalculation({ calculationId }, { signal }) {
      const outcome = await replayCalculation(parts, await findCalculation(parts, calculationId), signal)
      if (outcome.kind !== 'replayed') throw refusalFrom(outcome)
      const stored = Buffer.from(outcome.stored)
      const replayed = Buffer.from(outcome.replayed)
      const identical = stored.equals(replayed)
      const [left, right] = [stored.toString(), replayed.toString()]
      const differences = identical ? [] : differencesOf(left, right)
      const { isSame: same, storedEngineVersion } = outcome
      const versions = { storedEngineVersion, engineVersion }
      return { identical, storedAnswerJson: left, replayedAnswerJson: right, differences, same, ...versions }
    },
  })
}

async function findCalculation(
  { journal, adminLedger }: CalculationParts,
  calculationId: string,
): Promise<InspectedCalculation> {
  new FieldChecks().uuid('calculation_id', calculationId).done()
  await journal.ensureInLedger(calculationId)
  const found = await adminLedger.calculations.find(calculationId)
  if (found === null) throw refusalFrom({ kind: 'unknown_calculation' })
  return found
}

export function messageFromSummary(summary: CalculationSummary) {
  const given = givenFromText(summary.gave)
  const givenTotal = given.reduce((sum, { discount }) => sum + discount, 0)
  return { ...summary, ...channelFromWord(summary.channel), benefits: given, givenTotal }
}

interface Explained {
  /** null: no longer kept. */
  readonly bodies: { readonly request: Uint8Array; readonly answer: Uint8Array } | null
  readonly closed: readonly Closed[] | null
}

function messageFromCalculation(
  found: InspectedCalculation,
  { bodies, closed }: Explained,
  { limits }: Pick<LookupCache, 'limits'>,
) {
  const { summary, body, reservations, spending, holds, earning, given, due } = found
  return {
    calculation: messageFromSummary(summary),
    ...(bodies && {
      requestJson: Buffer.from(bodies.request).toString(),
      answerJson: Buffer.from(bodies.answer).toString(),
    }),
    reservations: reservations.map((each) => ({ ...each, counts: limits.get(each.limitId)?.counts })),
    explanation: body && bodies ? messagesFromReports(body.explanation, bodies.request) : [],
    history: historyOf(found),
    earning: earningRecords(earning, { given, wouldEarn: due ?? given }),
    spending: spendingRecords(spending, holds),
    ...(body && pricedWith(body.inputs)),
    closed: messageFromClosed(closed),
  }
}

/** Judged anew from the stored facts; null: no member, or body or programme no longer stored. */
async function closedIn(
  { adminLedger, findClosed }: Pick<CalculationParts, 'adminLedger' | 'findClosed'>,
  { summary, body }: InspectedCalculation,
  signal: AbortSignal,
): Promise<readonly Closed[] | null> {
  if (body === null) return null
  const { facts } = readInputs(body.inputs)
  const programme = await publishedProgramme(adminLedger, facts.programmeVersion)
  return programme && (await findClosed({ programme, sent: summary, facts }, signal))
}

function pricedWith(inputs: string) {
  const { engineVersion, facts } = readInputs(inputs)
  return { engineVersion, buyer: facts.member }
}

/** A calculation leaves `open` once at most (contract 3.1). */
function historyOf({ summary, soldAt, superseder }: InspectedCalculation) {
  const { state } = summary
  const began = { state: 'open', at: summary.answeredAt }
  switch (state) {
    case 'finalised':
    case 'abandoned':
      return [began, { state, at: soldAt }]
    case 'superseded':
      return [began, { state, at: superseder?.at, cause: superseder?.calculationId }]
    case 'expired':
      return [began, { state, at: summary.expiresAt }]
    default:
      return [began]
  }
}

function filterFrom(request: ListCalculationsRequest): CalculationFilter {
  const { from, until, venueId, memberId, loyaltyId, status, state, programmeVersion } = request
  const { cashRegisterId, transactionId, benefitId } = request
  const checks = new FieldChecks()
  const receiptNumber = receiptFrom(checks, request.receiptNumber)
  checks
    .idOrEmpty('venue_id', venueId)
    .idOrEmpty('member_id', memberId)
    .expect('loyalty_id', loyaltyId.length <= 64, 'at most 64 characters', loyaltyId)
    .enumOrNone('status', CalculationStatusSchema, status)
    .enumOrNone('state', CalculationStateSchema, state)
    .expect('programme_version', programmeVersion >= 0, '0 or more', String(programmeVersion))
    .idOrEmpty('cash_register_id', cashRegisterId)
    .idOrEmpty('transaction_id', transactionId)
    .idOrEmpty('benefit_id', benefitId)
    .done()
  return {
    fromUs: microsecondsFrom(from) ?? 0,
    untilUs: microsecondsFrom(until) ?? Number.MAX_SAFE_INTEGER,
    venueId,
    memberId,
    loyaltyId,
    status: wordFromEnum(CalculationStatusSchema, status) ?? '',
    state: wordFromEnum(CalculationStateSchema, state) ?? '',
    programmeVersion: programmeVersion === 0 ? null : programmeVersion,
    cashRegisterId,
    receiptNumber,
    transactionId,
    benefitId,
  }
}

/** Answers of equal value can still differ in their bytes: then the whole is the place. */
function differencesOf(stored: string, replayed: string) {
  const found = jsonDifferences(JSON.parse(stored), JSON.parse(replayed), differencesMax)
  if (found.length === 0) return [{ path: '', stored, replayed }]
  return found.map(({ path, left, right }) => ({ path, stored: left ?? '', replayed: right ?? '' }))
}

async function callReleaseReservation(
  { commands, facts }: CalculationParts,
  request: ReleaseReservationRequest,
  context: HandlerContext,
) {
  const { requestId, calculationId, dryRun: isDryRun } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('calculation_id', calculationId)
  const reason = new ValueFields(checks).reason('reason', request.reason)
  checks.done()
  const { reservations, value } = await sendCommand(
    commands.releaseReservation,
    [{ calculationId, reason, isDryRun }],
    { request, context },
  )
  return {
    reservations: reservations.map((each) => ({ ...each, counts: facts.limits.get(each.limitId)?.counts })),
    value,
  }
}
