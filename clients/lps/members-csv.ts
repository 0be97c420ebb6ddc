import { type CsvRow, FaultyLine, readCsv } from './csv.js'

/** A row of an import, and the line of the file on which it begins. */
export interface MemberRow {
  readonly line: number
  /** Columns of the file, as `update_mask` names them. */
  readonly mask: readonly string[]
  readonly member: {
    readonly memberId: string
    readonly loyaltyIds: string[]
    readonly segments: string[]
    readonly tier?: string
    readonly blocked?: boolean
    readonly birthday?: string
    readonly joinedOn?: string
  }
}

/** Every column that a file may have, by the name of its field in `update_mask`. */
const pathOfColumn = {
  loyaltyIds: 'loyalty_ids',
  tier: 'tier',
  segments: 'segments',
  blocked: 'blocked',
  birthday: 'birthday',
  joinedOn: 'joined_on',
} as const
const fields = Object.keys(pathOfColumn) as (keyof typeof pathOfColumn)[]
const columns = ['memberId', ...fields] as const
const required = ['memberId'] as const

/**
 * Reads the members of a CSV file one by one (`readCsv`).
 *
 * @param onBytes  receives how many bytes of it are read
 */
export async function* readMembers(file: string, onBytes: (bytes: number) => void): AsyncGenerator<MemberRow> {
  for await (const row of readCsv(file, { columns, required }, onBytes)) yield memberOf(row)
}

function memberOf({ line, has, cell }: CsvRow<(typeof columns)[number]>): MemberRow {
  const list = (column: 'loyaltyIds' | 'segments') =>
    cell(column)
      .split(';')
      .filter((each) => each !== '')
  const [tier, birthday, joinedOn] = [cell('tier'), cell('birthday'), cell('joinedOn')]
  const blocked = cell('blocked')
  if (!['', 'true', 'false'].includes(blocked))
    throw new FaultyLine(line, `blocked: expected true, false or nothing, received ${blocked}`)
  return {
    line,
    mask: fields.filter(has).map((column) => pathOfColumn[column]),
    member: {
      memberId: cell('memberId'),
      loyaltyIds: list('loyaltyIds'),
      segments: list('segments'),
      ...(tier === '' ? {} : { tier }),
      ...(blocked === '' ? {} : { blocked: blocked === 'true' }),
      ...(birthday === '' ? {} : { birthday }),
      ...(joinedOn === '' ? {} : { joinedOn }),
    },
  }
}
