import { randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { createClient } from '@connectrpc/connect'
import { RewardService } from '../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { untilReached } from './attempts.js'
import { type Command, WrongUse } from './command.js'
import { onlyWord } from './files.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { amountFrom, memberFrom, memberHelp, memberOptions, momentText, required } from './value-words.js'

/** Of an int32. */
const timesMax = 2n ** 31n - 1n

export const rewardActivate: Command = {
  name: 'reward activate',
  summary: 'exchange value of a member as the programme allows',
  help: `lps reward activate (--member ID | --card ID) --from CURRENCY --to CURRENCY

Exchanges one currency for another by the exchange of the programme between the two, and shows the activation for lps reward cancel.

${memberHelp}
  --from CURRENCY     what the exchange takes
  --to CURRENCY       what it gives
  --times N           how often. Default: 1
  --reason TEXT       for the audit record: at most 128 characters
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const times = amountFrom('times', values.times ?? '1')
    if (times < 1n || times > timesMax) throw new WrongUse(`--times: expected 1 to ${timesMax}, received ${times}`)
    const request = {
      requestId: randomUUID(),
      member: memberFrom(values),
      fromCurrencyId: required('from', values.from),
      toCurrencyId: required('to', values.to),
      times: Number(times),
      reason: values.reason ?? '',
    }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(RewardService, transport)
    return await orExplained(url, screen, async () => {
      const { activationId, fromAmount, toAmount, expiresAt } = await untilReached(() => client.activateReward(request))
      const end = expiresAt === undefined ? '' : `, until ${momentText(expiresAt)}`
      screen.print(`${fromAmount} ${values.from} became ${toAmount} ${values.to}${end}: activation ${activationId}`)
      return 0
    })
  },
}

export const rewardCancel: Command = {
  name: 'reward cancel',
  summary: 'take back what is unused of an activation',
  help: `lps reward cancel ACTIVATION [--reason TEXT]

Takes back an activation in whole times, as far as what it gave is unused; what it took comes back with its old dates.

  --reason TEXT       for the audit record: at most 128 characters
${internalHelp}`,
  async run(words, screen) {
    const cancelOptions = { ...internalOptions, reason: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options: cancelOptions, allowPositionals: true })
    const activationId = amountFrom('activation', onlyWord(positionals, 'one activation'))
    const request = { requestId: randomUUID(), activationId, reason: values.reason ?? '' }
    const { url, transport } = findInternal(values, 'support')
    const client = createClient(RewardService, transport)
    return await orExplained(url, screen, async () => {
      const { times, fromAmount, toAmount } = await untilReached(() => client.cancelActivation(request))
      screen.print(`${times} times cancelled: ${fromAmount} came back for ${toAmount}`)
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  ...memberOptions,
  from: { type: 'string' },
  to: { type: 'string' },
  times: { type: 'string' },
  reason: { type: 'string' },
} as const
