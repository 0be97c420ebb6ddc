import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { type Client, createClient } from '@connectrpc/connect'
import { type Command, InvalidArgumentError } from 'commander'
import { momentFromText } from '../../engine/wire/moment.js'
import { ValueService } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { type CsvRow, FaultyLine, readCsv } from './csv.js'
import { type InternalOptions, onInternal, reasonOf, violationsOf, withInternal } from './internal.js'
import { exits, print, printError, printProgress, printStatus } from './screen.js'
import { sizeOf, uuidOf } from './words.js'

const batchMax = 1_000

interface ImportOptions extends InternalOptions {
  readonly total: ReadonlyMap<string, bigint>
}

export function addImportBalances(program: Command): void {
  const command = program
    .command('balances <file>')
    .summary('import the balances of a CSV file, with a control total')
    .description(`Imports balances in batches of at most ${batchMax}, each whole or not at all. The file is read twice: first every line is checked and the
amounts are summed; where a sum is not the control total, nothing is sent. A reference counts once per currency, for ever: rows that
were imported before are passed over. So after an interrupted import, run the command again with the same file.

  memberId,loyaltyId,currencyId,amount,opensAt,expiresAt,reference
  m-1001,,stamps,7,,2027-12-31T23:00:00Z,old-1001
  ,card-78,stamps,3,,,old-1002

A row has a memberId or a loyaltyId; amounts are whole numbers in the smallest unit; an empty opensAt is now, an empty expiresAt never.

Exit code 0: all rows are imported; 1: a line was refused or a total differs; batches before a refused line are imported.`)
    .requiredOption(
      '--total <currency=amount>',
      'the sum of all rows of this currency; one for each currency of the file',
      totalsFrom,
    )
  withInternal(command).action(
    exits(async (file: string, { total, ...place }: ImportOptions) => {
      const size = sizeOf(file)
      try {
        if (!(await isWithinTotals(file, total))) return 1
      } catch (error) {
        if (!(error instanceof FaultyLine)) throw error
        printError(`${error.message}\nnothing was imported`)
        return 1
      }
      return await onInternal(place, (transport) => importFile(file, size, createClient(ValueService, transport)))
    }),
  )
}

function totalsFrom(word: string, totals: ReadonlyMap<string, bigint> = new Map()): ReadonlyMap<string, bigint> {
  const [, currencyId, amount] = /^(.+)=(\d{1,19})$/.exec(word) ?? []
  if (currencyId === undefined) throw new InvalidArgumentError('expected such as stamps=1200')
  return new Map([...totals, [currencyId, BigInt(amount!)]])
}

async function isWithinTotals(file: string, totals: ReadonlyMap<string, bigint>): Promise<boolean> {
  const sums = new Map<string, bigint>()
  const lines = new Map<string, number>()
  for await (const { line, currencyId, amount, reference } of readBalances(file, () => {})) {
    const key = JSON.stringify([currencyId, reference])
    const earlier = lines.get(key)
    if (earlier !== undefined)
      throw new FaultyLine(line, `reference: expected one of its own; line ${earlier} has it already`)
    lines.set(key, line)
    sums.set(currencyId, (sums.get(currencyId) ?? 0n) + amount)
  }
  const differing = [...new Set([...sums.keys(), ...totals.keys()])].filter((id) => sums.get(id) !== totals.get(id))
  for (const id of differing)
    printError(`${id}: the file sums to ${sums.get(id) ?? 0n}, the control total is ${totals.get(id) ?? 'missing'}`)
  if (differing.length > 0) printError('nothing was imported')
  return differing.length === 0
}

type Values = Client<typeof ValueService>

