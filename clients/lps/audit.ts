import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { type AuditRecord, AuditRecordSchema, AuditService } from '../../gateway/gen/loyalty/v1/audit_service_pb.js'
import { type Command, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { countFrom } from './list.js'
import { momentHelp, rangeFrom } from './since.js'
import { tableLines } from './table.js'

const pageSize = 500

export const audit: Command = {
  name: 'audit',
  summary: 'who changed what, and when',
  help: `lps audit [KIND ID]

Lists the records of changes, newest first: all of them, or those of one subject; of a member with what changed. KIND is programme, venue, member, codes, sale,
webhook or calculation; ID is its version, id or currency.

  lps audit member 4711
  lps audit calculation 5f0c6f2e-6a43-4b53-9d44-0d3c4a1f7a11 --json

  --by NAME           only by this token or person, as its name begins
  --call CALL         only this call, such as MemberService/BlockMember
  --since WHEN        ${momentHelp}
  --until WHEN        the same. Default: now
  --max N             at most so many. Default: 100
  --json              one record a line, as JSON, with what was there before and after
${internalHelp}

Exit code 0: there are some; 1: there is none.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const [subjectKind = '', subjectId = '', ...others] = positionals
    if (others.length > 0 || (subjectKind === '') !== (subjectId === ''))
      throw new WrongUse('expected nothing, or a kind and an id')
    const max = countFrom('--max', values.max)
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(AuditService, transport)
    const { by: actor = '', call = '', since, until } = values
    const range = since === undefined ? {} : rangeFrom({ since, until }, Date.now())
    if (since === undefined && until !== undefined) throw new WrongUse('--until: expected --since beside it')
    return await orExplained(url, screen, async () => {
      const found: AuditRecord[] = []
      let pageToken = ''
      do {
        const page = await client.listAuditRecords({
          ...{ subjectKind, subjectId, actor, call, pageSize, pageToken },
          ...range,
        })
        found.push(...page.records)
        pageToken = page.nextPageToken
      } while (pageToken !== '' && found.length < max)
      const shown = found.slice(0, max)
      if (values.json) for (const each of shown) screen.print(JSON.stringify(toJson(AuditRecordSchema, each)))
      else for (const line of tableLines(headings, shown.map(rowOf))) screen.print(line)
      if (pageToken !== '' || found.length > max) screen.tell(`the newest ${shown.length}; --max shows more`)
      return shown.length === 0 ? 1 : 0
    })
  },
}

const options = {
  ...internalOptions,
  by: { type: 'string' },
  call: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  max: { type: 'string', default: '100' },
  json: { type: 'boolean' },
} as const

const headings = ['at', 'who', 'call', 'kind', 'subject', 'changes']

function rowOf({ at, actor, call, subjectKind, subjectId, changes, cards }: AuditRecord): readonly string[] {
  const texts = [
    ...changes.map(
      ({ path, beforeJson, afterJson }) => `${path}: ${beforeJson || 'nothing'} -> ${afterJson || 'nothing'}`,
    ),
    ...cards.map(({ loyaltyId, fromMemberId, toMemberId }) => `${loyaltyId} from ${fromMemberId} to ${toMemberId}`),
  ]
  return [timestampDate(at!).toISOString(), actor, call, subjectKind, subjectId, texts.join('; ')]
}
