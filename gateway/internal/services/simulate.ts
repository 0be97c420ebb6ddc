import type { JsonObject } from '@bufbuild/protobuf'
import type { ConnectError, HandlerContext } from '@connectrpc/connect'
import type { MemberFacts } from '../../../engine/core/base/basket.js'
import { readDefined } from '../../../engine/programme/read-defined.js'
import type { ProgrammeMember } from '../../../engine/programme/read-venue.js'
import type { StoredVenue } from '../../../store/ledger/venues.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { LowPriority, LowPriorityProgramme } from '../../background/low-priority.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { SimulateBasketRequest } from '../../gen/loyalty/v1/calculation_service_pb.js'
import type { Member } from '../../gen/loyalty/v1/member_service_pb.js'
import type { Venue } from '../../gen/loyalty/v1/venue_service_pb.js'
import type { BasketRefusal } from '../../use-cases/check-basket.js'
import type { Closed, FindClosed } from '../../use-cases/closed-benefits.js'
import {
  publishedProgramme,
  type Simulated,
  type Simulation,
  type SimulationParts,
  simulateBasket,
  simulatedId,
} from '../../use-cases/simulate-basket.js'
import { invalidFields, type Reason, refusal } from '../errors.js'
import { type BasketRoom, basketFromBody, bodyOfBasket, boundedBody } from '../messages/basket-message.js'
import { messageFromClosed, messagesFromReports } from '../messages/explanation-message.js'
import { FieldChecks } from '../messages/fields.js'
import { partFromMember, readPart } from '../messages/programme-fields.js'
import { refusalFrom } from '../messages/refusals.js'
import { earningRecords, spendingRecords } from '../messages/stored-value.js'
import { refusalOf } from '../messages/use-case-refusal.js'
import { venueFromMessage } from './venue-service.js'

type Priced = Extract<Simulated, { readonly kind: 'priced' }>

export interface SimulateParts extends SimulationParts, BasketRoom {
  readonly findClosed: FindClosed
  readonly adminLedger: SimulationParts['adminLedger'] & Pick<AdminLedger, 'clock' | 'members'>
  readonly programmeReader: ProgrammeReader
}

export async function simulate(parts: SimulateParts, request: SimulateBasketRequest, context: HandlerContext) {
  const { member, venue, ignoreLimits, visits } = request
  const isCount = visits === undefined || (visits >= 0n && visits <= Number.MAX_SAFE_INTEGER)
  new FieldChecks()
    .expect('visits', isCount, '0 or more', String(visits))
    .expect('loyalty_id', member === undefined || request.loyaltyId === undefined, 'nothing beside a member', '')
    .done()
  const sent = request.bodyJson === '' ? typedBasket(parts, request) : bodyAsSent(parts, request)
  const simulation = {
    ...sent,
    member: memberSupposed(member),
    visits: visits === undefined ? null : Number(visits),
    balances: balancesSupposed(request.balances),
    venue: venueSupposed(venue),
    programme: await programmeOf(parts, request),
    ignoreLimits,
  }
  const outcome = await simulateBasket(parts, simulation, context.signal)
  switch (outcome.kind) {
    case 'refused':
      throw request.bodyJson === '' ? refusalOf('basket', outcome.refusal) : refusalOfBody(outcome.refusal)
    case 'programme_not_found':
      throw refusal('PROGRAMME_NOT_FOUND', 'no such version')
    case 'priced':
      return messageFromSimulated({
        ...outcome,
        body: sent.body,
        closed: await parts.findClosed(outcome.asked, context.signal),
      })
  }
}

type Sent = Pick<Simulation, 'body' | 'calculationId'>

function typedBasket(parts: SimulateParts, { basket, requestedAt, loyaltyId }: SimulateBasketRequest): Sent {
  new FieldChecks().expect('basket', basket !== undefined, 'a basket, or body_json', '').done()
  const calculationId = basket!.calculationId === '' ? simulatedId() : basket!.calculationId
  new FieldChecks().uuid('basket.calculation_id', calculationId).done()
  const { loyaltyId: sentBy, ...anonymous } = basket!
  const buyer = loyaltyId ?? sentBy
  const supposed = {
    ...anonymous,
    ...(buyer === undefined || buyer === '' ? {} : { loyaltyId: buyer }),
    requestedAt: requestedAt ?? basket!.requestedAt,
    calculationId,
  }
  return { body: bodyOfBasket(parts, supposed), calculationId }
}

