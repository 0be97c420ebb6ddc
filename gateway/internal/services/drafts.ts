import type { MessageInitShape } from '@bufbuild/protobuf'
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect'
import type { DraftFacts, DraftReply } from '../../../store/ledger/programmes.js'
import type { AdminLedger } from '../../../store/ledger.js'
import type { ProgrammeReader } from '../../background/programme-reader.js'
import type {
  ProgrammeDraftSchema,
  StoreDraftRequest,
  StoreDraftResponseSchema,
} from '../../gen/loyalty/v1/programme_draft_pb.js'
import type { ProgrammeService } from '../../gen/loyalty/v1/programme_service_pb.js'
import { refusal } from '../errors.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks, timestamp } from '../messages/fields.js'
import { isText } from './proposals.js'

const nameCharactersMax = 80
const documentBytesMax = 8 * 1024 * 1024
const draftsMax = 100

interface Parts {
  readonly adminLedger: Pick<AdminLedger, 'drafts' | 'members'>
  readonly programmeReader: ProgrammeReader
}

type DraftCall = 'storeDraft' | 'listDrafts' | 'getDraft' | 'deleteDraft'

/** Programmes that people write together, before they publish or propose them. */
export function draftCalls({
  adminLedger: { drafts, members },
  programmeReader,
}: Parts): Pick<ServiceImpl<typeof ProgrammeService>, DraftCall> {
  async function find(draftId: string, withDocument: boolean) {
    new FieldChecks().uuid('draft_id', draftId).done()
    const found = await drafts.find(draftId, withDocument)
    if (found === null) throw refusal('DRAFT_NOT_FOUND', 'no such draft')
    return { draft: messageFromFacts(found.facts), document: found.document }
  }

  async function store(
    request: StoreDraftRequest,
    context: HandlerContext,
  ): Promise<MessageInitShape<typeof StoreDraftResponseSchema>> {
    const { draftId, name, baseVersion, expectedRevision: expected } = request
    checkDraft(request)
    const document = await withoutForgotten(request.document)
    const reply = await sendCommand(request, context, (command) =>
      drafts.store(command, { draftId, name, document, baseVersion }, { expected, max: draftsMax }),
    )
    if (reply.kind !== 'done') throw notStored(reply)
    return { draft: (await find(draftId, false)).draft }
  }

  /** A browser may have a text of before its member was forgotten. */
  async function withoutForgotten(document: string): Promise<string> {
    const hidden = await members.findForgotten(await programmeReader.listIds(document))
    if (hidden.memberIds.length + hidden.loyaltyIds.length === 0) return document
    return (await programmeReader.hide({ document, benefits: '[]' }, hidden)).document
  }

  return {
    storeDraft: store,
    listDrafts: async () => ({ drafts: (await drafts.list()).map(messageFromFacts) }),
    getDraft: ({ draftId, withoutDocument }) => find(draftId, !withoutDocument),
    async deleteDraft(request, context) {
      const { requestId, draftId, expectedRevision } = request
      new FieldChecks()
        .uuid('request_id', requestId)
        .uuid('draft_id', draftId)
        .expect('expected_revision', expectedRevision >= 1, '1 or more', String(expectedRevision))
        .done()
      const reply = await sendCommand(request, context, (command) => drafts.remove(command, draftId, expectedRevision))
      if (reply.kind !== 'done') throw notStored(reply)
      return {}
    },
  }
}

function checkDraft({ requestId, draftId, name, document, baseVersion, expectedRevision }: StoreDraftRequest): void {
  const bytes = Buffer.byteLength(document)
  new FieldChecks()
    .uuid('request_id', requestId)
    .uuid('draft_id', draftId)
    .expect(
      'name',
      isText(name, 0, nameCharactersMax),
      `at most ${nameCharactersMax} characters, no control characters`,
      name,
    )
    .expect('document', bytes <= documentBytesMax, `at most ${documentBytesMax} bytes`, `${bytes} bytes`)
    .expect('document', !document.includes('\0'), 'text without U+0000', document)
    .expect('base_version', baseVersion >= 0, '0 or more', String(baseVersion))
    .expect('expected_revision', expectedRevision >= 0, '0 or more', String(expectedRevision))
    .done()
}

type NotStored = Exclude<DraftReply, { readonly kind: 'request_id_conflict' }>

function notStored(reply: NotStored): ReturnType<typeof refusal> {
  switch (reply.kind) {
    case 'draft_changed':
      return refusal('DRAFT_CHANGED', `${reply.by} has stored revision ${reply.revision} of the draft`, {
        metadata: { revision: String(reply.revision), changed_by: reply.by },
      })
    case 'too_many_drafts':
      return refusal('TOO_MANY_DRAFTS', `there are ${draftsMax} drafts`)
    default:
      return refusal('DRAFT_NOT_FOUND', 'no such draft')
  }
}

function messageFromFacts(facts: DraftFacts): MessageInitShape<typeof ProgrammeDraftSchema> {
  const { begunAt, changedAt, documentBytes, ...rest } = facts
  return {
    ...rest,
    begunAt: timestamp(begunAt),
    changedAt: timestamp(changedAt),
    documentBytes: BigInt(documentBytes),
  }
}
