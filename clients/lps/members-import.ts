import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { type Client, createClient } from '@connectrpc/connect'
import { MemberService, type UpsertMembersResponse } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { untilReached } from './attempts.js'
import type { Command, Screen } from './command.js'
import { FaultyLine } from './csv.js'
import { onlyWord, sizeOf } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained, reasonOf, violationsOf } from './internal.js'
import { type MemberRow, readMembers } from './members-csv.js'
import { barText } from './table.js'

/** Members per call at most, the service's own limit. */
const batchMax = 1_000
/** Bytes per call, well below the service's limit of 4 MiB. */
const batchBytes = 2_000_000
export const membersImport: Command = {
  name: 'members import',
  summary: 'store the members of a CSV file',
  help: `lps members import FILE

Stores the members of a CSV file in batches of at most ${batchMax}, each stored whole or not at all. An existing member gets the
values of the file; members that are not in the file stay. Importing a file again changes nothing.

  memberId,loyaltyIds,tier,segments,blocked,birthday,joinedOn
  m-1001,card-77;phone-4711,gold,staff;oslo,,02-29,2024-05-17
  m-1002,card-78,,,true,,

  Only memberId and loyaltyIds are needed. Several loyalty ids or segments are separated by semicolons; an empty blocked leaves a
  member as it is. A birthday is MM-DD, joinedOn YYYY-MM-DD; where one is empty the member has none. Where semicolons separate the columns, a list stands in quotes: m-1001;"card-77;phone-4711";gold

${internalHelp}

Exit code 0: all are stored; 1: a line was refused, and the batches before it are stored. After an interrupted
import, run the command again with the same file.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: internalOptions, allowPositionals: true })
    const file = onlyWord(positionals, 'one CSV file')
    const size = sizeOf(file)
    const { url, transport } = findInternal(values, 'support')
    const members = createClient(MemberService, transport)
    const stored = { created: 0, changed: 0, unchanged: 0, merged: 0 }
    let batch: MemberRow[] = []
    let read = 0
    let bytes = 0
    const flush = async () => {
      const reply = await send(members, batch)
      for (const name of ['created', 'changed', 'unchanged', 'merged'] as const) stored[name] += reply[name]
      batch = []
      bytes = 0
      screen.status(`${barText(read, size)}  ${sumOf(stored)} members`)
    }
    return await orExplained(url, screen, async () => {
      try {
        const rows = readMembers(file, (bytes) => {
          read = bytes
        })
        for await (const row of rows) {
          batch.push(row)
          bytes += Buffer.byteLength(JSON.stringify(row))
          if (batch.length === batchMax || bytes >= batchBytes) await flush()
        }
        if (batch.length > 0) await flush()
      } catch (error) {
        screen.status('')
        return explainEnd(screen, { error, batch, count: sumOf(stored) })
      }
      screen.status('')
      const merged = stored.merged === 0 ? '' : `, ${stored.merged} passed over: merged into others`
      screen.print(`${stored.created} new, ${stored.changed} changed, ${stored.unchanged} as they were${merged}`)
      return 0
    })
  },
}

type Stored = Pick<UpsertMembersResponse, 'created' | 'changed' | 'unchanged' | 'merged'>

function sumOf({ created, changed, unchanged, merged }: Stored): number {
  return created + changed + unchanged + merged
}

/** Stores a batch once. */
async function send(
  members: Client<typeof MemberService>,
  batch: readonly MemberRow[],
): Promise<UpsertMembersResponse> {
  const rows = batch.map(({ line: _, loyaltyIds, segments, ...rest }) => ({
    ...rest,
    loyaltyIds: [...loyaltyIds],
    segments: [...segments],
  }))
  const request = { requestId: randomUUID(), members: rows }
  return await untilReached(() => members.upsertMembers(request))
}

/** Prints why the import stopped, the faulty lines of the file, and what is stored. */
function explainEnd(
  { tell }: Screen,
  { error, batch, count }: { readonly error: unknown; readonly batch: readonly MemberRow[]; readonly count: number },
): number {
  const isRefused = reasonOf(error) === 'INVALID_REQUEST'
  const isLine = error instanceof FaultyLine
  if (isLine) tell(error.message)
  if (isRefused) for (const { field, description } of violationsOf(error)) tell(atLine(field, description, batch))
  const first = batch[0]?.line ?? (isLine ? error.line : undefined)
  if (isRefused || isLine) tell(`nothing from line ${first} on is stored; ${count} members before it are`)
  else if (count > 0) tell(`${count} members are stored; import the same file again for the others`)
  if (isRefused || isLine) return 1
  throw error
}

function atLine(field: string, description: string, batch: readonly MemberRow[]): string {
  const lineOf = (place: string | undefined) => `line ${batch[Number(place)]?.line}`
  const [, place, rest = ''] = /^members\[(\d+)\]\.?(.*)$/.exec(field) ?? []
  const text = description.replace(
    /\bmembers\[(\d+)\]\S* has it already/,
    (_, other) => `${lineOf(other)} has it already`,
  )
  return place === undefined ? `${field}: ${text}` : `${lineOf(place)}: ${rest}: ${text}`
}
