import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import { isTimeZone } from '../../../engine/programme/read-values.js'
import type {
  ApprovalReply,
  ProposalFacts,
  ProposalReply,
  Schedule,
  ScheduleReply,
} from '../../../store/ledger/programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type ApproveProposalRequest,
  type ApproveProposalResponseSchema,
  type DeclineProposalRequest,
  type DeclineProposalResponseSchema,
  type ListProposalsRequest,
  type ListProposalsResponseSchema,
  type ProgrammeProposalSchema,
  ProposalStateSchema,
  type ProposeProgrammeRequest,
  type ProposeProgrammeResponseSchema,
  type SchedulePublicationRequest,
  type SchedulePublicationResponseSchema,
} from '../../gen/loyalty/v1/programme_proposal_pb.js'
import type { ProgrammeService } from '../../gen/loyalty/v1/programme_service_pb.js'
import { type PublishParts, publishProgramme, type Unpublished } from '../../use-cases/publish-programme.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { pageOf } from '../messages/page-token.js'
import {
  checkAcknowledgements,
  messageFromWarning,
  notPublished,
  reviewRequired,
  versionMismatch,
} from '../messages/programme-fields.js'
import { enumFromWord, wordFromEnum } from '../messages/words.js'

/** Characters of a note, and of the reason for declining. */
const noteCharactersMax = 500
const reasonCharactersMax = 128

interface Parts extends PublishParts {
  readonly adminLedger: PublishParts['adminLedger'] & Pick<AdminLedger, 'proposals'>
  readonly publishReview: 'optional' | 'required'
}

type ProposalCall =
  | 'proposeProgramme'
  | 'listProposals'
  | 'getProposal'
  | 'approveProposal'
  | 'declineProposal'
  | 'schedulePublication'

/** Programmes that wait for another person: proposed, reviewed, approved or declined. */
export function proposalCalls(parts: Parts): Pick<ServiceImpl<typeof ProgrammeService>, ProposalCall> {
  return {
    proposeProgramme: (request, context) => propose(parts, request, context),
    listProposals: (request) => list(parts, request),
    async getProposal({ proposalId, withoutDocument }) {
      const { facts, document } = await findProposal(parts, proposalId, !withoutDocument)
      return { proposal: messageFromFacts(facts), document }
    },
    approveProposal: (request, context) => approve(parts, request, context),
    declineProposal: (request, context) => decline(parts, request, context),
    schedulePublication: (request, context) => schedule(parts, request, context),
  }
}

