import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import {
  CalculationService,
  type CalculationSummary,
  CalculationSummarySchema,
} from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStateSchema, CalculationStatusSchema } from '../../gateway/gen/loyalty/v1/enums_pb.js'
import { enumFromWord, wordFromEnum } from '../../gateway/rpc/messages/words.js'
import { type Command, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { moneyText } from './money.js'
import { momentHelp, rangeFrom } from './since.js'
import { tableLines } from './table.js'

const pageSize = 500
const statuses = CalculationStatusSchema.values.slice(1).map(({ localName }) => localName.toLowerCase())

export const list: Command = {
  name: 'list',
  summary: 'calculations by receipt, register, member, benefit or time',
  help: `lps list

Lists calculations, newest first; every filter that is given must hold. lps explain GUID shows one.

  lps list --receipt 20417 --venue oslo-cafe
  lps list --card 4711 --since 7d

  --receipt N         of a sale with this receipt number
  --transaction ID    of the sale with this transaction id
  --venue ID          only of this venue
  --register ID       only of this register
  --card ID           only of this loyalty id
  --member ID         only of this member
  --benefit ID        only where this benefit applies
  --status WORD       only ${statuses.join(', ')}
  --since WHEN        ${momentHelp}. Default: 1d; with --receipt or --transaction 365d
  --until WHEN        the same. Default: now
  --max N             at most so many. Default: 100
  --json              one calculation a line, as JSON
${internalHelp}

Exit code 0: there are some; 1: there is none.`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const filter = filterFrom(values)
    const max = countFrom('--max', values.max)
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(CalculationService, transport)
    return await orExplained(url, screen, async () => {
      const found: CalculationSummary[] = []
      let pageToken = ''
      do {
        const page = await client.listCalculations({ ...filter, pageSize, pageToken })
        found.push(...page.calculations)
        pageToken = page.nextPageToken
      } while (pageToken !== '' && found.length < max)
      const shown = found.slice(0, max)
      if (values.json) for (const each of shown) screen.print(JSON.stringify(toJson(CalculationSummarySchema, each)))
      else for (const line of tableLines(headings, shown.map(rowOf))) screen.print(line)
      if (pageToken !== '' || found.length > max) screen.tell(`the newest ${shown.length}; --max shows more`)
      return shown.length === 0 ? 1 : 0
    })
  },
}

const options = {
  ...internalOptions,
  receipt: { type: 'string' },
  transaction: { type: 'string' },
  venue: { type: 'string' },
  register: { type: 'string' },
  card: { type: 'string' },
  member: { type: 'string' },
  benefit: { type: 'string' },
  status: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  max: { type: 'string', default: '100' },
  json: { type: 'boolean' },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

function filterFrom(values: Values) {
  const { receipt, transaction = '', status, until } = values
  if (status !== undefined && !statuses.includes(status))
    throw new WrongUse(`--status: expected one of ${statuses.join(', ')}, received ${status}`)
  if (receipt !== undefined && !/^\d{1,16}$/.test(receipt))
    throw new WrongUse(`--receipt: expected a number, received ${receipt}`)
  const since = values.since ?? (receipt === undefined && transaction === '' ? '1d' : '365d')
  return {
    ...rangeFrom({ since, until }, Date.now()),
    ...(receipt === undefined ? {} : { receiptNumber: BigInt(receipt) }),
    transactionId: transaction,
    venueId: values.venue ?? '',
    cashRegisterId: values.register ?? '',
    loyaltyId: values.card ?? '',
    memberId: values.member ?? '',
    benefitId: values.benefit ?? '',
    status: enumFromWord(CalculationStatusSchema, status),
  }
}

/** A number of rows, 1 or more; throws WrongUse else. */
export function countFrom(option: string, word: string): number {
  const count = Number(word)
  if (!(Number.isSafeInteger(count) && count >= 1))
    throw new WrongUse(`${option}: expected a number from 1 on, received ${word}`)
  return count
}

const headings = ['answered', 'calculation', 'venue', 'register', 'status', 'state', 'before>', 'after>', 'benefits']

function rowOf(calculation: CalculationSummary): readonly string[] {
  const { currency } = calculation
  return [
    timestampDate(calculation.answeredAt!).toISOString(),
    calculation.calculationId,
    calculation.venueId,
    calculation.cashRegisterId,
    wordFromEnum(CalculationStatusSchema, calculation.status) ?? '',
    wordFromEnum(CalculationStateSchema, calculation.state) ?? '',
    moneyText(calculation.netBefore, currency),
    moneyText(calculation.netAfter, currency),
    calculation.benefits.map(({ benefitId }) => benefitId).join(', '),
  ]
}
