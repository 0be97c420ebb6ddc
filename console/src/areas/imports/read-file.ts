import { parse } from 'csv-parse/browser/esm/sync'
import { savedAsText } from '../../../../clients/import/member-cells.js'

export interface FileRow {
  /** In the file, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

export interface ReadFile {
  readonly name: string
  /** The same for the same file. */
  readonly key: string
  readonly head: readonly string[]
  readonly rows: readonly FileRow[]
}

/** A browser holds all of it: `lps import` takes larger ones. */
export const fileBytesMax = 30_000_000

/**
 * Reads a file as a spreadsheet saves it: UTF-8, UTF-16 with its mark or Windows-1252; commas, semicolons or tabs.
 *
 * @param isHead  true of a first row that names columns; without one the columns have numbers
 */
export async function readFile(file: File, isHead: (cells: readonly string[]) => boolean): Promise<ReadFile> {
  const text = textOf(new Uint8Array(await file.arrayBuffer()))
  const [first = ''] = text.split(/[\r\n]/, 1)
  const delimiter = first.includes(';') ? ';' : first.includes('\t') ? '\t' : ','
  const records = parse(text, {
    bom: true,
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    trim: true,
  }) as string[][]
  let line = 1
  const rows: FileRow[] = []
  for (const cells of records) {
    if (cells.some((cell) => cell !== ''))
      rows.push({ line, cells: cells.map((cell) => cell.replace(savedAsText, '')) })
    line += 1 + cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
  }
  const { name, size, lastModified } = file
  const [head] = rows
  const isNamed = head !== undefined && isHead(head.cells)
  return {
    name,
    key: `${name}/${size}/${lastModified}`,
    head: isNamed ? head.cells : (head?.cells ?? []).map((_, at) => String(at + 1)),
    rows: isNamed ? rows.slice(1) : rows,
  }
}

function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
