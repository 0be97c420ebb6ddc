import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { untilReached } from './attempts.js'
import type { Command } from './command.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { memberFrom, memberHelp, memberOptions } from './value-words.js'

export const rewardClaim: Command = {
  name: 'reward claim',
  summary: 'give a member what a code is worth, once',
  help: `lps reward claim CODE (--member ID | --card ID) [--reason TEXT]

Gives a member what a code is worth. A code is claimed once; after 10 wrong codes of a member within an hour each further one is refused.

${memberHelp}
  --reason TEXT       for the audit record: at most 128 characters
${internalHelp}`,
  async run(words, screen) {
    const options = { ...internalOptions, ...memberOptions, reason: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const code = onlyWord(positionals, 'one code')
    const request = { requestId: randomUUID(), code, member: memberFrom(values), reason: values.reason ?? '' }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(RewardService, transport)
    return await orExplained(url, screen, async () => {
      const { amount, currencyId } = await untilReached(() => client.claimCode(request))
      screen.print(`${amount} ${currencyId} claimed`)
      return 0
    })
  },
}

export const rewardVoid: Command = {
  name: 'reward void',
  summary: 'end a code that nobody has claimed',
  help: `lps reward void CODE

Ends a code, so that nobody can claim it. One that was claimed stays as it is.

${internalHelp}`,
  async run(words, screen) {
    const { values, positionals } = parseArgs({ args: [...words], options: internalOptions, allowPositionals: true })
    const request = { requestId: randomUUID(), code: onlyWord(positionals, 'one code') }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(RewardService, transport)
    return await orExplained(url, screen, async () => {
      await untilReached(() => client.voidCode(request))
      screen.print('the code is void')
      return 0
    })
  },
}
