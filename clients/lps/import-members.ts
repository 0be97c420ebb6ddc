import { randomUUID } from 'node:crypto'
import { type Client, createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { type MemberCells, type MemberColumn, memberFromCells, pathOfColumn } from '../import/member-cells.js'
import { type CsvRow, FaultyLine, readCsv } from './csv.js'
import { type InternalOptions, onInternal, reasonOf, violationsOf, withInternal } from './internal.js'
import { exits, print, printError, printProgress, printStatus } from './screen.js'
import { sizeOf } from './words.js'

const batchMax = 1_000
const batchBytes = 2_000_000
const listedMax = 20

interface ImportOptions extends InternalOptions {
  readonly moveCards?: boolean
  readonly dryRun?: boolean
}

export function addImportMembers(program: Command): void {
  const command = program
    .command('members <file>')
    .summary('store the members of a CSV file')
    .description(`Stores the members of a CSV file in batches of at most ${batchMax}, each stored whole or not at all. An existing member gets the
values of the file; columns that the file does not have stay as they are, and so do members that are not in it. Importing a file
again changes nothing.

  memberId,loyaltyIds,tier,segments,blocked,birthday,joinedOn
  m-1001,card-77;phone-4711,gold,staff;oslo,,02-29,2024-05-17
  m-1002,card-78,,,true,,

Only memberId is needed, and loyaltyIds for new members. Several loyalty ids or segments are separated by semicolons. An empty cell
takes away the tier, the segments, the birthday (MM-DD, or a whole date) or joinedOn (YYYY-MM-DD, or 17.5.2024); an empty blocked
leaves a member as it is, and loyaltyIds must not be empty. Where semicolons separate the columns, a list stands in quotes: m-1001;"card-77;phone-4711";gold

Exit code 0: all are stored, or would be; 1: a line was refused, and the batches before it are stored. After an interrupted
import, run the command again with the same file.`)
    .option(
      '--move-cards',
      'loyalty ids of other members move to the rows that name them; without it such a row is refused',
    )
    .option(
      '--dry-run',
      `store nothing: count what would be new, changed and as it was, and list the first ${listedMax} loyalty ids of other members. Each batch is compared with what is stored now`,
    )
  withInternal(command).action(
    exits(async (file: string, { moveCards = false, dryRun = false, ...place }: ImportOptions) => {
      const size = sizeOf(file)
      const state: Progress = { created: 0, changed: 0, unchanged: 0, merged: 0, movedCards: 0, batch: [], taken: [] }
      return await onInternal(place, async (transport) => {
        try {
          await importFile({ file, size, members: createClient(MemberService, transport), moveCards, dryRun }, state)
        } catch (error) {
          printStatus('')
          return explainEnd(error, state, dryRun)
        }
        printStatus('')
        if (dryRun) return explainDryRun(state, moveCards)
        print(`${countsOf(state)}${state.movedCards === 0 ? '' : `; ${cardsText(state.movedCards)} moved`}`)
        return 0
      })
    }),
  )
}

const counted = ['created', 'changed', 'unchanged', 'merged', 'movedCards'] as const
type Counts = Record<(typeof counted)[number], number>

interface Progress extends Counts {
  batch: MemberRow[]
  readonly taken: string[]
}

interface Import {
  readonly file: string
  readonly size: number
  readonly members: Client<typeof MemberService>
  readonly moveCards: boolean
  readonly dryRun: boolean
}

async function importFile({ file, size, members, moveCards, dryRun }: Import, state: Progress): Promise<void> {
  let read = 0
  let bytes = 0
  const flush = async () => {
    const reply = await members.upsertMembers({
      requestId: randomUUID(),
      members: state.batch.map(({ member }) => member),
      updateMask: { paths: [...state.batch[0]!.mask] },
      moveCards: moveCards || dryRun,
      dryRun,
    })
    for (const name of counted) state[name] += reply[name]
    for (const { row, loyaltyId, fromMemberId } of reply.wouldMove) {
      if (state.taken.length === listedMax) break
      state.taken.push(`line ${state.batch[row]!.line}: ${loyaltyId} is a card of member ${fromMemberId}`)
    }
    state.batch = []
    bytes = 0
    printProgress(read, size, `${sumOf(state)} members`)
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

function explainDryRun(state: Progress, moveCards: boolean): number {
  const { movedCards, taken } = state
  print(`would be: ${countsOf(state)}; ${cardsText(movedCards)} would move`)
  for (const line of taken) printError(line)
  if (movedCards > taken.length) printError(`and ${movedCards - taken.length} more`)
  if (movedCards === 0 || moveCards) return 0
  printError('the import would be refused there; --move-cards moves them')
  return 1
}

function explainEnd(error: unknown, { batch, ...counts }: Progress, dryRun: boolean): number {
  const isRefused = ['INVALID_REQUEST', 'CARD_TAKEN'].includes(reasonOf(error) ?? '')
  const isLine = error instanceof FaultyLine
  if (isLine) printError(error.message)
  if (isRefused) {
    for (const { field, description } of violationsOf(error))
      printError(atLine(field, description.replace('; move_cards moves it', '; --move-cards moves it'), batch))
  }
  const count = sumOf(counts)
  const first = batch[0]?.line ?? (isLine ? error.line : undefined)
  if (!dryRun && (isRefused || isLine))
    printError(`nothing from line ${first} on is stored; ${count} members before it are`)
  else if (!dryRun && count > 0) printError(`${count} members are stored; import the same file again for the others`)
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

interface MemberRow {
  readonly line: number
  readonly mask: readonly string[]
  readonly member: MemberCells
}

const fields = Object.keys(pathOfColumn) as (keyof typeof pathOfColumn)[]
const columns = ['memberId', ...fields] as const
const required = ['memberId'] as const

export async function* readMembers(file: string, onBytes: (bytes: number) => void): AsyncGenerator<MemberRow> {
  for await (const row of readCsv(file, { columns, required }, onBytes)) yield memberOf(row)
}

function memberOf({ line, has, cell }: CsvRow<MemberColumn>): MemberRow {
  const member = memberFromCells(cell, (column, expected) => {
    throw new FaultyLine(line, `${column}: expected ${expected}, received ${cell(column)}`)
  })
  return { line, mask: fields.filter(has).map((column) => pathOfColumn[column]), member }
}
