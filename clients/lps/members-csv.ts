import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { WrongUse } from './command.js'

/** A row of an import, and the line of the file on which it stands. */
export interface MemberRow {
  readonly line: number
  readonly memberId: string
  readonly loyaltyIds: readonly string[]
  readonly segments: readonly string[]
  readonly tier?: string
  readonly blocked?: boolean
}

/** A line of the file says what no member can be: the import ends there. */
export class FaultyLine extends Error {
  override readonly name = 'FaultyLine'

  constructor(
    readonly line: number,
    expected: string,
  ) {
    super(`line ${line}: ${expected}`)
  }
}

const columns = ['memberId', 'loyaltyIds', 'tier', 'segments', 'blocked'] as const
type Column = (typeof columns)[number]

/** Reads the members of a CSV file one by one, whatever its size; `onBytes` hears how many bytes of it are read. */
export async function* readMembers(file: string, onBytes: (bytes: number) => void): AsyncGenerator<MemberRow> {
  let bytes = 0
  const stream = createReadStream(file)
  stream.on('data', (chunk) => {
    bytes += chunk.length
    onBytes(bytes)
  })
  let header: readonly Column[] | null = null
  let line = 0
  for await (const text of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1
    // What the decoder puts where bytes are no UTF-8: a card under such a name would be found by no POS.
    if (text.includes('\ufffd')) throw new FaultyLine(line, 'expected UTF-8')
    if (text.trim() === '') continue
    const cells = cellsOf(line === 1 ? text.replace(/^\ufeff/, '') : text, line)
    if (header === null) header = headerOf(cells)
    else yield rowOf(header, cells, line)
  }
  if (header === null) throw new WrongUse(`${file}: expected a first line that names the columns`)
}

function headerOf(cells: readonly string[]): readonly Column[] {
  const odd = cells.find((cell) => !columns.some((column) => column === cell))
  if (odd !== undefined) throw new WrongUse(`line 1: expected columns of ${columns.join(', ')}, received ${odd}`)
  if (new Set(cells).size < cells.length) throw new WrongUse('line 1: expected every column once')
  if (!cells.includes('memberId') || !cells.includes('loyaltyIds'))
    throw new WrongUse('line 1: expected the columns memberId and loyaltyIds')
  return cells as readonly Column[]
}

function rowOf(header: readonly Column[], cells: readonly string[], line: number): MemberRow {
  if (cells.length !== header.length)
    throw new FaultyLine(line, `expected ${header.length} fields, received ${cells.length}`)
  const cell = (column: Column) => cells[header.indexOf(column)] ?? ''
  const list = (column: Column) =>
    cell(column)
      .split(';')
      .filter((each) => each !== '')
  const tier = cell('tier')
  const blocked = cell('blocked')
  if (!['', 'true', 'false'].includes(blocked))
    throw new FaultyLine(line, `blocked: expected true, false or nothing, received ${blocked}`)
  return {
    line,
    memberId: cell('memberId'),
    loyaltyIds: list('loyaltyIds'),
    segments: list('segments'),
    ...(tier === '' ? {} : { tier }),
    ...(blocked === '' ? {} : { blocked: blocked === 'true' }),
  }
}

/** The fields of a line of CSV: separated by commas, in quotes where they hold one; a quote inside is written twice. */
function cellsOf(text: string, line: number): readonly string[] {
  const cells: string[] = []
  const pattern = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y
  for (;;) {
    const found = pattern.exec(text)
    if (found === null) throw new FaultyLine(line, 'expected fields separated by commas, quotes in pairs')
    cells.push(found[1]?.replaceAll('""', '"') ?? found[2]!)
    if (found[3] === '') return cells
  }
}
