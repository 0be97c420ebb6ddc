import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { uuidOfText } from './uuid-of-text.js'
import { amountFrom, dated, memberFrom, memberHelp, memberOptions, momentFrom, required } from './value-words.js'

export const rewardIssue: Command = {
  name: 'reward issue',
  summary: 'give vouchers to a member, or to a segment',
  help: `lps reward issue (--member ID | --card ID | --segment ID --batch NAME) --currency ID --amount N

Gives an amount of a currency to a member, or to each member of a segment, 1000 at a time. Of a segment, a batch is named: after an
interruption, run the same command again within 7 days, and nobody gets it twice.

  lps reward issue --segment students --batch autumn-2026 --currency free-coffee --amount 1 --expires 2027-01-01T00:00:00+01:00

${memberHelp}
  --segment ID        every member of this segment
  --batch NAME        with --segment: another one gives again
  --currency ID       as in the programme
  --amount N          for each member, in the smallest unit, 1 or more
  --expires TIME      when it expires. Default: never
  --reason TEXT       for the audit record: at most 128 characters
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const { segment, batch } = values
    if (segment !== undefined && (values.member ?? values.card) !== undefined)
      throw new WrongUse('expected one of --member, --card and --segment')
    const worth = {
      reason: values.reason ?? '',
      currencyId: required('currency', values.currency),
      amount: amountFrom('amount', required('amount', values.amount)),
      ...dated('expiresAt', momentFrom('expires', values.expires)),
    }
    const named = segment === undefined ? { members: [memberFrom(values)] } : { segment }
    const name = segment === undefined ? randomUUID() : required('batch', batch)
    const { url, transport } = findInternal(values, 'marketing')
    const client = createClient(RewardService, transport)
    return await orExplained(url, screen, async () => {
      let [count, afterMemberId] = [0, '']
      do {
        const page = { ...worth, ...named, afterMemberId }
        const key = [name, segment ?? '', worth.currencyId, String(worth.amount), values.expires ?? '', afterMemberId]
        const requestId = uuidOfText(JSON.stringify(key))
        const { members, nextAfterMemberId } = await untilReached(() => client.issueVouchers({ ...page, requestId }))
        count += members
        afterMemberId = nextAfterMemberId
        screen.status(`${count} members`)
      } while (afterMemberId !== '')
      screen.status('')
      screen.print(`${worth.amount} ${worth.currencyId} issued to ${count} ${count === 1 ? 'member' : 'members'}`)
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  ...memberOptions,
  segment: { type: 'string' },
  batch: { type: 'string' },
  currency: { type: 'string' },
  amount: { type: 'string' },
  expires: { type: 'string' },
  reason: { type: 'string' },
} as const
