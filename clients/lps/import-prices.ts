import { randomUUID } from 'node:crypto'
import { createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import {
  type PriceChange,
  type ReadPriceListResponse,
  VenueService,
} from '../../gateway/gen/loyalty/v1/venue_service_pb.js'
import { type InternalOptions, onInternal, withInternal } from './internal.js'
import { exits, printError, printTable, WrongUse } from './screen.js'
import { moneyText, readBytes, sizeOf } from './words.js'

const fileBytesMax = 4_000_000

interface ImportOptions extends InternalOptions {
  readonly venue: string
  readonly dryRun?: boolean
}

export function addImportPrices(program: Command): void {
  const command = program
    .command('prices <file>')
    .summary('store the price list of a CSV file at a venue')
    .description(`Stores a price list as a spreadsheet saves it: UTF-8, or UTF-16 with its mark; commas, semicolons or tabs; decimal points or commas. It
takes the place of the whole list of the venue, whose other fields stay. A file with a fault changes nothing.

  productId;name;price;productGroupId;ean;noDiscount
  cappuccino;Cappuccino;52,00;hot-drinks;;

Only productId, name and price are needed; also productMasterId and noPercentageDiscount. A price is in the venue's currency.

Exit code 0: it is stored, or would change so; 1: the file has faults, each with row, column, what is expected and what came.`)
    .requiredOption('--venue <id>', 'the venue')
    .option('--dry-run', 'only say what would change')
  withInternal(command).action(
    exits(async (file: string, { venue: venueId, dryRun, ...place }: ImportOptions) => {
      if (sizeOf(file) > fileBytesMax) throw new WrongUse(`${file}: expected at most ${fileBytesMax} bytes`)
      return await onInternal(place, async (transport) => {
        const venues = createClient(VenueService, transport)
        const read = await venues.readPriceList({ venueId, csv: readBytes(file) })
        const { venue, added, changed, removed, unchanged } = read
        if (venue === undefined) return explainFaults(read)
        showChanges(read, venue.currency)
        printError(`${added} new, ${changed} changed, ${removed} removed, ${unchanged} as they were`)
        if (!dryRun && added + changed + removed > 0) await venues.upsertVenue({ requestId: randomUUID(), venue })
        return 0
      })
    }),
  )
}

function explainFaults({ faults, moreFaults }: ReadPriceListResponse): number {
  for (const { row, column, expected, received } of faults)
    printError(`row ${row}${column === '' ? '' : `, ${column}`}: expected ${expected}; received ${received}`)
  if (moreFaults > 0) printError(`and ${moreFaults} more`)
  printError('nothing is stored')
  return 1
}

function showChanges({ changes }: ReadPriceListResponse, currency: string): void {
  const price = (product: PriceChange['before']) =>
    product === undefined ? '' : moneyText(product.unitPrice, currency)
  const rows = changes.map(({ productId, before, after }) => [
    productId,
    (after ?? before)!.name,
    before === undefined ? 'new' : after === undefined ? 'removed' : 'changed',
    price(before),
    price(after),
  ])
  printTable(['product', 'name', '', 'before>', 'after>'], rows)
}
