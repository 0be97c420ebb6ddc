import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { momentFromText } from '../../engine/wire/moment.js'
import { type CsvRow, FaultyLine, readCsv } from './csv.js'
import type { MemberName } from './value-words.js'

/** A row of an import, and the line of the file on which it begins. */
export interface BalanceRow {
  readonly line: number
  readonly member: MemberName
  readonly currencyId: string
  readonly amount: bigint
  readonly opensAt?: Timestamp
  readonly expiresAt?: Timestamp
  readonly reference: string
}

const columns = ['memberId', 'loyaltyId', 'currencyId', 'amount', 'opensAt', 'expiresAt', 'reference'] as const
const required = ['currencyId', 'amount', 'reference'] as const
type Column = (typeof columns)[number]

/**
 * Reads the balances of a CSV file one by one (`readCsv`). Throws FaultyLine on the first row that cannot be one.
 *
 * @param onBytes  receives how many bytes of it are read
 */
export async function* readBalances(file: string, onBytes: (bytes: number) => void): AsyncGenerator<BalanceRow> {
  for await (const row of readCsv<Column>(file, { columns, required }, onBytes)) yield balanceOf(row)
}

function balanceOf({ line, cell }: CsvRow<Column>): BalanceRow {
  const [memberId, loyaltyId, amount] = [cell('memberId'), cell('loyaltyId'), cell('amount')]
  if ((memberId === '') === (loyaltyId === '')) throw new FaultyLine(line, 'expected either a memberId or a loyaltyId')
  if (!/^\d{1,16}$/.test(amount)) throw new FaultyLine(line, `amount: expected a whole number, received ${amount}`)
  const by = memberId === '' ? 'loyaltyId' : 'memberId'
  const [opensAt, expiresAt] = [momentOf(line, 'opensAt', cell), momentOf(line, 'expiresAt', cell)]
  return {
    line,
    member: { by: { case: by, value: cell(by) } },
    currencyId: cell('currencyId'),
    amount: BigInt(amount),
    ...(opensAt === null ? {} : { opensAt }),
    ...(expiresAt === null ? {} : { expiresAt }),
    reference: cell('reference'),
  }
}

function momentOf(line: number, column: Column, cell: (column: Column) => string): Timestamp | null {
  const text = cell(column)
  if (text === '') return null
  const at = momentFromText(text)
  if (at === null)
    throw new FaultyLine(line, `${column}: expected a time such as 2027-01-01T00:00:00Z, received ${text}`)
  return timestampFromMs(at)
}
