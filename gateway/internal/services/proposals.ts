import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { ApprovalReply, ProposalFacts } from '../../../store/ledger/programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type ApproveProposalRequest,
  type ApproveProposalResponseSchema,
  type DeclineProposalRequest,
  type DeclineProposalResponseSchema,
  type ListProposalsRequest,
  type ListProposalsResponseSchema,
  type ProgrammeProposalSchema,
  type ProgrammeService,
  ProposalStateSchema,
  type ProposeProgrammeRequest,
  type ProposeProgrammeResponseSchema,
} from '../../gen/loyalty/v1/programme_service_pb.js'
import { type PublishParts, publishProgramme, type Unpublished } from '../../use-cases/publish-programme.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { pageOf } from '../messages/page-token.js'
import {
  checkAcknowledgements,
  messageFromWarning,
  notPublished,
  versionMismatch,
} from '../messages/programme-fields.js'
import { enumFromWord, wordFromEnum } from '../messages/words.js'

/** Characters of a note, and of the reason for declining. */
const noteCharactersMax = 500
const reasonCharactersMax = 128

interface Parts extends PublishParts {
  readonly adminLedger: PublishParts['adminLedger'] & Pick<AdminLedger, 'proposals'>
}

type ProposalCall = 'proposeProgramme' | 'listProposals' | 'getProposal' | 'approveProposal' | 'declineProposal'

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
    .expect(
      'note',
      isText(note, 0, noteCharactersMax),
      `at most ${noteCharactersMax} characters, no control characters`,
      note,
    )
  checkAcknowledgements(checks, acknowledgements).done()
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
      return notPublished(reply, 'proposal')
  }
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

function isText(text: string, least: number, most: number): boolean {
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
  const { proposedAtUs: _, state, proposedAt, decidedBy, decidedAt, version, documentBytes, ...rest } = facts
  return {
    ...rest,
    state: enumFromWord(ProposalStateSchema, state),
    proposedAt: timestamp(proposedAt),
    decidedBy: decidedBy ?? '',
    ...(decidedAt === null ? {} : { decidedAt: timestamp(decidedAt) }),
    version: version ?? 0,
    documentBytes: BigInt(documentBytes),
  }
}
