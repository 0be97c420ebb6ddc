import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { untilReached } from './attempts.js'
import type { Command } from './command.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { memberFrom, memberHelp, memberOptions } from './value-words.js'

export const memberClaim: Command = {
  name: 'member claim',
  summary: 'give a member what a sale without a member earns',
  help: `lps member claim CALCULATION (--member ID | --card ID) [--dry-run] [--reason TEXT]

Gives a member what a sale earns by which nobody has earned, once: a sale at which no member was found, or what is left of one that
failed before its calculation came. Find these with lps discrepancies --kind earning_unknown. It counts as if it were earned when the
sale was recorded; nothing is spent.

${memberHelp}
  --dry-run           show what it would give, change nothing
  --reason TEXT       for the audit record: at most 128 characters
${internalHelp}`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const calculationId = onlyWord(positionals, 'one calculation')
    const dryRun = values['dry-run'] ?? false
    const request = {
      requestId: randomUUID(),
      member: memberFrom(values),
      calculationId,
      dryRun,
      reason: values.reason ?? '',
    }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(MemberService, transport)
    return await orExplained(url, screen, async () => {
      const { given } = await untilReached(() => client.claimSale(request))
      for (const { currencyId, amount } of given)
        screen.print(`${amount} ${currencyId} ${dryRun ? 'would be given' : 'given'}`)
      if (given.length === 0) screen.print(dryRun ? 'it would give nothing' : 'claimed; it gives nothing')
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  ...memberOptions,
  'dry-run': { type: 'boolean' },
  reason: { type: 'string' },
} as const
