import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { MemberService, type MergeMembersResponse } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { untilReached } from './attempts.js'
import type { Command, Screen } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { tableLines } from './table.js'
import { memberFrom, momentText } from './value-words.js'

export const memberMerge: Command = {
  name: 'member merge',
  summary: 'merge a member into another: enrolled twice, or a new card',
  help: `lps member merge (--from ID | --from-card ID) (--into ID | --into-card ID) [--dry-run] [--reason TEXT]

Moves everything that a member has to another: value with its dates, what earning rules counted, uses of limits, visits, calculations and
loyalty ids. Debts add up and are paid at once from what is free, and what both together complete is given. The other member keeps its own
tier, segments and block, and the tier that it was given; without one it gets that of the first, which is no member any more. It cannot be
undone: look first with --dry-run.

  --from ID           the member that goes, or
  --from-card ID      whoever has this loyalty id
  --into ID           the member that stays, or
  --into-card ID      whoever has this loyalty id
  --dry-run           show what would move, change nothing
  --reason TEXT       for the audit record: at most 128 characters
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const dryRun = values['dry-run'] ?? false
    const request = {
      requestId: randomUUID(),
      from: memberFrom({ member: values.from, card: values['from-card'] }, ['--from', '--from-card']),
      into: memberFrom({ member: values.into, card: values['into-card'] }, ['--into', '--into-card']),
      dryRun,
      reason: values.reason ?? '',
    }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(MemberService, transport)
    return await orExplained(url, screen, async () => {
      print(await untilReached(() => client.mergeMembers(request)), dryRun, screen)
      return 0
    })
  },
}

function print(reply: MergeMembersResponse, isDryRun: boolean, screen: Screen): void {
  const { accounts, calculations, loyaltyIds, counters, visits, givenTier } = reply
  const rows = accounts.map(({ currencyId, amount, debt, paid, completed }) => [
    currencyId,
    ...[amount, debt, paid, completed].map(String),
  ])
  if (rows.length > 0) for (const line of tableLines(headings, rows)) screen.print(line)
  const counts = `${loyaltyIds} loyalty ids, ${calculations} calculations, ${counters} counters of limits, ${visits} visits`
  const tier = givenTier === undefined ? '' : `, tier ${givenTier.tier} until ${momentText(givenTier.until)}`
  screen.print(`${isDryRun ? 'would move' : 'moved'}: ${counts}${tier}`)
}

const headings = ['currency', 'amount>', 'debt>', 'paid>', 'completed>']

const options = {
  ...internalOptions,
  from: { type: 'string' },
  'from-card': { type: 'string' },
  into: { type: 'string' },
  'into-card': { type: 'string' },
  'dry-run': { type: 'boolean' },
  reason: { type: 'string' },
} as const
