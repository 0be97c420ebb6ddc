import { parseArgs } from 'node:util'
import { type Client, createClient } from '@connectrpc/connect'
import { ValueService } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { FaultyLine } from './csv.js'
import { onlyWord, sizeOf } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained, reasonOf, violationsOf } from './internal.js'
import { barText } from './table.js'
import { uuidOfText } from './uuid-of-text.js'
import { type BalanceRow, readBalances } from './value-csv.js'

/** Rows per call at most, the service's own limit. */
const batchMax = 1_000

export const valueImport: Command = {
  name: 'value import',
  summary: 'import the balances of a CSV file, with a control total',
  help: `lps value import FILE --total CURRENCY=AMOUNT

Imports balances in batches of at most ${batchMax}, each whole or not at all. The file is read twice: first every line is checked and the
amounts are summed; where a sum is not the control total, nothing is sent. A reference counts once per currency, for ever: rows that
were imported before are passed over. So after an interrupted import, run the command again with the same file.

  memberId,loyaltyId,currencyId,amount,opensAt,expiresAt,reference
  m-1001,,stamps,7,,2027-12-31T23:00:00Z,old-1001
  ,card-78,stamps,3,,,old-1002

  A row has a memberId or a loyaltyId; amounts are whole numbers in the smallest unit; an empty opensAt is now, an empty expiresAt never.

  --total CURRENCY=AMOUNT   the sum of all rows of this currency; one for each currency of the file
${internalHelp}

Exit code 0: all rows are imported; 1: a line was refused or a total differs; batches before a refused line are imported.`,
  async run(words, screen) {
    const options = { ...internalOptions, total: { type: 'string', multiple: true } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const file = onlyWord(positionals, 'one CSV file')
    const totals = totalsFrom(values.total ?? [])
    const size = sizeOf(file)
    const { url, transport } = findInternal(values, 'admin')
    try {
      if (!(await isWithinTotals(file, totals, screen))) return 1
    } catch (error) {
      if (!(error instanceof FaultyLine)) throw error
      screen.tell(`${error.message}\nnothing was imported`)
      return 1
    }
    const client = createClient(ValueService, transport)
    return await orExplained(url, screen, () => importFile({ file, size, client, screen }))
  },
}

function totalsFrom(words: readonly string[]): ReadonlyMap<string, bigint> {
  const totals = new Map<string, bigint>()
  for (const word of words) {
    const [, currencyId, amount] = /^(.+)=(\d{1,19})$/.exec(word) ?? []
    if (currencyId === undefined) throw new WrongUse(`--total: expected such as stamps=1200, received ${word}`)
    totals.set(currencyId, BigInt(amount!))
  }
  if (totals.size === 0) throw new WrongUse('--total CURRENCY=AMOUNT is missing')
  return totals
}

/** Reads every line, and compares the sums with the control totals; also where a reference stands twice. */
async function isWithinTotals(file: string, totals: ReadonlyMap<string, bigint>, { tell }: Screen): Promise<boolean> {
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
    tell(`${id}: the file sums to ${sums.get(id) ?? 0n}, the control total is ${totals.get(id) ?? 'missing'}`)
  if (differing.length > 0) tell('nothing was imported')
  return differing.length === 0
}

interface Import {
  readonly file: string
  readonly size: number
  readonly client: Client<typeof ValueService>
  readonly screen: Screen
}

async function importFile({ file, size, client, screen }: Import): Promise<number> {
  const state: Progress = { rows: 0, known: 0, current: [] }
  let read = 0
  let batch: BalanceRow[] = []
  const flush = async () => {
    await importBatch(client, batch, state)
    batch = []
    screen.status(`${barText(read, size)}  ${state.rows} rows`)
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
    screen.status('')
    const [violation] = violationsOf(error)
    if (violation === undefined) {
      screen.tell(`${state.rows} rows are imported; run the command again for the others`)
      throw error
    }
    screen.tell(`${atLine(violation, state.current)}\nnothing from line ${state.current[0]?.line} on is imported`)
    return 1
  }
  screen.status('')
  screen.print(`${state.rows} rows are imported, ${state.known} of them by another import`)
  return 0
}

interface Progress {
  /** Rows that are imported. */
  rows: number
  /** Of these, rows that another import has imported. */
  known: number
  /** Rows of the last call. */
  current: readonly BalanceRow[]
}

/** Imports the rows in their order, without those that were imported before. */
async function importBatch(
  client: Client<typeof ValueService>,
  batch: readonly BalanceRow[],
  state: Progress,
): Promise<void> {
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

/** Imports rows; resolves to the place of the first that was imported before, where there is one: then nothing was imported. */
async function firstImported(client: Client<typeof ValueService>, rows: readonly BalanceRow[]): Promise<number | null> {
  const balances = rows.map(({ line: _, ...row }) => row)
  const request = { requestId: requestIdOf(rows), rows: balances }
  try {
    await untilReached(() => client.importBalances(request))
    return null
  } catch (error) {
    if (reasonOf(error) !== 'ALREADY_IMPORTED') throw error
    return placeOf(violationsOf(error)[0]?.field)
  }
}

/** The same for the same rows: a file that is imported again is a repeat, batch for batch. */
function requestIdOf(rows: readonly BalanceRow[]): string {
  const text = JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return uuidOfText(text)
}

function placeOf(field: string | undefined): number {
  return Number(/^rows\[(\d+)\]/.exec(field ?? '')?.[1])
}

function atLine(
  { field, description }: { readonly field: string; readonly description: string },
  batch: readonly BalanceRow[],
): string {
  const name = field.replace(/^rows\[\d+\]\.?/, '')
  return `line ${batch[placeOf(field)]?.line}: ${name}: ${description}`
}
