import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { ValueService } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { untilReached } from './attempts.js'
import type { Command } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import {
  amountFrom,
  dated,
  memberFrom,
  memberHelp,
  memberOptions,
  momentFrom,
  printAccounts,
  required,
} from './value-words.js'

export const valueAdjust: Command = {
  name: 'value adjust',
  summary: 'add value to a member, or take it',
  help: `lps value adjust (--member ID | --card ID) --currency ID --amount N --reason TEXT

Adds an amount to a member's account, in the smallest unit of the currency, or takes it where it is negative; then shows the accounts.
Nothing is taken that is not available. What is added pays a debt first.

  lps value adjust --card LOY-ANNA --currency stamps --amount 2 --reason "spilt coffee"
  lps value adjust --card LOY-ANNA --currency stamps --amount=-2 --reason "booked twice"

${memberHelp}
  --currency ID       as in the programme
  --amount N          a whole number, not 0; a negative one as --amount=-N
  --reason TEXT       for support: 1 to 128 characters
  --opens TIME        when it opens, such as 2027-01-01T00:00:00Z. Default: now
  --expires TIME      when it expires. Default: as the currency says, as if earned now
  --never-expires     whatever the currency says
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options: adjustOptions })
    const request = {
      requestId: randomUUID(),
      member: memberFrom(values),
      currencyId: required('currency', values.currency),
      amount: amountFrom('amount', required('amount', values.amount)),
      reason: required('reason', values.reason),
      ...dated('opensAt', momentFrom('opens', values.opens)),
      ...dated('expiresAt', momentFrom('expires', values.expires)),
      neverExpires: values['never-expires'] ?? false,
    }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(ValueService, transport)
    return await orExplained(url, screen, async () => {
      const { accounts } = await untilReached(() => client.adjustValue(request))
      printAccounts(accounts, screen)
      return 0
    })
  },
}

export const valueTransfer: Command = {
  name: 'value transfer',
  summary: 'move value from one member to another',
  help: `lps value transfer (--from ID | --from-card ID) (--to ID | --to-card ID) --currency ID --amount N --reason TEXT

Moves an amount with its dates, from what expires first. It pays a debt of the receiver first.

  --from ID           who gives, or --from-card with a loyalty id
  --to ID             who receives, or --to-card with a loyalty id
  --currency ID       as in the programme
  --amount N          a whole number, 1 or more, in the smallest unit
  --reason TEXT       for support: 1 to 128 characters
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options: transferOptions })
    const request = {
      requestId: randomUUID(),
      from: memberFrom({ member: values.from, card: values['from-card'] }, ['--from', '--from-card']),
      to: memberFrom({ member: values.to, card: values['to-card'] }, ['--to', '--to-card']),
      currencyId: required('currency', values.currency),
      amount: amountFrom('amount', required('amount', values.amount)),
      reason: required('reason', values.reason),
    }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(ValueService, transport)
    return await orExplained(url, screen, async () => {
      await untilReached(() => client.transferValue(request))
      screen.print(`${request.amount} ${request.currencyId} moved`)
      return 0
    })
  },
}

const changeOptions = {
  ...internalOptions,
  currency: { type: 'string' },
  amount: { type: 'string' },
  reason: { type: 'string' },
} as const

const adjustOptions = {
  ...changeOptions,
  ...memberOptions,
  opens: { type: 'string' },
  expires: { type: 'string' },
  'never-expires': { type: 'boolean' },
} as const

const transferOptions = {
  ...changeOptions,
  from: { type: 'string' },
  'from-card': { type: 'string' },
  to: { type: 'string' },
  'to-card': { type: 'string' },
} as const
