import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import { RewardSchema, RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import type { Command } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { tableLines } from './table.js'
import { memberFrom, memberHelp, memberOptions, required } from './value-words.js'

export const rewardList: Command = {
  name: 'reward list',
  summary: 'what a member can spend value on at a venue',
  help: `lps reward list (--member ID | --card ID) --venue ID

Lists the benefits that cost something and are valid now for a member at a venue: what one payment costs, how often it can be paid of what
is available, and what is missing. Amounts are in the smallest unit of their currency.

${memberHelp}
  --venue ID          the venue
  --json              one benefit a line, as JSON
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const request = { member: memberFrom(values), venueId: required('venue', values.venue) }
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const { rewards } = await createClient(RewardService, transport).listRewards(request)
      const rows = rewards.map(({ benefitId, text, currencyId, amount, per, times, missing }) => [
        ...[benefitId, text, currencyId, String(amount), per, String(times), String(missing)],
      ])
      if (values.json) for (const reward of rewards) screen.print(JSON.stringify(toJson(RewardSchema, reward)))
      else for (const line of tableLines(headings, rows)) screen.print(line)
      if (rewards.length === 0) screen.tell('nothing costs anything here')
      return 0
    })
  },
}

const headings = ['benefit', 'text', 'currency', 'costs>', 'per', 'times>', 'missing>']

const options = {
  ...internalOptions,
  ...memberOptions,
  venue: { type: 'string' },
  json: { type: 'boolean' },
} as const
