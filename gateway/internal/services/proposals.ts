import type { HandlerContext } from '@connectrpc/connect'
import { isTimeZone } from '../../../engine/programme/read-values.js'
import type { ProposalFacts, Schedule } from '../../../store/ledger/programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import {
  type ApproveProposalRequest,
  type DeclineProposalRequest,
  type ListProposalsRequest,
  ProposalStateSchema,
  type ProposeProgrammeRequest,
  type SchedulePublicationRequest,
} from '../../gen/loyalty/v1/programme_proposal_pb.js'
import type { ProgrammeService } from '../../gen/loyalty/v1/programme_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, microsecondsFrom } from '../messages/fields.js'
import { type Calls, wordFromEnum } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { checkAcknowledgements, withoutDocument } from '../messages/programme-fields.js'
import { refusalFrom } from '../messages/refusals.js'

/** Characters of a note, and of the reason for declining. */
const noteCharactersMax = 500
const reasonCharactersMax = 128

interface Parts {
  readonly adminLedger: Pick<AdminLedger, 'clock' | 'proposals'>
  readonly commands: Commands
}

type ProposalCall =
  | 'proposeProgramme'
  | 'listProposals'
  | 'getProposal'
  | 'approveProposal'
  | 'declineProposal'
  | 'schedulePublication'

/** Programmes that wait for another person: proposed, reviewed, approved or declined. */
export function proposalCalls(parts: Parts): Pick<Calls<typeof ProgrammeService>, ProposalCall> {
  return {
    proposeProgramme: (request, context) => propose(parts, request, context),
    listProposals: (request) => list(parts, request),
    async getProposal({ proposalId, withoutDocument }) {
      const { facts, document } = await findProposal(parts, proposalId, !withoutDocument)
      return { proposal: facts, document }
    },
    approveProposal: (request, context) => approve(parts, request, context),
    declineProposal: (request, context) => decline(parts, request, context),
    schedulePublication: (request, context) => schedule(parts, request, context),
  }
}

async function propose({ commands }: Parts, request: ProposeProgrammeRequest, context: HandlerContext) {
  const { requestId, expectedVersion, document, note, acknowledgements } = request
  const checks = new FieldChecks()
    .uuid('request_id', requestId)
    .expect('expected_version', expectedVersion >= 0, '0 or more', String(expectedVersion))
  checkAcknowledgements(checkNote(checks, note), acknowledgements).done()
  const publication = { document, expectedVersion, note, acknowledgements, signal: context.signal }
  const { proposed, warnings } = await sendCommand(commands.proposeProgramme, [publication], {
    request: withoutDocument(request),
    context,
  })
  return { proposalId: proposed ? requestId : '', warnings }
}

function checkNote(checks: FieldChecks, note: string): FieldChecks {
  const expected = `at most ${noteCharactersMax} characters, no control characters`
  return checks.expect('note', isText(note, 0, noteCharactersMax), expected, note)
}

async function list({ adminLedger }: Parts, request: ListProposalsRequest) {
  new FieldChecks().enumOrNone('state', ProposalStateSchema, request.state).done()
  const state = (wordFromEnum(ProposalStateSchema, request.state) ?? null) as ProposalFacts['state'] | null
  const { rows, nextPageToken } = await pageOf(request, {
    name: 'ListProposals',
    filters: [state ?? ''],
    form: ['number', 'uuid'],
    read: (page) => adminLedger.proposals.list(state, page),
    cursorOf: ({ proposedAtUs, proposalId }) => [proposedAtUs, proposalId],
  })
  return { proposals: rows, nextPageToken }
}

async function approve({ commands }: Parts, request: ApproveProposalRequest, context: HandlerContext) {
  const { requestId, proposalId, acknowledgements } = request
  const checks = new FieldChecks().uuid('request_id', requestId).uuid('proposal_id', proposalId)
  checkAcknowledgements(checks, acknowledgements).done()
  const publication = { proposalId, acknowledgements, signal: context.signal }
  const { version, warnings } = await sendCommand(commands.approveProposal, [publication], {
    request,
    context,
    fields: { faulty: 'proposal' },
  })
  return { version, warnings }
}

async function schedule(parts: Parts, request: SchedulePublicationRequest, context: HandlerContext) {
  const { requestId, programme, expectedVersion, note, acknowledgements } = request
  const terms = scheduleFrom(parts, request)
  const asked = { acknowledgements, signal: context.signal }
  const isDocument = programme.case === 'document'
  const publication = isDocument
    ? { ...asked, document: programme.value, expectedVersion, note }
    : { ...asked, proposalId: programme.value! }
  const reply = await sendCommand(parts.commands.schedulePublication, [publication, terms], {
    request: isDocument ? { ...request, programme: { case: 'document', value: '' } } : request,
    context,
    fields: { faulty: isDocument ? 'document' : 'proposal' },
  })
  const { warnings } = reply
  if ('proposed' in reply && !reply.proposed) return { warnings }
  const { facts } = await findProposal(parts, isDocument ? requestId : programme.value!, false)
  return { proposal: facts, warnings }
}

const aheadMsMax = 2 * 366 * 86_400_000

function scheduleFrom({ adminLedger }: Parts, request: SchedulePublicationRequest): Schedule {
  const { requestId, programme, expectedVersion, note, publishAt, timeZone, acknowledgements } = request
  // Rounded up: never before the moment.
  const atMs = Math.ceil((microsecondsFrom(publishAt) ?? Number.NaN) / 1_000)
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

async function decline(parts: Parts, request: DeclineProposalRequest, context: HandlerContext) {
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
  await sendCommand(parts.commands.declineProposal, [proposalId], { request, context })
  return { proposal: (await findProposal(parts, proposalId, false)).facts }
}

async function findProposal({ adminLedger }: Parts, proposalId: string, withDocument: boolean) {
  new FieldChecks().uuid('proposal_id', proposalId).done()
  const found = await adminLedger.proposals.find(proposalId, withDocument)
  if (found === null) throw refusalFrom({ kind: 'unknown_proposal' })
  return found
}

export function isText(text: string, least: number, most: number): boolean {
  const { length } = Array.from(text)
  return length >= least && length <= most && !/[\p{Cc}\p{Cs}]/u.test(text)
}
