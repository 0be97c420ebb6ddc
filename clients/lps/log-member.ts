import { parseArgs } from 'node:util'
import { createMemberMark } from '../../gateway/telemetry/pseudonym.js'
import { type Command, WrongUse } from './command.js'

export const logMember: Command = {
  name: 'log-member',
  summary: "a member's pseudonym in the log",
  help: `lps log-member LOYALTY_ID [--day 2026-11-21]

Prints the pseudonym of a member in the log: the \`member\` of its records on one day (UTC; default today).
Reads LOYALTY_LOG_KEY, which must be the same as on the gateways.

  grep "$(lps log-member 4711)" loyalty.log`,
  async run(words, { print }) {
    const options = { day: { type: 'string' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const [loyaltyId, ...others] = positionals
    if (loyaltyId === undefined || others.length > 0) throw new WrongUse('expected one loyalty id')
    const key = process.env['LOYALTY_LOG_KEY']
    if (!key) throw new WrongUse('LOYALTY_LOG_KEY is not set: without it every start of a gateway has a key of its own')
    const { day = new Date().toISOString().slice(0, 10) } = values
    const atMs = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN
    if (Number.isNaN(atMs)) throw new WrongUse('--day: expected a day such as 2026-11-21')
    print(createMemberMark(key, () => atMs)(loyaltyId))
    return 0
  },
}
