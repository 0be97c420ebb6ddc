import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import {
  GetLadderResponseSchema,
  type LadderLine,
  type Return,
  ReturnSchema,
  ReturnService,
} from '../../gateway/gen/loyalty/v1/return_service_pb.js'
import type { Command } from './command.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { movedText, quantityText } from './return-words.js'
import { tableLines } from './table.js'
import { dated, momentFrom, momentText } from './value-words.js'

const pageSize = 500

export const returnLadder: Command = {
  name: 'return ladder',
  summary: 'what was paid for each line of a sale, and what was returned',
  help: `lps return ladder CALCULATION

Shows the lines of the basket that was charged, split and added ones included: what was bought, what was paid for it, and how much of
both came back. Amounts are in minor units.

  --json              as JSON
${internalHelp}`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: readOptions, allowPositionals: true })
    const calculationId = onlyWord(positionals, 'one calculation')
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const ladder = await createClient(ReturnService, transport).getLadder({ calculationId })
      if (values.json) screen.print(JSON.stringify(toJson(GetLadderResponseSchema, ladder)))
      else for (const line of tableLines(ladderHeadings, ladder.lines.map(ladderCells))) screen.print(line)
      return 0
    })
  },
}

export const returnList: Command = {
  name: 'return list',
  summary: 'recorded returns, newest first',
  help: `lps return list [CALCULATION]

Lists recorded returns, of one sale or of all. Amounts are in minor units, value in the smallest unit of its currency.

  --from TIME         recorded at or after
  --until TIME        recorded before
  --json              one return a line, as JSON
${internalHelp}`,
  async run(words, screen) {
    const options = { ...readOptions, from: { type: 'string' }, until: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const filter = {
      calculationId: positionals.length === 0 ? '' : onlyWord(positionals, 'one calculation'),
      ...dated('from', momentFrom('from', values.from)),
      ...dated('until', momentFrom('until', values.until)),
    }
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(ReturnService, transport)
    return await orExplained(url, screen, async () => {
      const returns: Return[] = []
      let pageToken = ''
      do {
        const page = await client.listReturns({ ...filter, pageSize, pageToken })
        returns.push(...page.returns)
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      if (values.json) for (const each of returns) screen.print(JSON.stringify(toJson(ReturnSchema, each)))
      else for (const line of tableLines(returnHeadings, returns.map(returnCells))) screen.print(line)
      if (returns.length === 0) screen.tell('nothing was returned')
      return 0
    })
  },
}

const readOptions = { ...internalOptions, json: { type: 'boolean' } } as const

const ladderHeadings = ['line', 'bought>', 'returned>', 'paid>', 'refunded>']

function ladderCells(line: LadderLine): readonly string[] {
  const { lineId, quantityThousandths, returnedThousandths, net, refunded } = line
  return [lineId, quantityText(quantityThousandths), quantityText(returnedThousandths), String(net), String(refunded)]
}

const returnHeadings = ['recorded', 'calculation', 'reference', 'lines', 'refund>', 'taken back', 'given back', 'by']

function returnCells(made: Return): readonly string[] {
  const { recordedAt, calculationId, reference, lines, refund, takenBack, givenBack, actor } = made
  const returned = lines.map((line) => `${quantityText(line.quantityThousandths)} of ${line.lineId}`).join(', ')
  return [
    ...[momentText(recordedAt), calculationId, reference, returned, String(refund)],
    ...[takenBack.map(movedText).join(', '), givenBack.map(movedText).join(', '), actor],
  ]
}
