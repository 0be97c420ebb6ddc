import { type CsvError, parse } from 'csv-parse/sync'
import type { VenueProduct } from '../../engine/core/base/basket.js'
import { digitsOf } from '../../engine/programme/currency-digits.js'
import { Faults, Place } from '../../engine/programme/place.js'
import { readDefined } from '../../engine/programme/read-defined.js'
import type { ProgrammeVenue } from '../../engine/programme/read-venue.js'
import type { StoredVenue } from '../../store/ledger/venues.js'

export interface FileFault {
  readonly row: number
  /** Empty: the row as a whole. */
  readonly column: string
  readonly expected: string
  readonly received: string
}

export type PriceListRead =
  | { readonly kind: 'read'; readonly products: readonly VenueProduct[] }
  /** The first ones by row, and how many more there are. */
  | { readonly kind: 'faulty'; readonly faults: readonly FileFault[]; readonly more: number }

const columns = [
  'productId',
  'name',
  'price',
  'productGroupId',
  'productMasterId',
  'ean',
  'noDiscount',
  'noPercentageDiscount',
] as const
type Column = (typeof columns)[number]
const required: readonly Column[] = ['productId', 'name', 'price']
const faultsMax = 100
const productsMax = 10_000
const receivedMax = 64
/** The longest price, with far more digits than are exact. */
const priceForm = /^(\d{1,13}|\d{1,3}(?:[ \u00a0\u202f]\d{3})+)(?:[.,](\d{1,6}))?$/

/**
 * Reads a price list as a spreadsheet saves it: UTF-8, or UTF-16 with its mark; commas, semicolons or tabs; prices with a point or a comma.
 * Every product is checked by the rules of the programme.
 *
 * @param venue  the owner of the list: its currency sets the decimals of a price
 */
export function readPriceList(csv: Uint8Array, venue: StoredVenue): PriceListRead {
  const text = textOf(csv)
  if (text === null) {
    return faulty([{ row: 1, column: '', expected: 'UTF-8 (in a spreadsheet: CSV UTF-8)', received: 'other bytes' }])
  }
  const rows = rowsOf(text)
  if (rows.kind === 'faulty') return faulty([rows.fault])
  const [head, ...body] = rows.rows
  const header = headerOf(head)
  if (header.faults.length > 0) return faulty(header.faults)
  const filled = body.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  if (filled.length > productsMax) {
    const expected = `at most ${productsMax} products`
    return faulty([{ row: filled[productsMax]!.row, column: '', expected, received: String(filled.length) }])
  }
  return productsFrom(filled, header.names, venue)
}

interface Row {
  readonly row: number
  readonly cells: readonly string[]
}

function textOf(csv: Uint8Array): string | null {
  const [first, second] = csv
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(csv)
  } catch {
    return null
  }
}

function rowsOf(
  text: string,
): { readonly kind: 'rows'; readonly rows: readonly Row[] } | { readonly kind: 'faulty'; readonly fault: FileFault } {
  // Some spreadsheets name the separator in a row of its own.
  const named = /^sep=(.)\r?\n/.exec(text)
  const [line = ''] = (named === null ? text : text.slice(named[0].length)).split(/[\r\n]/, 1)
  const delimiter = named?.[1] ?? (line.includes(';') ? ';' : line.includes('\t') ? '\t' : ',')
  try {
    const records: string[][] = parse(named === null ? text : text.slice(named[0].length), {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      skip_empty_lines: false,
    })
    const skipped = named === null ? 0 : 1
    return { kind: 'rows', rows: records.map((cells, at) => ({ row: at + 1 + skipped, cells })) }
  } catch (error) {
    const { message, records = 0 } = error as CsvError & { readonly records?: number }
    const fault = { row: records + 1, column: '', expected: 'fields of a CSV file', received: cut(message) }
    return { kind: 'faulty', fault }
  }
}

