import { randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Client, createClient } from '@connectrpc/connect'
import { MemberService, type UpsertMembersResponse } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained, reasonOf, violationsOf } from './internal.js'
import { type MemberRow, readMembers } from './members-csv.js'
import { barText } from './table.js'

/** Members of one call, as many as the service takes. */
const batchMax = 1_000
/** How often a batch is sent, under the same request id, while the service is out of reach; and the pause between, in milliseconds. */
const attemptsMax = 5
const pauseMs = 1_000

/** Stores the members of a file. */
export const membersImport: Command = {
  name: 'members import',
  summary: 'store the members of a CSV file',
  help: `lps members import FILE

Stores the members of a CSV file in batches of ${batchMax}, each whole or not at all. A member that is there is changed to what the file
says; members that the file does not name stay. To import a file again changes nothing.

  memberId,loyaltyIds,tier,segments,blocked
  m-1001,card-77;phone-4711,gold,staff;oslo,
  m-1002,card-78,,,true

  Only memberId and loyaltyIds are needed. Several loyalty ids or segments are separated by semicolons; an empty blocked leaves a
  member as it is.

${internalHelp}

Exit code 0: all are stored; 1: a line was refused, and which; the batches before it are stored.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: internalOptions, allowPositionals: true })
    const file = onlyWord(positionals, 'one CSV file')
    const size = sizeOf(file)
    const { url, transport } = findInternal(values, 'admin')
    const members = createClient(MemberService, transport)
    const stored = { created: 0, changed: 0, unchanged: 0 }
    return await orExplained(url, screen, async () => {
      let read = 0
      let batch: MemberRow[] = []
      const flush = async () => {
        const reply = await send(members, batch)
        if (reply.kind === 'refused') return refuse(screen, batch, reply.error)
        for (const name of ['created', 'changed', 'unchanged'] as const) stored[name] += reply.message[name]
        batch = []
        screen.status(`${barText(read, size)}  ${sumOf(stored)} members`)
        return null
      }
      const rows = readMembers(file, (bytes) => {
        read = bytes
      })
      for await (const row of rows) {
        batch.push(row)
        const refused = batch.length === batchMax ? await flush() : null
        if (refused !== null) return refused
      }
      const refused = batch.length > 0 ? await flush() : null
      screen.status('')
      if (refused !== null) return refused
      screen.print(`${stored.created} new, ${stored.changed} changed, ${stored.unchanged} as they were`)
      return 0
    })
  },
}

function sizeOf(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new WrongUse(`${file}: there is no such file`)
  return size
}

function sumOf({
  created,
  changed,
  unchanged,
}: Pick<UpsertMembersResponse, 'created' | 'changed' | 'unchanged'>): number {
  return created + changed + unchanged
}

type Sent =
  | { readonly kind: 'stored'; readonly message: UpsertMembersResponse }
  | { readonly kind: 'refused'; readonly error: unknown }

/** A repeat under the same request id is stored once, whatever became of the attempt before. */
async function send(members: Client<typeof MemberService>, batch: readonly MemberRow[]): Promise<Sent> {
  const rows = batch.map(({ line: _, loyaltyIds, segments, ...rest }) => ({
    ...rest,
    loyaltyIds: [...loyaltyIds],
    segments: [...segments],
  }))
  const request = { requestId: randomUUID(), members: rows }
  for (let attempt = 1; ; attempt += 1) {
    try {
      return { kind: 'stored', message: await members.upsertMembers(request) }
    } catch (error) {
      if (reasonOf(error) === 'INVALID_REQUEST') return { kind: 'refused', error }
      if (reasonOf(error) !== 'UNAVAILABLE' || attempt === attemptsMax) throw error
    }
    await sleep(pauseMs)
  }
}

/** Says on which lines of the file what is wrong. */
function refuse({ tell }: Screen, batch: readonly MemberRow[], error: unknown): number {
  for (const { field, description } of violationsOf(error)) {
    const [, place, rest = ''] = /^members\[(\d+)\]\.?(.*)$/.exec(field) ?? []
    tell(
      place === undefined ? `${field}: ${description}` : `line ${batch[Number(place)]?.line}: ${rest}: ${description}`,
    )
  }
  tell(`lines ${batch[0]?.line} to ${batch.at(-1)?.line} are not stored; those before them are`)
  return 1
}
