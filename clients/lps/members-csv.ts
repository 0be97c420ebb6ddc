import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { WrongUse } from './command.js'

/** A row of an import, and the line of the file on which it begins. */
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

/** Bytes of one row at most: a quote that is never closed would take in the rest of the file. */
const rowBytesMax = 1_000_000
/** Longer than every header that names each column once. */
const headerBytesMax = 1_000

/**
 * Reads the members of a CSV file one by one, whatever its size: UTF-8, commas or semicolons between the fields, and quotes around what holds one of
 * them, a quote or a line break.
 *
 * @param onBytes  receives how many bytes of it are read
 */
export async function* readMembers(file: string, onBytes: (bytes: number) => void): AsyncGenerator<MemberRow> {
  let fault: CsvError | undefined
  const parser = parse({
    bom: true,
    delimiter: await separatorOf(file),
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: rowBytesMax,
    // Rows before the fault are still to be read: an error would end the stream before them.
    relax_column_count: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      fault ??= error
    },
  })
  pipeline(createReadStream(file), parser, () => {})
  let header: readonly Column[] | null = null
  let line = 1
  let rows = 0
  for await (const cells of parser as AsyncIterable<string[]>) {
    if (rows === fault?.records) break
    onBytes(parser.info.bytes)
    const text = cells.join('')
    // What the decoder puts where bytes are no UTF-8: a card under such a name would be found by no POS.
    if (text.includes('\ufffd')) throw new FaultyLine(line, 'expected UTF-8')
    const isEmpty = cells.length === 1 && text.trim() === ''
    if (header !== null && !isEmpty) yield rowOf(header, cells, line)
    else if (!isEmpty) header = headerOf(cells)
    line += 1 + (text.match(/\r\n|\n|\r/g)?.length ?? 0)
    rows += 1
  }
  if (fault !== undefined) throw new FaultyLine(line, `expected fields of a CSV file: ${fault.message}`)
  if (header === null) throw new WrongUse(`${file}: expected a first line that names the columns`)
}

/** A header holds names of columns only: a semicolon in it separates them. */
async function separatorOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytesMax), 0, headerBytesMax)
    const [header = ''] = buffer
      .toString('utf8', 0, bytesRead)
      .trimStart()
      .split(/[\r\n]/)
    return header.includes(';') ? ';' : ','
  } finally {
    await handle.close()
  }
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
