import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import { DiscrepancySchema, SaleStatusSchema } from '../../gateway/gen/loyalty/v1/enums_pb.js'
import { type Sale, SaleSchema, SaleService } from '../../gateway/gen/loyalty/v1/sale_service_pb.js'
import { enumFromWord, wordFromEnum } from '../../gateway/rpc/messages/words.js'
import { type Command, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { moneyText } from './money.js'
import { momentHelp, rangeFrom } from './since.js'
import { tableLines } from './table.js'

const pageSize = 500
const kinds = DiscrepancySchema.values
  .filter(({ number }) => number !== 0)
  .map(({ localName }) => localName.toLowerCase())

export const discrepancies: Command = {
  name: 'discrepancies',
  summary: 'sales that disagree with their calculation',
  help: `lps discrepancies

Lists recorded sales that disagree with their calculation, newest first: the amount paid, and every kind of discrepancy.
lps explain GUID shows the calculation.

  lps discrepancies --since 7d --venue oslo-cafe

  --since WHEN        ${momentHelp}. Default: 1d
  --until WHEN        the same. Default: now
  --venue ID          only this venue
  --kind WORD         only ${kinds.join(', ')}
  --json              one sale a line, as JSON
${internalHelp}

Exit code 0: there are none; 1: there are.`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const { kind, venue: venueId = '' } = values
    if (kind !== undefined && !kinds.includes(kind))
      throw new WrongUse(`--kind: expected one of ${kinds.join(', ')}, received ${kind}`)
    const range = rangeFrom(values, Date.now())
    const discrepancy = enumFromWord(DiscrepancySchema, kind)
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(SaleService, transport)
    return await orExplained(url, screen, async () => {
      const sales: Sale[] = []
      let pageToken = ''
      do {
        const page = await client.listDiscrepancies({ venueId, discrepancy, ...range, pageSize, pageToken })
        sales.push(...page.sales)
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      if (values.json) for (const sale of sales) screen.print(JSON.stringify(toJson(SaleSchema, sale)))
      else for (const line of tableLines(headings, sales.map(rowOf))) screen.print(line)
      screen.tell(sales.length === 1 ? '1 sale disagrees' : `${sales.length} sales disagree`)
      return sales.length === 0 ? 0 : 1
    })
  },
}

const options = {
  ...internalOptions,
  since: { type: 'string', default: '1d' },
  until: { type: 'string' },
  venue: { type: 'string' },
  kind: { type: 'string' },
  json: { type: 'boolean' },
} as const

const headings = ['recorded', 'calculation', 'venue', 'register', 'status', 'paid>', 'disagrees in']

function rowOf(sale: Sale): readonly string[] {
  return [
    timestampDate(sale.recordedAt!).toISOString(),
    sale.calculationId,
    sale.venueId,
    sale.cashRegisterId,
    wordFromEnum(SaleStatusSchema, sale.status) ?? '',
    sale.paidTotal === undefined ? '' : moneyText(sale.paidTotal, sale.currency),
    sale.discrepancies.map((each) => wordFromEnum(DiscrepancySchema, each)).join(', '),
  ]
}