async function propose(
  parts: Parts,
  request: ProposeProgrammeRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ProposeProgrammeResponseSchema>> {
  const { requestId, expectedVersion, document, note, acknowledgements } = request
  const checks = new FieldChecks()
    .uuid('request_id', requestId)
    .expect('expected_version', expectedVersion >= 0, '0 or more', String(expectedVersion))
  checkAcknowledgements(checkNote(checks, note), acknowledgements).done()
  const publication = { document, acknowledgements, signal: context.signal }
  const { reply, warnings } = await publishProgramme(parts, publication, (programme) => {
    // The digest replaces the document, which may have tens of megabytes.
    const named = { ...request, document: Buffer.from(programme.digest).toString('hex') }
    return sendCommand(named, context, (command) =>
      parts.adminLedger.proposals.propose(command, programme, { expectedVersion, note }),
    )
  })
  switch (reply.kind) {
    case 'done':
      return { proposalId: reply.proposed ? requestId : '', warnings: warnings.map(messageFromWarning) }
    case 'version_mismatch':
      throw versionMismatch(reply.current)
    default:
      throw notPublished(reply)
  }
}

function checkNote(checks: FieldChecks, note: string): FieldChecks {
  const expected = `at most ${noteCharactersMax} characters, no control characters`
  return checks.expect('note', isText(note, 0, noteCharactersMax), expected, note)
}

async function list(
  { adminLedger }: Parts,
  request: ListProposalsRequest,
): Promise<MessageInitShape<typeof ListProposalsResponseSchema>> {
  new FieldChecks().enumOrNone('state', ProposalStateSchema, request.state).done()
  const state = (wordFromEnum(ProposalStateSchema, request.state) ?? null) as ProposalFacts['state'] | null
  const { rows, nextPageToken } = await pageOf(request, {
    name: 'ListProposals',
    filters: [state ?? ''],
    form: ['number', 'uuid'],
    read: (page) => adminLedger.proposals.list(state, page),
    cursorOf: ({ proposedAtUs, proposalId }) => [proposedAtUs, proposalId],
  })
  return { proposals: rows.map(messageFromFacts), nextPageToken }
}

/** Reads the stored document anew: its prepared form is not stored. */
async function approve(
  parts: Parts,
  request: ApproveProposalRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof ApproveProposalResponseSchema>> {
  const { requestId, proposalId, acknowledgements } = request
  checkAcknowledgements(new FieldChecks().uuid('request_id', requestId), acknowledgements).done()
  const { document } = await findProposal(parts, proposalId, true)
  const publication = { document, acknowledgements, signal: context.signal }
  const { reply, warnings } = await publishProgramme(parts, publication, (programme) =>
    sendCommand(request, context, (command) => parts.adminLedger.proposals.approve(command, proposalId, programme)),
  )
  if (reply.kind !== 'done') throw notApproved(reply)
  return { version: reply.version, warnings: warnings.map(messageFromWarning) }
}

function notApproved(
  reply: Exclude<ApprovalReply, { readonly kind: 'done' | 'request_id_conflict' }> | Unpublished,
  field = 'proposal',
): ReturnType<typeof refusal> {
  switch (reply.kind) {
    case 'own_proposal':
      return refusal('OWN_PROPOSAL', 'another person than its author must approve a proposal')
    case 'version_mismatch':
      return versionMismatch(reply.current)
    case 'unknown_proposal':
      return noProposal()
    case 'not_open':
      return notOpen(reply.state)
    default:
      return notPublished(reply, field)
  }
}

async function schedule(
  parts: Parts,
  request: SchedulePublicationRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof SchedulePublicationResponseSchema>> {
  const { requestId, programme, expectedVersion, note, acknowledgements } = request
  const terms = scheduleFrom(parts, request)
  const { proposals } = parts.adminLedger
  if (programme.case === 'document' && parts.publishReview === 'required') throw reviewRequired()
  const isDocument = programme.case === 'document'
  const document = isDocument ? programme.value : (await findProposal(parts, programme.value!, true)).document
  const publication = { document, acknowledgements, signal: context.signal }
  const { reply, warnings } = await publishProgramme<Scheduled>(parts, publication, (prepared) => {
    if (!isDocument)
      return sendCommand(request, context, (command) => proposals.schedule(command, programme.value!, terms))
    // The digest replaces the document, which may have tens of megabytes.
    const digest = Buffer.from(prepared.digest).toString('hex')
    const named = { ...request, programme: { case: 'document' as const, value: digest } }
    return sendCommand(named, context, (command) =>
      proposals.propose(command, prepared, { expectedVersion, note, schedule: terms }),
    )
  })
  if (reply.kind !== 'done') throw notApproved(reply, isDocument ? 'document' : 'proposal')
  if ('proposed' in reply && !reply.proposed) return { warnings: warnings.map(messageFromWarning) }
  const { facts } = await findProposal(parts, isDocument ? requestId : programme.value!, false)
  return { proposal: messageFromFacts(facts), warnings: warnings.map(messageFromWarning) }
}

type Scheduled = Exclude<ProposalReply | ScheduleReply, { readonly kind: 'request_id_conflict' }>

const aheadMsMax = 2 * 366 * 86_400_000

function scheduleFrom({ adminLedger }: Parts, request: SchedulePublicationRequest): Schedule {
  const { requestId, programme, expectedVersion, note, publishAt, timeZone, acknowledgements } = request
  const atMs = publishAt === undefined ? Number.NaN : timestampMs(publishAt)
  const isNear = atMs >= 0 && atMs <= adminLedger.clock() + aheadMsMax
  const checks = new FieldChecks()
    .uuid('request_id', requestId)
    .expect('programme', programme.case !== undefined, 'a document or a proposal', '')
    .expect('expected_version', expectedVersion >= 0, '0 or more', String(expectedVersion))
    .expect('publish_at', isNear, 'a moment, at most two years ahead', publishAt === undefined ? '' : String(atMs))
    .expect('time_zone', isTimeZone(timeZone), 'a time zone of the IANA database', timeZone)
  if (programme.case === 'proposalId') checks.uuid('proposal_id', programme.value)
  checkAcknowledgements(checkNote(checks, note), acknowledgements).done()
  return { atMs, timeZone, acknowledgements }
}

async function decline(
  parts: Parts,
  request: DeclineProposalRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof DeclineProposalResponseSchema>> {
  const { requestId, proposalId, reason } = request
  new FieldChecks()
    .uuid('request_id', requestId)
    .uuid('proposal_id', proposalId)
    .expect(
      'reason',
      isText(reason, 1, reasonCharactersMax),
      `1 to ${reasonCharactersMax} characters, no control characters`,
      reason,
    )
    .done()
  const reply = await sendCommand(request, context, (command) =>
    parts.adminLedger.proposals.decline(command, proposalId),
  )
  switch (reply.kind) {
    case 'done':
      return { proposal: messageFromFacts((await findProposal(parts, proposalId, false)).facts) }
    case 'unknown_proposal':
      throw noProposal()
    case 'not_open':
      throw notOpen(reply.state)
  }
}

async function findProposal({ adminLedger }: Parts, proposalId: string, withDocument: boolean) {
  new FieldChecks().uuid('proposal_id', proposalId).done()
  const found = await adminLedger.proposals.find(proposalId, withDocument)
  if (found === null) throw noProposal()
  return found
}

export function isText(text: string, least: number, most: number): boolean {
  const { length } = Array.from(text)
  return length >= least && length <= most && !/[\p{Cc}\p{Cs}]/u.test(text)
}

function noProposal(): ReturnType<typeof refusal> {
  return refusal('PROPOSAL_NOT_FOUND', 'no such proposal')
}

function notOpen(state: string): ReturnType<typeof refusal> {
  return refusal('PROPOSAL_NOT_OPEN', `the proposal is ${state}`, { metadata: { state } })
}

function messageFromFacts(facts: ProposalFacts): MessageInitShape<typeof ProgrammeProposalSchema> {
  const { proposedAtUs: _, state, proposedAt, decidedBy, decidedAt, version, documentBytes, ...others } = facts
  const { publishAt, timeZone, ...rest } = others
  return {
    ...rest,
    state: enumFromWord(ProposalStateSchema, state),
    proposedAt: timestamp(proposedAt),
    decidedBy: decidedBy ?? '',
    ...(decidedAt === null ? {} : { decidedAt: timestamp(decidedAt) }),
    ...(publishAt === null ? {} : { publishAt: timestamp(publishAt), timeZone: timeZone ?? '' }),
    version: version ?? 0,
    documentBytes: BigInt(documentBytes),
  }
}
