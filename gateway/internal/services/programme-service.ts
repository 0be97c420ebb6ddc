import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ConnectRouter, HandlerContext } from '@connectrpc/connect'
import type { PricingEngine } from '../../../engine/index.js'
import type { ProgrammeFacts } from '../../../store/ledger/programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Journal } from '../../background/journal.js'
import type { LowPriority } from '../../background/low-priority.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import { ProgrammeChangeKindSchema } from '../../gen/loyalty/v1/programme_diff_pb.js'
import {
  ProgrammeService,
  type ProgrammeVersionSchema,
  type PublishProgrammeRequest,
  type PublishProgrammeResponseSchema,
  type RollBackRequest,
  type RollBackResponseSchema,
} from '../../gen/loyalty/v1/programme_service_pb.js'
import type { FindClosed } from '../../use-cases/closed-benefits.js'
import { publishProgramme } from '../../use-cases/publish-programme.js'
import { storedWarnings } from '../../use-cases/stored-warnings.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { pageOf } from '../messages/page-token.js'
import {
  checkAcknowledgements,
  messageFromWarning,
  notPublished,
  programmeFaulty,
  reviewRequired,
  versionMismatch,
} from '../messages/programme-fields.js'
import { enumFromWord } from '../messages/words.js'
import { diffOfProgrammes } from './diff-programmes.js'
import { draftCalls } from './drafts.js'
import { type FindWorstParts, findWorstMessages } from './find-worst.js'
import { proposalCalls } from './proposals.js'
import { shadowCalculation, shadowRunMessages } from './shadow-run.js'

/** Changes of one benefit, and benefits with their last change. */
const changesMax = 100
const benefitsMax = 50_000

export interface ProgrammeParts {
  readonly adminLedger: Pick<
    AdminLedger,
    'clock' | 'programmes' | 'proposals' | 'drafts' | 'members' | 'calculations' | 'value' | 'venues'
  >
  readonly publishReview: 'optional' | 'required'
  readonly publishWorst: 'off' | 'warn' | 'require'
  readonly facts: Pick<LookupCache, 'findVenue' | 'programmeVersion'>
  readonly engine: Pick<PricingEngine, 'unpack'>
  readonly lowPriority: LowPriority
  readonly programmeReader: ProgrammeReader
  readonly worstSearch: FindWorstParts['worstSearch']
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly findClosed: FindClosed
}

export function programmeRoutes(parts: ProgrammeParts): (router: ConnectRouter) => void {
  const { adminLedger } = parts
  const turns = { running: 0 }
  return (router) => {
    router.service(ProgrammeService, {
      async validateProgramme({ document }) {
        const reading = await parts.programmeReader.read(Buffer.from(document))
        if (reading.kind === 'faulty') return { faults: [...reading.faults], moreFaults: reading.more }
        const faults = await adminLedger.programmes.findFaults(reading.programme)
        if (faults.length > 0) return { faults: [...faults] }
        const warnings = [...reading.warnings, ...(await storedWarnings(parts, reading))]
        return { warnings: warnings.map(messageFromWarning) }
      },

      publishProgramme: (request, context) => publish(parts, request, context),

      async getProgramme({ version, withoutDocument }) {
        new FieldChecks().expect('version', version >= 0, '0 or more', String(version)).done()
        const found = await adminLedger.programmes.find(version === 0 ? null : version, !withoutDocument)
        if (found === null) throw noProgramme()
        return { programme: messageFromFacts(found.facts), document: found.document }
      },

      async listProgrammes(request) {
        const { rows, nextPageToken } = await pageOf(request, {
          name: 'ListProgrammes',
          form: ['int32'],
          read: adminLedger.programmes.list,
          cursorOf: ({ version }) => [version],
        })
        return { programmes: rows.map(messageFromFacts), nextPageToken }
      },

      async listBenefitChanges({ benefitId }) {
        new FieldChecks().idOrEmpty('benefit_id', benefitId).done()
        const found = await (benefitId === ''
          ? adminLedger.programmes.listBenefitChanges(null, benefitsMax)
          : adminLedger.programmes.listBenefitChanges(benefitId, changesMax))
        const changes = found.map((change) => ({
          benefitId: change.benefitId,
          kind: enumFromWord(ProgrammeChangeKindSchema, change.kind),
          programme: messageFromFacts(change.facts),
        }))
        return { changes }
      },

      diffProgrammes: (request) => diffOfProgrammes(parts, request),

      rollBack: (request, context) => rollBack(parts, request, context),

      ...proposalCalls(parts),

      ...draftCalls(parts),

      shadowRun: (request, context) => shadowRunMessages({ ...parts, turns }, request, context),

      shadowCalculation: (request, context) => shadowCalculation(parts, request, context),

      findWorstBaskets: (request, context) => findWorstMessages(parts, request, context),
    })
  }
}

async function publish(
  parts: ProgrammeParts,
  request: PublishProgrammeRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof PublishProgrammeResponseSchema>> {
  const { requestId, expectedVersion, document, acknowledgements } = request
  if (parts.publishReview === 'required') throw reviewRequired()
  const checks = new FieldChecks()
    .uuid('request_id', requestId)
    .expect('expected_version', expectedVersion >= 0, '0 or more', String(expectedVersion))
  checkAcknowledgements(checks, acknowledgements).done()
  const publication = { document, acknowledgements, signal: context.signal }
  const { reply, warnings } = await publishProgramme(parts, publication, (programme) => {
    // The digest replaces the document, which may have tens of megabytes.
    const named = { ...request, document: Buffer.from(programme.digest).toString('hex') }
    return sendCommand(named, context, (command) =>
      parts.adminLedger.programmes.publish(command, programme, expectedVersion),
    )
  })
  if (reply.kind === 'version_mismatch') throw versionMismatch(reply.current)
  if (reply.kind !== 'done') throw notPublished(reply)
  const { version, published } = reply
  return { version, published, warnings: warnings.map(messageFromWarning) }
}

async function rollBack(
  { adminLedger }: ProgrammeParts,
  request: RollBackRequest,
  context: HandlerContext,
): Promise<MessageInitShape<typeof RollBackResponseSchema>> {
  const { requestId, version, expectedVersion } = request
  new FieldChecks()
    .uuid('request_id', requestId)
    .expect('version', version >= 1, '1 or more', String(version))
    .done()
  const reply = await sendCommand(request, context, (command) =>
    adminLedger.programmes.rollBack(command, version, expectedVersion),
  )
  switch (reply.kind) {
    case 'done':
      return { version: reply.version, published: reply.published }
    case 'faulty':
      throw programmeFaulty(reply)
    case 'unknown_version':
      throw noProgramme()
    case 'version_mismatch':
      throw versionMismatch(reply.current)
  }
}

function noProgramme(): ReturnType<typeof refusal> {
  return refusal('PROGRAMME_NOT_FOUND', 'no such programme version')
}

function messageFromFacts(facts: ProgrammeFacts): MessageInitShape<typeof ProgrammeVersionSchema> {
  const { version, publishedAt, publishedBy, rolledBackTo, proposedBy, documentBytes } = facts
  return {
    version,
    publishedAt: timestamp(publishedAt),
    publishedBy,
    rolledBackTo: rolledBackTo ?? 0,
    proposedBy: proposedBy ?? '',
    documentBytes: BigInt(documentBytes),
  }
}