function headerOf(head: Row | undefined): { readonly names: readonly Column[]; readonly faults: readonly FileFault[] } {
  const { row, cells } = head ?? { row: 1, cells: [] }
  const names = cells.map((cell) => columns.find((column) => column.toLowerCase() === cell.trim().toLowerCase()))
  const odd = cells.filter((_, at) => names[at] === undefined)
  const missing = required.filter((column) => !names.includes(column))
  const faults: FileFault[] = [
    ...odd.map((cell) => ({ row, column: cell.trim(), expected: `a column of ${columns.join(', ')}`, received: cell })),
    ...missing.map((column) => ({ row, column, expected: 'this column', received: 'nothing' })),
  ]
  const twice = names.find((name, at) => name !== undefined && names.indexOf(name) !== at)
  if (twice !== undefined) faults.push({ row, column: twice, expected: 'every column once', received: 'it twice' })
  return {
    names: names as readonly Column[],
    faults: faults.map((each) => ({ ...each, received: cut(each.received) })),
  }
}

function productsFrom(rows: readonly Row[], names: readonly Column[], venue: StoredVenue): PriceListRead {
  const faults: FileFault[] = []
  const digits = digitsOf(venue.currency)
  const products = rows.map(({ row, cells }) => {
    if (cells.length !== names.length) {
      faults.push({ row, column: '', expected: `${names.length} fields`, received: String(cells.length) })
    }
    const cell = (column: Column) => (cells[names.indexOf(column)] ?? '').trim()
    const fault = (column: Column, expected: string) =>
      faults.push({ row, column, expected, received: cell(column) === '' ? 'nothing' : cut(cell(column)) })
    return productFrom(cell, fault, digits)
  })
  const checked = new Faults()
  const { products: read } = readDefined<ProgrammeVenue>(Place.root({ ...venue, products }, checked), 'venue')
  const own = checked.listed.map(({ path, expected, received }) => ({ ...placeOf(path, rows), expected, received }))
  // A cell that is no price or flag was said already.
  const others = own.filter(({ row, column }) => !faults.some((each) => each.row === row && each.column === column))
  const more = checked.count - checked.listed.length
  return faults.length + others.length + more === 0
    ? { kind: 'read', products: read }
    : faulty(
        [...faults, ...others].sort((left, right) => left.row - right.row),
        more,
      )
}

function productFrom(
  cell: (column: Column) => string,
  fault: (column: Column, expected: string) => void,
  digits: number,
): Readonly<Record<string, unknown>> {
  const given = (column: Column) => cell(column) || undefined
  const flag = (column: Column) => {
    const word = cell(column).toLowerCase()
    if (!['', 'true', 'false'].includes(word)) fault(column, 'true, false or nothing')
    return word === 'true'
  }
  const price = minorFrom(cell('price'), digits)
  if (price === null) fault('price', digits === 0 ? 'a whole number' : `a price such as 52 or ${example(digits)}`)
  return {
    productId: cell('productId'),
    name: cell('name'),
    unitPrice: price ?? 0,
    productGroupId: given('productGroupId'),
    productMasterId: given('productMasterId'),
    ean: given('ean'),
    noDiscount: flag('noDiscount'),
    noPercentageDiscount: flag('noPercentageDiscount'),
  }
}

function example(digits: number): string {
  return `52.5${'0'.repeat(digits - 1)}`
}

/** Minor units; null: it is no price with at most `digits` decimals. */
function minorFrom(text: string, digits: number): number | null {
  const [, whole, decimals = ''] = priceForm.exec(text) ?? []
  if (whole === undefined || decimals.length > digits) return null
  const minor = Number(whole.replace(/\D/g, '') + decimals.padEnd(digits, '0'))
  return Number.isSafeInteger(minor) ? minor : null
}

/** The place in the file of a path such as `products[3].unitPrice`. */
function placeOf(path: string, rows: readonly Row[]): Pick<FileFault, 'row' | 'column'> {
  const [, at = '0', field = ''] = /^products\[(\d+)\](?:\.(\w+))?/.exec(path) ?? []
  return { row: rows[Number(at)]?.row ?? 1, column: field === 'unitPrice' ? 'price' : field }
}

function faulty(faults: readonly FileFault[], more = 0): PriceListRead {
  return { kind: 'faulty', faults: faults.slice(0, faultsMax), more: more + Math.max(0, faults.length - faultsMax) }
}

function cut(text: string): string {
  return text.length <= receivedMax ? text : `${text.slice(0, receivedMax - 1)}…`
}
