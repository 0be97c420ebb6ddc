import { randomUUID } from 'node:crypto'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { type Client, createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { type InternalOptions, onInternal, violationsOf, withInternal } from './internal.js'
import { exits, print, printError, printStatus, WrongUse } from './screen.js'
import { amountFrom, momentFrom, readText, uuidOf } from './words.js'

const batchMax = 1_000

interface WorthOptions extends InternalOptions {
  readonly currency: string
  readonly amount: bigint
  readonly expires?: Timestamp
}

function withWorth(command: Command): Command {
  return withInternal(command)
    .requiredOption('--currency <id>', 'as in the programme')
    .requiredOption('--amount <n>', 'what each gives, in the smallest unit, 1 or more', amountFrom)
    .option('--expires <time>', 'when it expires, such as 2027-01-01T00:00:00Z. Default: never', momentFrom)
}

function worthOf({ currency, amount, expires }: WorthOptions) {
  return { currencyId: currency, amount, ...(expires && { expiresAt: expires }) }
}

export function addImportCodes(program: Command): void {
  const command = program
    .command('codes <file>')
    .summary('import codes that members may claim')
    .description(`Imports the codes of a text file, one a line, in batches of at most ${batchMax}, each whole or not at all. A code is imported once, for ever.
After an interruption, run the same command again within 7 days: batches that are imported are passed over.

Exit code 0: all codes are imported; 1: a line was refused; the batches before it are imported.`)
  withWorth(command).action(
    exits(async (file: string, options: WorthOptions) => {
      const codes = readText(file)
        .split(/\r?\n/)
        .flatMap((code, at) => (code === '' ? [] : [{ code, line: at + 1 }]))
      if (codes.length === 0) throw new WrongUse(`${file}: expected one code a line`)
      return await onInternal(options, (transport) =>
        importCodes(createClient(RewardService, transport), codes, worthOf(options)),
      )
    }),
  )
}

async function importCodes(
  rewards: Client<typeof RewardService>,
  codes: readonly { readonly code: string; readonly line: number }[],
  worth: ReturnType<typeof worthOf>,
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

interface IssueOptions extends WorthOptions {
  readonly segment: string
  readonly batch: string
  readonly reason?: string
}

export function addIssue(program: Command): void {
  const command = program
    .command('issue')
    .summary('give a voucher to each member of a segment')
    .description(`Gives an amount of a currency to each member of a segment, ${batchMax} at a time. A member gets a batch once, for ever: after an
interruption, run the same command again; a later run reaches those who joined since. To single members: lps call RewardService/IssueVouchers.

  lps issue --segment students --batch autumn-2026 --currency free-coffee --amount 1 --expires 2027-01-01T00:00:00+01:00`)
    .requiredOption('--segment <id>', 'every member of this segment')
    .requiredOption('--batch <name>', 'the name of this issue, at most 64 characters: another one gives again')
    .option('--reason <text>', 'for the audit record: at most 128 characters')
  withWorth(command).action(
    exits(async ({ segment, batch, reason = '', ...options }: IssueOptions) => {
      const worth = worthOf(options)
      return await onInternal(options, async (transport) => {
        const rewards = createClient(RewardService, transport)
        let [count, afterMemberId] = [0, '']
        do {
          const request = { ...worth, reason, segment, afterMemberId, grant: batch }
          const page = await rewards.issueVouchers({ ...request, requestId: randomUUID() })
          count += page.members
          afterMemberId = page.nextAfterMemberId
          printStatus(`${count} members`)
        } while (afterMemberId !== '')
        printStatus('')
        print(`${worth.amount} ${worth.currencyId} issued to ${count} ${count === 1 ? 'member' : 'members'}`)
        return 0
      })
    }),
  )
}
