import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { savedAsText } from '../import/member-cells.js'
import { WrongUse } from './screen.js'

export class FaultyLine extends Error {
  override readonly name = 'FaultyLine'

  constructor(
    readonly line: number,
    expected: string,
  ) {
    super(`line ${line}: ${expected}`)
  }
}

export interface CsvRow<Column extends string> {
  readonly line: number
  has(column: Column): boolean
  cell(column: Column): string
}

/** Bytes of one row at most: a quote that is never closed would include the rest of the file. */
const rowBytesMax = 1_000_000
const headerBytesMax = 1_000

/**
 * Reads a CSV file of any size row by row: UTF-8, commas or semicolons between the fields, and quotes around fields with one of these, a
 * quote or a line break. The first line names the columns, in any order.
 *
 * @param columns   every possible column
 * @param required  those that it must have
 * @param onBytes   receives the number of bytes read
 */
export async function* readCsv<Column extends string>(
  file: string,
  { columns, required }: { readonly columns: readonly Column[]; readonly required: readonly Column[] },
  onBytes: (bytes: number) => void,
): AsyncGenerator<CsvRow<Column>> {
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
    // The decoder's mark for bytes that are no UTF-8: no POS would find a card with it.
    if (text.includes('\ufffd')) throw new FaultyLine(line, 'expected UTF-8')
    const isEmpty = cells.length === 1 && text.trim() === ''
    if (header !== null && !isEmpty) yield rowOf(header, cells, line)
    else if (!isEmpty) header = headerOf(cells, columns, required)
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

function headerOf<Column extends string>(
  cells: readonly string[],
  columns: readonly Column[],
  required: readonly Column[],
): readonly Column[] {
  const odd = cells.find((cell) => !columns.some((column) => column === cell))
  if (odd !== undefined) throw new WrongUse(`line 1: expected columns of ${columns.join(', ')}, received ${odd}`)
  if (new Set(cells).size < cells.length) throw new WrongUse('line 1: expected every column once')
  if (!required.every((column) => cells.includes(column)))
    throw new WrongUse(`line 1: expected the columns ${required.join(', ')}`)
  return cells as readonly Column[]
}

function rowOf<Column extends string>(
  header: readonly Column[],
  cells: readonly string[],
  line: number,
): CsvRow<Column> {
  if (cells.length !== header.length)
    throw new FaultyLine(line, `expected ${header.length} fields, received ${cells.length}`)
  const has = (column: Column) => header.includes(column)
  return { line, has, cell: (column) => (cells[header.indexOf(column)] ?? '').replace(savedAsText, '') }
}
