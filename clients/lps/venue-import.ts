import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import {
  type PriceChange,
  type ReadPriceListResponse,
  VenueService,
} from '../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { onlyWord, sizeOf } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { moneyText } from './money.js'
import { tableLines } from './table.js'

/** Bytes of a file, the service's own limit. */
const fileBytesMax = 4_000_000

export const venueImport: Command = {
  name: 'venue import',
  summary: 'store the price list of a CSV file at a venue',
  help: `lps venue import FILE --venue ID

Stores a price list as a spreadsheet saves it: UTF-8, or UTF-16 with its mark; commas, semicolons or tabs; decimal points or commas. It
takes the place of the whole list of the venue, whose other fields stay. A file with a fault changes nothing.

  productId;name;price;productGroupId;ean;noDiscount
  cappuccino;Cappuccino;52,00;hot-drinks;;

  Only productId, name and price are needed; also productMasterId and noPercentageDiscount. A price is in the venue's currency.

  --venue ID          the venue
  --dry-run           only say what would change
${internalHelp}

Exit code 0: it is stored, or would change so; 1: the file has faults, each with row, column, what is expected and what came.`,
  async run(words, screen) {
    const options = { ...internalOptions, venue: { type: 'string' }, 'dry-run': { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const file = onlyWord(positionals, 'one CSV file')
    const { venue: venueId } = values
    if (venueId === undefined) throw new WrongUse('--venue: expected the id of a venue')
    if (sizeOf(file) > fileBytesMax) throw new WrongUse(`${file}: expected at most ${fileBytesMax} bytes`)
    const { url, transport } = findInternal(values, values['dry-run'] ? 'reader' : 'admin')
    const venues = createClient(VenueService, transport)
    return await orExplained(url, screen, async () => {
      const read = await venues.readPriceList({ venueId, csv: readFileSync(file) })
      if (read.venue === undefined) return explainFaults(screen, read)
      const { venue } = read
      for (const line of changeLines(read, venue.currency)) screen.print(line)
      const { added, changed, removed, unchanged } = read
      screen.tell(`${added} new, ${changed} changed, ${removed} removed, ${unchanged} as they were`)
      if (values['dry-run'] || added + changed + removed === 0) return 0
      const request = { requestId: randomUUID(), venue }
      await untilReached(() => venues.upsertVenue(request))
      return 0
    })
  },
}

function explainFaults({ tell }: Screen, { faults, moreFaults }: ReadPriceListResponse): number {
  for (const { row, column, expected, received } of faults)
    tell(`row ${row}${column === '' ? '' : `, ${column}`}: expected ${expected}; received ${received}`)
  if (moreFaults > 0) tell(`and ${moreFaults} more`)
  tell('nothing is stored')
  return 1
}

function changeLines({ changes }: ReadPriceListResponse, currency: string): readonly string[] {
  const price = (product: PriceChange['before']) =>
    product === undefined ? '' : moneyText(product.unitPrice, currency)
  const rows = changes.map(({ productId, before, after }) => [
    productId,
    (after ?? before)!.name,
    before === undefined ? 'new' : after === undefined ? 'removed' : 'changed',
    price(before),
    price(after),
  ])
  return tableLines(['product', 'name', '', 'before>', 'after>'], rows)
}
