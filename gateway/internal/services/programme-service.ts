import type { HandlerContext } from '@connectrpc/connect'
import type { PricingEngine } from '../../../engine/index.js'
import type { ProgrammeChange } from '../../../engine/programme/diff-programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { Journal } from '../../background/journal.js'
import type { LowPriority } from '../../background/low-priority.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type { LookupCache } from '../../cache/lookup-cache.js'
import type { DiffProgrammesRequest } from '../../gen/loyalty/v1/programme_diff_pb.js'
import {
  ProgrammeService,
  type PublishProgrammeRequest,
  type RollBackRequest,
} from '../../gen/loyalty/v1/programme_service_pb.js'
import type { FindClosed } from '../../use-cases/closed-benefits.js'
import type { Commands } from '../../use-cases/commands.js'
import { storedWarnings } from '../../use-cases/stored-warnings.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import { routeOf } from '../messages/message.js'
import { pageOf } from '../messages/page-token.js'
import { checkAcknowledgements, withoutDocument } from '../messages/programme-fields.js'
import { refusalFrom } from '../messages/refusals.js'
import { draftCalls } from './drafts.js'
import { type FindWorstParts, findWorstMessages } from './find-worst.js'
import { proposalCalls } from './proposals.js'
import { shadowCalculation, shadowRunMessages } from './shadow-run.js'

/** Changes of one benefit, and benefits with their last change. */
const changesMax = 100
const benefitsMax = 50_000

export interface ProgrammeServiceParts {
  readonly adminLedger: Pick<
    AdminLedger,
    'clock' | 'programmes' | 'proposals' | 'drafts' | 'members' | 'calculations' | 'value' | 'venues'
  >
  readonly commands: Commands
  readonly facts: Pick<LookupCache, 'findVenue' | 'programmeVersion'>
  readonly engine: Pick<PricingEngine, 'unpack'>
  readonly lowPriority: LowPriority
  readonly programmeReader: ProgrammeReader
  readonly worstSearch: FindWorstParts['worstSearch']
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly findClosed: FindClosed
}

export function programmeRoutes(parts: ProgrammeServiceParts) {
  const { adminLedger } = parts
  const turns = { running: 0 }
  return routeOf(ProgrammeService, {
    async validateProgramme({ document }) {
      const reading = await parts.programmeReader.read(Buffer.from(document))
      if (reading.kind === 'faulty') return { faults: reading.faults, moreFaults: reading.more }
      const faults = await adminLedger.programmes.findFaults(reading.programme)
      if (faults.length > 0) return { faults }
      const warnings = [...reading.warnings, ...(await storedWarnings(parts, reading))]
      return { warnings }
    },

    publishProgramme: (request, context) => publish(parts, request, context),

    async getProgramme({ version, withoutDocument }) {
      new FieldChecks().expect('version', version >= 0, '0 or more', String(version)).done()
      const found = await adminLedger.programmes.find(version === 0 ? null : version, !withoutDocument)
      if (found === null) throw refusalFrom({ kind: 'unknown_version' })
      return { programme: found.facts, document: found.document }
    },

    async listProgrammes(request) {
      const { rows, nextPageToken } = await pageOf(request, {
        name: 'ListProgrammes',
        form: ['int32'],
        read: adminLedger.programmes.list,
        cursorOf: ({ version }) => [version],
      })
      return { programmes: rows, nextPageToken }
    },

    async listBenefitChanges({ benefitId }) {
      new FieldChecks().idOrEmpty('benefit_id', benefitId).done()
      const found = await (benefitId === ''
        ? adminLedger.programmes.listBenefitChanges(null, benefitsMax)
        : adminLedger.programmes.listBenefitChanges(benefitId, changesMax))
      return { changes: found.map((change) => ({ ...change, programme: change.facts })) }
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

async function publish({ commands }: ProgrammeServiceParts, request: PublishProgrammeRequest, context: HandlerContext) {
  const { requestId, expectedVersion, document, acknowledgements } = request
  const checks = new FieldChecks()
    .uuid('request_id', requestId)
    .expect('expected_version', expectedVersion >= 0, '0 or more', String(expectedVersion))
  checkAcknowledgements(checks, acknowledgements).done()
  const publication = { document, expectedVersion, acknowledgements, signal: context.signal }
  const { version, published, warnings } = await sendCommand(commands.publishProgramme, [publication], {
    request: withoutDocument(request),
    context,
  })
  return { version, published, warnings }
}

async function rollBack({ commands }: ProgrammeServiceParts, request: RollBackRequest, context: HandlerContext) {
  const { requestId, version, expectedVersion } = request
  new FieldChecks()
    .uuid('request_id', requestId)
    .expect('version', version >= 1, '1 or more', String(version))
    .done()
  const reply = await sendCommand(commands.rollBack, [version, expectedVersion], { request, context })
  return { version: reply.version, published: reply.published }
}

async function diffOfProgrammes(parts: ProgrammeServiceParts, { baseVersion, changed }: DiffProgrammesRequest) {
  const checks = new FieldChecks()
    .expect('base_version', baseVersion >= 0, '0 or more', String(baseVersion))
    .expect('changed', changed.case !== undefined, 'a version or a draft_document', '')
  if (changed.case === 'version') checks.expect('version', changed.value >= 1, '1 or more', String(changed.value))
  checks.done()
  const base = await parts.adminLedger.programmes.find(baseVersion === 0 ? null : baseVersion, true)
  // A draft may be compared with no programme: then all of it is new.
  if (base === null && (baseVersion !== 0 || changed.case === 'version')) throw refusalFrom({ kind: 'unknown_version' })
  const document =
    changed.case === 'version'
      ? await documentOfVersion(parts, changed.value)
      : await checkedDraft(parts, Buffer.from(changed.value ?? ''))
  const changes = await parts.programmeReader.diff(base?.document ?? null, document)
  return { baseVersion: base?.facts.version ?? 0, changes: changes.map(messageFromChange) }
}

async function documentOfVersion({ adminLedger }: ProgrammeServiceParts, version: number): Promise<string> {
  const found = await adminLedger.programmes.find(version, true)
  if (found === null) throw refusalFrom({ kind: 'unknown_version' })
  return found.document
}

async function checkedDraft({ programmeReader }: ProgrammeServiceParts, document: Uint8Array): Promise<string> {
  const reading = await programmeReader.read(document)
  if (reading.kind === 'faulty') throw refusalFrom(reading, {}, { faulty: 'draft_document' })
  return reading.programme.document
}

function messageFromChange({ part, id, name, kind, fields }: ProgrammeChange) {
  return {
    ...{ part, id, name, kind },
    fields: fields.map(({ path, left, right }) => ({ path, beforeJson: left ?? '', afterJson: right ?? '' })),
  }
}
