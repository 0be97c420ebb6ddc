import type { HandlerContext } from '@connectrpc/connect'
import type { AdminLedger } from '../../../store/ledger.js'
import type { StoreDraftRequest } from '../../gen/loyalty/v1/programme_draft_pb.js'
import type { ProgrammeService } from '../../gen/loyalty/v1/programme_service_pb.js'
import type { Commands } from '../../use-cases/commands.js'
import { sendCommand } from '../messages/commands.js'
import { FieldChecks } from '../messages/fields.js'
import type { Calls } from '../messages/message.js'
import { refusalFrom } from '../messages/refusals.js'
import { isText } from './proposals.js'

const nameCharactersMax = 80
const documentBytesMax = 8 * 1024 * 1024

interface Parts {
  readonly adminLedger: Pick<AdminLedger, 'drafts'>
  readonly commands: Commands
}

type DraftCall = 'storeDraft' | 'listDrafts' | 'getDraft' | 'deleteDraft'

/** Programmes that people write together, before they publish or propose them. */
export function draftCalls({
  adminLedger: { drafts },
  commands,
}: Parts): Pick<Calls<typeof ProgrammeService>, DraftCall> {
  async function find(draftId: string, withDocument: boolean) {
    new FieldChecks().uuid('draft_id', draftId).done()
    const found = await drafts.find(draftId, withDocument)
    if (found === null) throw refusalFrom({ kind: 'unknown_draft' })
    return { draft: found.facts, document: found.document }
  }

  async function store(request: StoreDraftRequest, context: HandlerContext) {
    const { draftId, name, baseVersion, expectedRevision: expected } = request
    checkDraft(request)
    const draft = { draftId, name, document: request.document, baseVersion }
    await sendCommand(commands.storeDraft, [draft, expected], { request, context })
    return { draft: (await find(draftId, false)).draft }
  }

  return {
    storeDraft: store,
    listDrafts: async () => ({ drafts: await drafts.list() }),
    getDraft: ({ draftId, withoutDocument }) => find(draftId, !withoutDocument),
    async deleteDraft(request, context) {
      const { requestId, draftId, expectedRevision } = request
      new FieldChecks()
        .uuid('request_id', requestId)
        .uuid('draft_id', draftId)
        .expect('expected_revision', expectedRevision >= 1, '1 or more', String(expectedRevision))
        .done()
      await sendCommand(commands.deleteDraft, [draftId, expectedRevision], { request, context })
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