/** A body byte for byte, unless another time or buyer is given. The engine reports its faults. */
function bodyAsSent({ bodyBytesMax }: SimulateParts, request: SimulateBasketRequest): Sent {
  const { basket, bodyJson, requestedAt, loyaltyId } = request
  new FieldChecks().expect('basket', basket === undefined, 'nothing beside body_json', '').done()
  const sent = objectFrom(bodyJson)
  const calculationId = typeof sent['calculationId'] === 'string' ? sent['calculationId'] : simulatedId()
  if (requestedAt === undefined && loyaltyId === undefined)
    return { body: boundedBody(bodyBytesMax, 'body_json', bodyJson), calculationId }
  const supposed = {
    ...sent,
    ...(requestedAt === undefined ? {} : { requestedAt }),
    ...(loyaltyId === undefined ? {} : { loyaltyId: loyaltyId === '' ? null : loyaltyId }),
  }
  return { body: boundedBody(bodyBytesMax, 'body_json', JSON.stringify(supposed)), calculationId }
}

function objectFrom(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Reported below.
  }
  throw invalidFields([{ field: 'body_json', description: 'expected a JSON object' }])
}

function refusalOfBody({ code, message, details }: BasketRefusal): ConnectError {
  const { field, expected, received } = details
  const path = field === '' || field === 'body' ? 'body_json' : `body_json.${field}`
  const violations = [{ field: path, description: `expected ${expected}; received ${received}` }]
  return refusal(code.toUpperCase() as Reason, message, { violations })
}

async function programmeOf(
  parts: SimulateParts,
  { programme }: SimulateBasketRequest,
): Promise<LowPriorityProgramme | null> {
  switch (programme.case) {
    case undefined:
      return null
    case 'draftDocument':
      return await draftFromDocument(parts, Buffer.from(programme.value))
    case 'programmeVersion': {
      const { value } = programme
      new FieldChecks().expect('programme_version', value >= 1, '1 or more', String(value)).done()
      const found = await publishedProgramme(parts.adminLedger, value)
      if (found === null) throw refusal('PROGRAMME_NOT_FOUND', 'no such version')
      return found
    }
  }
}

interface PricedBasket extends Pick<Priced, 'priced' | 'programmeVersion' | 'member'> {
  readonly body: Uint8Array
  readonly due: Priced['due'] | null
  readonly closed: readonly Closed[] | null
}

/** The answer for a priced basket, and its explanation. */
export function messageFromSimulated({ priced, body, programmeVersion, member, due, closed }: PricedBasket) {
  const answer = JSON.parse(Buffer.from(priced.answer).toString()) as JsonObject
  return {
    status: priced.status,
    reason: priced.reason,
    ...('basket' in answer ? { basket: basketFromBody(answer['basket'] as JsonObject) } : {}),
    explanation: messagesFromReports(priced.explanation, body),
    wants: priced.wants.map(({ limitId, subject, period, units }) => ({ limitId, subject, period, units })),
    optimal: priced.optimal,
    gap: priced.gap,
    programmeVersion,
    earning: earningRecords(priced.earning, { given: {}, wouldEarn: due }),
    spending: spendingRecords(priced.spending, []),
    buyer: member,
    closed: messageFromClosed(closed),
  }
}

/** A draft that can price; ends the call with every fault of a faulty one, by its path in the document. */
async function draftFromDocument(
  { programmeReader, lowPriority }: { readonly programmeReader: ProgrammeReader; readonly lowPriority: LowPriority },
  document: Uint8Array,
): Promise<LowPriorityProgramme> {
  const reading = await programmeReader.read(document)
  if (reading.kind === 'faulty') throw refusalFrom(reading, {}, { faulty: 'draft_document' })
  return lowPriority.draft(reading.programme.benefits, reading.outline.benefitsOff)
}

/** A venue that need not exist, by the rules of the programme; null: not given. */
function venueSupposed(venue: Venue | undefined): StoredVenue | null {
  return venue === undefined ? null : venueFromMessage(venue)
}

/**
 * A member that need not exist: undefined where none is given, null where it is blocked. Its loyalty ids do not matter; it has no visits.
 */
function memberSupposed(member: Member | undefined): MemberFacts | null | undefined {
  if (member === undefined) return undefined
  const part = { ...partFromMember(member), loyaltyIds: ['supposed'] }
  const { loyaltyIds, blocked, ...facts } = readPart('member', part, (place) =>
    readDefined<ProgrammeMember>(place, 'member'),
  )
  return blocked ? null : { ...facts, visits: 0, lastVisitAt: null }
}

/** Amounts by currencyId, 0 to 2^53 - 1; null: not given. */
function balancesSupposed(balances: Readonly<Record<string, bigint>>): Readonly<Record<string, number>> | null {
  const entries = Object.entries(balances)
  const checks = new FieldChecks()
  for (const [currencyId, amount] of entries) {
    const isAmount = amount >= 0n && amount <= Number.MAX_SAFE_INTEGER
    checks.id('balances', currencyId).expect(`balances[${currencyId}]`, isAmount, '0 to 2^53 - 1', String(amount))
  }
  checks.done()
  return entries.length === 0 ? null : Object.fromEntries(entries.map(([id, amount]) => [id, Number(amount)]))
}