async function importFile(file: string, size: number, client: Values): Promise<number> {
  const state: Progress = { rows: 0, known: 0, current: [] }
  let read = 0
  let batch: BalanceRow[] = []
  const flush = async () => {
    await importBatch(client, batch, state)
    batch = []
    printProgress(read, size, `${state.rows} rows`)
  }
  try {
    const rows = readBalances(file, (bytes) => {
      read = bytes
    })
    for await (const row of rows) {
      batch.push(row)
      if (batch.length === batchMax) await flush()
    }
    await flush()
  } catch (error) {
    printStatus('')
    const [violation] = violationsOf(error)
    if (violation === undefined) {
      printError(`${state.rows} rows are imported; run the command again for the others`)
      throw error
    }
    const { field, description } = violation
    const { line } = state.current[placeOf(field)] ?? {}
    printError(`line ${line}: ${field.replace(/^rows\[\d+\]\.?/, '')}: ${description}`)
    printError(`nothing from line ${state.current[0]?.line} on is imported`)
    return 1
  }
  printStatus('')
  print(`${state.rows} rows are imported, ${state.known} of them by another import`)
  return 0
}

interface Progress {
  rows: number
  known: number
  current: readonly BalanceRow[]
}

async function importBatch(client: Values, batch: readonly BalanceRow[], state: Progress): Promise<void> {
  const waiting = [batch]
  for (let rows = waiting.pop(); rows !== undefined; rows = waiting.pop()) {
    if (rows.length === 0) continue
    state.current = rows
    const known = await firstImported(client, rows)
    if (known === null) {
      state.rows += rows.length
      continue
    }
    state.rows += 1
    state.known += 1
    waiting.push(rows.slice(known + 1), rows.slice(0, known))
  }
}

/** Imports rows; resolves to the place of the first row imported before, where there is one: then nothing was imported. */
async function firstImported(client: Values, rows: readonly BalanceRow[]): Promise<number | null> {
  const balances = rows.map(({ line: _, ...row }) => row)
  try {
    // The same id for the same rows: importing a file again repeats its batches.
    await client.importBalances({ requestId: uuidOf(rows), rows: balances })
    return null
  } catch (error) {
    if (reasonOf(error) !== 'ALREADY_IMPORTED') throw error
    return placeOf(violationsOf(error)[0]?.field)
  }
}

function placeOf(field: string | undefined): number {
  return Number(/^rows\[(\d+)\]/.exec(field ?? '')?.[1])
}

interface BalanceRow {
  readonly line: number
  readonly member: { readonly by: { readonly case: 'memberId' | 'loyaltyId'; readonly value: string } }
  readonly currencyId: string
  readonly amount: bigint
  readonly opensAt?: Timestamp
  readonly expiresAt?: Timestamp
  readonly reference: string
}

const columns = ['memberId', 'loyaltyId', 'currencyId', 'amount', 'opensAt', 'expiresAt', 'reference'] as const
const required = ['currencyId', 'amount', 'reference'] as const
type Column = (typeof columns)[number]

async function* readBalances(file: string, onBytes: (bytes: number) => void): AsyncGenerator<BalanceRow> {
  for await (const row of readCsv<Column>(file, { columns, required }, onBytes)) yield balanceOf(row)
}

function balanceOf({ line, cell }: CsvRow<Column>): BalanceRow {
  const [memberId, loyaltyId, amount] = [cell('memberId'), cell('loyaltyId'), cell('amount')]
  if ((memberId === '') === (loyaltyId === '')) throw new FaultyLine(line, 'expected either a memberId or a loyaltyId')
  if (!/^\d{1,16}$/.test(amount)) throw new FaultyLine(line, `amount: expected a whole number, received ${amount}`)
  const by = memberId === '' ? 'loyaltyId' : 'memberId'
  return {
    line,
    member: { by: { case: by, value: cell(by) } },
    currencyId: cell('currencyId'),
    amount: BigInt(amount),
    ...momentOf('opensAt', line, cell),
    ...momentOf('expiresAt', line, cell),
    reference: cell('reference'),
  }
}

function momentOf<Name extends 'opensAt' | 'expiresAt'>(
  column: Name,
  line: number,
  cell: (column: Column) => string,
): { readonly [name in Name]?: Timestamp } {
  const text = cell(column)
  if (text === '') return {}
  const at = momentFromText(text)
  if (at === null)
    throw new FaultyLine(line, `${column}: expected a time such as 2027-01-01T00:00:00Z, received ${text}`)
  return { [column]: timestampFromMs(at) } as { [name in Name]?: Timestamp }
}
