import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { timestampFromMs } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import {
  QuoteReturnResponseSchema,
  type RecordReturnResponse,
  RecordReturnResponseSchema,
  ReturnService,
} from '../../gateway/gen/loyalty/v1/return_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { movedText, returnedLineFrom } from './return-words.js'
import { uuidOfText } from './uuid-of-text.js'
import { momentFrom, required } from './value-words.js'

export const returnQuote: Command = {
  name: 'return quote',
  summary: 'what a return would refund, take back and give back',
  help: `lps return quote CALCULATION LINE=QUANTITY...

Shows what a return of these lines would do now, and changes nothing. Lines are those of lps return ladder.

  --json              as JSON
${internalHelp}`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: quoteOptions, allowPositionals: true })
    const asked = askedFrom(positionals)
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const quote = await createClient(ReturnService, transport).quoteReturn(asked)
      if (values.json) screen.print(JSON.stringify(toJson(QuoteReturnResponseSchema, quote)))
      else printReturn(quote, screen)
      return 0
    })
  },
}

export const returnRecord: Command = {
  name: 'return record',
  summary: 'record a return and move its value',
  help: `lps return record CALCULATION LINE=QUANTITY... --reference TEXT

Records a return. Run again with the same reference and lines, it changes nothing and shows the same.

  lps return record 0f8fad5b-d9cb-469f-a165-70867728950e line-1=2 --reference credit-note-17

  --reference TEXT    your own name of the return, once per calculation
  --at TIME           when it was returned. Default: now
  --reason TEXT       for the audit record: at most 128 characters
  --json              as JSON
${internalHelp}`,
  async run(words, screen) {
    const text = { type: 'string' } as const
    const options = { ...quoteOptions, reference: text, at: text, reason: text } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const reference = required('reference', values.reference)
    const occurredAt = momentFrom('at', values.at) ?? timestampFromMs(Date.now())
    const asked = { ...askedFrom(positionals), reference, occurredAt, reason: values.reason ?? '' }
    const key = JSON.stringify(['return', ...positionals, reference, String(occurredAt.seconds), occurredAt.nanos])
    const request = { ...asked, requestId: uuidOfText(key) }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(ReturnService, transport)
    return await orExplained(url, screen, async () => {
      const made = await untilReached(() => client.recordReturn(request))
      if (values.json) screen.print(JSON.stringify(toJson(RecordReturnResponseSchema, made)))
      else printReturn(made, screen)
      return 0
    })
  },
}

const quoteOptions = { ...internalOptions, json: { type: 'boolean' } } as const

function askedFrom([calculationId, ...lines]: readonly string[]) {
  if (calculationId === undefined || lines.length === 0)
    throw new WrongUse('expected a calculation and one LINE=QUANTITY or more')
  return { calculationId, lines: lines.map(returnedLineFrom) }
}

type Moved = Pick<RecordReturnResponse, 'refund' | 'keptBasketRefund' | 'takenBack' | 'givenBack'>

function printReturn({ refund, keptBasketRefund, takenBack, givenBack }: Moved, { print }: Screen): void {
  print(`refund ${refund}`)
  if (keptBasketRefund !== undefined) print(`if what is kept were priced anew ${keptBasketRefund}`)
  for (const each of givenBack) print(`given back ${movedText(each)}`)
  for (const each of takenBack) print(`taken back ${movedText(each)}`)
}
