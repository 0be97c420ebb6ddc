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
/** Cards of other members that a dry run lists. */
const listedMax = 20

export const membersImport: Command = {
  name: 'members import',
  summary: 'store the members of a CSV file',
  help: `lps members import FILE

Stores the members of a CSV file in batches of at most ${batchMax}, each stored whole or not at all. An existing member gets the
values of the file; columns that the file does not have stay as they are, and so do members that are not in it. Importing a file
again changes nothing.

  memberId,loyaltyIds,tier,segments,blocked,birthday,joinedOn
  m-1001,card-77;phone-4711,gold,staff;oslo,,02-29,2024-05-17
  m-1002,card-78,,,true,,

  Only memberId is needed, and loyaltyIds for new members. Several loyalty ids or segments are separated by semicolons. An empty cell
  takes away the tier, the segments, the birthday (MM-DD) or joinedOn (YYYY-MM-DD); an empty blocked leaves a member as it is, and
  loyaltyIds must not be empty. Where semicolons separate the columns, a list stands in quotes: m-1001;"card-77;phone-4711";gold

  --move-cards        loyalty ids of other members move to the rows that name them; without it such a row is refused
  --dry-run           store nothing: count what would be new, changed and as it was, and list the first ${listedMax} loyalty ids of other
                      members. Each batch is compared with what is stored now
${internalHelp}

Exit code 0: all are stored, or would be; 1: a line was refused, and the batches before it are stored. After an interrupted
import, run the command again with the same file.`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const file = onlyWord(positionals, 'one CSV file')
    const size = sizeOf(file)
    const { url, transport } = findInternal(values, 'support')
    const { 'move-cards': moveCards = false, 'dry-run': dryRun = false } = values
    const state: Progress = { created: 0, changed: 0, unchanged: 0, merged: 0, movedCards: 0, batch: [], taken: [] }
    const members = createClient(MemberService, transport)
    return await orExplained(url, screen, async () => {
      try {
        await importFile({ file, size, screen, members, moveCards, dryRun }, state)
      } catch (error) {
        screen.status('')
        return explainEnd(screen, error, { ...state, dryRun })
      }
      screen.status('')
      if (dryRun) return explainDryRun(screen, state, moveCards)
      screen.print(`${countsOf(state)}${state.movedCards === 0 ? '' : `; ${cardsText(state.movedCards)} moved`}`)
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  'move-cards': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
} as const

const counted = ['created', 'changed', 'unchanged', 'merged', 'movedCards'] as const
type Counts = Record<(typeof counted)[number], number>

interface Progress extends Counts {
  /** Rows that are not sent yet, or were refused. */
  batch: MemberRow[]
  /** Of a dry run: loyalty ids of other members. */
  readonly taken: string[]
}

interface Import {
  readonly file: string
  readonly size: number
  readonly screen: Screen
  readonly members: Client<typeof MemberService>
  readonly moveCards: boolean
  readonly dryRun: boolean
}

async function importFile({ file, size, screen, ...how }: Import, state: Progress): Promise<void> {
  let read = 0
  let bytes = 0
  const flush = async () => {
    const reply = await send(state.batch, how)
    for (const name of counted) state[name] += reply[name]
    for (const { row, loyaltyId, fromMemberId } of reply.wouldMove) {
      if (state.taken.length === listedMax) break
      state.taken.push(`line ${state.batch[row]!.line}: ${loyaltyId} is a card of member ${fromMemberId}`)
    }
    state.batch = []
    bytes = 0
    screen.status(`${barText(read, size)}  ${sumOf(state)} members`)
  }
  const rows = readMembers(file, (bytes) => {
    read = bytes
  })
  for await (const row of rows) {
    state.batch.push(row)
    bytes += Buffer.byteLength(JSON.stringify(row.member))
    if (state.batch.length === batchMax || bytes >= batchBytes) await flush()
  }
  if (state.batch.length > 0) await flush()
}

/** Stores a batch once, or asks what that would change. */
async function send(
  batch: readonly MemberRow[],
  { members, moveCards, dryRun }: Pick<Import, 'members' | 'moveCards' | 'dryRun'>,
): Promise<UpsertMembersResponse> {
  const request = {
    requestId: randomUUID(),
    members: batch.map(({ member }) => member),
    updateMask: { paths: [...batch[0]!.mask] },
    // A dry run lists them rather than being refused.
    moveCards: moveCards || dryRun,
    dryRun,
  }
  return await untilReached(() => members.upsertMembers(request))
}

function sumOf({ created, changed, unchanged, merged }: Counts): number {
  return created + changed + unchanged + merged
}

function countsOf({ created, changed, unchanged, merged }: Counts): string {
  const passed = merged === 0 ? '' : `, ${merged} passed over: merged into others`
  return `${created} new, ${changed} changed, ${unchanged} as they were${passed}`
}

function cardsText(count: number): string {
  return `${count} card${count === 1 ? '' : 's'} of other members`
}

/** Prints what an import would do; exit code 1: it would be refused. */
function explainDryRun({ print, tell }: Screen, state: Progress, moveCards: boolean): number {
  const { movedCards, taken } = state
  print(`would be: ${countsOf(state)}; ${cardsText(movedCards)} would move`)
  for (const line of taken) tell(line)
  if (movedCards > taken.length) tell(`and ${movedCards - taken.length} more`)
  if (movedCards === 0 || moveCards) return 0
  tell('the import would be refused there; --move-cards moves them')
  return 1
}

/** Prints why the import stopped, the faulty lines of the file, and what is stored. */
function explainEnd(
  { tell }: Screen,
  error: unknown,
  { batch, dryRun, ...counts }: Progress & { readonly dryRun: boolean },
): number {
  const isRefused = ['INVALID_REQUEST', 'CARD_TAKEN'].includes(reasonOf(error) ?? '')
  const isLine = error instanceof FaultyLine
  if (isLine) tell(error.message)
  if (isRefused) {
    for (const { field, description } of violationsOf(error))
      tell(atLine(field, description.replace('; move_cards moves it', '; --move-cards moves it'), batch))
  }
  const count = sumOf(counts)
  const first = batch[0]?.line ?? (isLine ? error.line : undefined)
  if (!dryRun && (isRefused || isLine)) tell(`nothing from line ${first} on is stored; ${count} members before it are`)
  else if (!dryRun && count > 0) tell(`${count} members are stored; import the same file again for the others`)
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
