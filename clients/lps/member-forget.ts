import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { memberOptions, momentText } from './value-words.js'

export const memberForget: Command = {
  name: 'member forget',
  summary: 'forget a member for good, and say when that is complete',
  help: `lps member forget (--member ID | --card ID) [--reason TEXT]
lps member forget --request ID

Forgets a member with those that were merged into it. It cannot be undone. Its ids go at once from members, calculations, sales, counters
and audit records, what it collected is forfeited, and every sum stays; programme documents follow within minutes. The second form says
whether they have.

  --member ID         the member, or
  --card ID           whoever has this loyalty id; where nobody has, the loyalty id by itself
  --reason TEXT       for the audit record, without personal data: at most 128 characters
  --request ID        the request that the first form printed
${internalHelp}

Exit code 0: it is forgotten, or complete; 1: refused, or still pending.`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const { member: memberId = '', card: loyaltyId = '', request, reason = '' } = values
    const named = [memberId, loyaltyId, request ?? ''].filter((word) => word !== '')
    if (named.length !== 1) throw new WrongUse('expected --member, --card or --request')
    const { url, transport } = findInternal(values, request === undefined ? 'admin' : 'reader')
    const client = createClient(MemberService, transport)
    return await orExplained(url, screen, async () => {
      if (request !== undefined) {
        const { completedAt, completeBy } = await client.getForgetting({ requestId: request })
        const isComplete = completedAt !== undefined
        screen.print(
          isComplete ? `complete since ${momentText(completedAt)}` : `pending, complete by ${momentText(completeBy)}`,
        )
        return isComplete ? 0 : 1
      }
      const requestId = randomUUID()
      const forgetting = { requestId, memberId, loyaltyId, reason }
      const { calculations, sales, counters, completeBy } = await untilReached(() => client.forgetMember(forgetting))
      screen.print(`forgotten: ${calculations} calculations, ${sales} sales, ${counters} counters of limits`)
      screen.print(`complete by ${momentText(completeBy)}: lps member forget --request ${requestId}`)
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  ...memberOptions,
  request: { type: 'string' },
  reason: { type: 'string' },
} as const
