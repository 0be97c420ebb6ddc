import { createHash } from 'node:crypto'
import type { Rows } from '../../../store/ledger/calls.js'
import { refusal } from '../errors.js'
import { uuidForm } from './fields.js'

/** Rows of a page: the default, and the maximum. */
const pageSizeDefault = 50
const pageSizeMax = 500

/** The last row of the page before, by the list's order. */
export type Cursor = readonly (string | number)[]

interface Page {
  readonly size: number
  /** null: from the beginning. */
  readonly after: Cursor | null
}

/** The type of a cursor's part, so that Postgres never refuses one. `number` is 0 or more, and exact. */
export type CursorPart = 'string' | 'uuid' | 'number' | 'int32'

interface PageRequest {
  readonly pageSize: number
  readonly pageToken: string
}

/**
 * Reads the page of a list request. A token belongs to the list and the filters it was given for.
 *
 * @param list     name of the call
 * @param filters  every filter of the request, in a fixed order
 * @param form     types of this list's cursor parts
 * @param field    the field of the request that holds the token
 */
export function readPage(
  request: PageRequest,
  list: string,
  {
    filters = [],
    form,
    field = 'page_token',
  }: {
    readonly filters?: readonly unknown[]
    readonly form: readonly CursorPart[]
    readonly field?: string
  },
): Page {
  const { pageSize, pageToken } = request
  if (pageSize < 0 || pageSize > pageSizeMax) {
    const description = `expected 1 to ${pageSizeMax}, or 0 for ${pageSizeDefault}; received ${pageSize}`
    throw refusal('INVALID_REQUEST', `page_size: ${description}`, { violations: [{ field: 'page_size', description }] })
  }
  const size = pageSize === 0 ? pageSizeDefault : pageSize
  if (pageToken === '') return { size, after: null }
  const after = cursorFromToken(pageToken, bindingOf(list, filters))
  if (after === null || after.length !== form.length || !after.every((part, at) => fits(part, form[at]!))) {
    const description = 'not a token that this list gave for these filters'
    throw refusal('PAGE_TOKEN_INVALID', `${field}: ${description}`, { violations: [{ field, description }] })
  }
  return { size, after }
}

/** The token of the page after this cursor, for the same list and filters; opaque to clients. */
export function pageToken(list: string, filters: readonly unknown[], cursor: Cursor): string {
  return Buffer.from(JSON.stringify([bindingOf(list, filters), ...cursor])).toString('base64url')
}

/** A cursor with parts of these types. */
type CursorOf<Form extends readonly CursorPart[]> = {
  readonly [At in keyof Form]: Form[At] extends 'string' | 'uuid' ? string : number
}

interface List<Row, Form extends readonly CursorPart[]> {
  readonly name: string
  /** Every filter of the request, in a fixed order. */
  readonly filters?: readonly unknown[]
  readonly form: Form
  readonly read: (page: Rows<CursorOf<Form>>) => Promise<readonly Row[]>
  readonly cursorOf: (last: Row) => CursorOf<Form>
  /** Where filters may leave a page short: how far this page looked; null: to the end. */
  readonly lookedTo?: (after: CursorOf<Form> | null) => Promise<CursorOf<Form> | null>
}

/** A page of a list, and the token of the next one, empty at the end. */
export async function pageOf<Row, const Form extends readonly CursorPart[]>(
  request: PageRequest,
  { name, filters = [], form, read, cursorOf, lookedTo }: List<Row, Form>,
): Promise<{ readonly rows: readonly Row[]; readonly nextPageToken: string }> {
  const page = readPage(request, name, { filters, form })
  const after = page.after as CursorOf<Form> | null
  // One row more shows that a page follows.
  const found = await read({ after, limit: page.size + 1 })
  const rows = found.slice(0, page.size)
  const last = found.length > page.size ? cursorOf(rows.at(-1)!) : ((await lookedTo?.(after)) ?? null)
  return { rows, nextPageToken: last === null ? '' : pageToken(name, filters, last) }
}

function cursorFromToken(token: string, binding: string): Cursor | null {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    return Array.isArray(parts) && parts[0] === binding ? parts.slice(1) : null
  } catch {
    return null
  }
}

function bindingOf(list: string, filters: readonly unknown[]): string {
  const text = JSON.stringify([list, ...filters], (_, value) => (typeof value === 'bigint' ? String(value) : value))
  return createHash('sha256').update(text).digest('base64url').slice(0, bindingCharacters)
}

const bindingCharacters = 12

const int32Max = 2 ** 31 - 1

function fits(part: unknown, form: CursorPart): boolean {
  switch (form) {
    case 'string':
      return typeof part === 'string' && !part.includes('\0')
    case 'uuid':
      return typeof part === 'string' && uuidForm.test(part)
    case 'number':
      return Number.isSafeInteger(part) && (part as number) >= 0
    case 'int32':
      return fits(part, 'number') && (part as number) <= int32Max
  }
}
