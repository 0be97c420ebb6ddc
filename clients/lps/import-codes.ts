import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { type Client, createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { type InternalOptions, onInternal, violationsOf, withInternal } from './internal.js'
import { exits, print, printError, WrongUse } from './screen.js'
import { amountFrom, momentFrom, readText, uuidOf } from './words.js'

const batchMax = 1_000

interface CodesOptions extends InternalOptions {
  readonly currency: string
  readonly amount: bigint
  readonly expires?: Timestamp
}

export function addImportCodes(program: Command): void {
  const command = program
    .command('codes <file>')
    .summary('import codes that members may claim')
    .description(`Imports the codes of a text file, one a line, in batches of at most ${batchMax}, each whole or not at all. A code is imported once, for ever.
After an interruption, run the same command again within 7 days: batches that are imported are passed over.

Exit code 0: all codes are imported; 1: a line was refused; the batches before it are imported.`)
    .requiredOption('--currency <id>', 'as in the programme')
    .requiredOption('--amount <n>', 'what each gives, in the smallest unit, 1 or more', amountFrom)
    .option('--expires <time>', 'when it expires, such as 2027-01-01T00:00:00Z. Default: never', momentFrom)
  withInternal(command).action(
    exits(async (file: string, { currency, amount, expires, ...place }: CodesOptions) => {
      const codes = readText(file)
        .split(/\r?\n/)
        .flatMap((code, at) => (code === '' ? [] : [{ code, line: at + 1 }]))
      if (codes.length === 0) throw new WrongUse(`${file}: expected one code a line`)
      const worth = { currencyId: currency, amount, ...(expires && { expiresAt: expires }) }
      return await onInternal(place, (transport) => importCodes(createClient(RewardService, transport), codes, worth))
    }),
  )
}

async function importCodes(
  rewards: Client<typeof RewardService>,
  codes: readonly { readonly code: string; readonly line: number }[],
  worth: { readonly currencyId: string; readonly amount: bigint; readonly expiresAt?: Timestamp },
): Promise<number> {
  for (let at = 0; at < codes.length; at += batchMax) {
    const batch = codes.slice(at, at + batchMax)
    const request = { ...worth, codes: batch.map(({ code }) => code) }
    try {
      await rewards.importCodes({ ...request, requestId: uuidOf(request) })
    } catch (error) {
      const { field, description } = violationsOf(error)[0] ?? { field: '', description: '' }
      const line = batch[Number(/^codes\[(\d+)\]$/.exec(field)?.[1])]?.line
      printError(`${at} codes are imported, none from line ${batch[0]!.line} on`)
      if (line === undefined) throw error
      printError(`line ${line}: ${description}`)
      return 1
    }
  }
  print(`${codes.length} codes are imported`)
  return 0
}
