import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import { createClient } from '@connectrpc/connect'
import {
  type LimitCounter,
  LimitCounterSchema,
  LimitOwner,
  LimitService,
} from '../../gateway/gen/loyalty/v1/limit_service_pb.js'
import type { Command } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { moneyText } from './money.js'
import { tableLines } from './table.js'

const pageSize = 500

export const limits: Command = {
  name: 'limits',
  summary: 'limits: maximum, used, held by open baskets, and what is left',
  help: `lps limits

Shows every counter in use: its subject, period, maximum, what is used, what open baskets hold, and what is left: baskets, units, or
money. "late" counts what sales used that arrived after their reservation had expired, and may exceed the maximum. Of limits that many
share it shows what was taken in the last hour and day, and when nothing will be left if it goes on so: an estimate.

  lps limits --limit bun-everyone

  --limit ID          only this limit
  --subject ID        only counters of this member or venue
  --shared            only limits of the programme in force for everyone or a venue, in periods that it is now
  --period NAME       only this period, such as 2026-11-21, 2026-W47 or 2026-11
  --json              one counter a line, as JSON
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(LimitService, transport)
    return await orExplained(url, screen, async () => {
      const counters: LimitCounter[] = []
      let pageToken = ''
      do {
        const { limit: limitId = '', subject = '', period = '', shared = false } = values
        const which = shared ? { owner: LimitOwner.SHARED, current: true } : {}
        const page = await client.listLimits({ limitId, subject, period, ...which, pageSize, pageToken })
        counters.push(...page.counters)
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      if (values.json) for (const each of counters) screen.print(JSON.stringify(toJson(LimitCounterSchema, each)))
      else for (const line of tableLines(headings, counters.map(rowOf))) screen.print(line)
      if (counters.length === 0) screen.tell('no counter of such a limit is in use yet')
      return 0
    })
  },
}

const options = {
  ...internalOptions,
  limit: { type: 'string' },
  subject: { type: 'string' },
  period: { type: 'string' },
  shared: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

const headings = [
  'limit',
  'of',
  'period',
  'maximum>',
  'used>',
  'late>',
  'open>',
  'left>',
  'last hour>',
  'last day>',
  'runs out',
  'next expiry',
]

function rowOf(counter: LimitCounter): readonly string[] {
  const { limitId, subject, period, maximum, used, late, open, nextExpiryAt, currency } = counter
  const { lastHour, lastDay, runsOutAt } = counter
  const left = maximum - used - late - open
  const text = (each: bigint | undefined) =>
    each === undefined ? '' : currency === '' ? String(each) : moneyText(each, currency)
  const numbers = [maximum, used, late, open, left < 0n ? 0n : left, lastHour?.taken, lastDay?.taken].map(text)
  const runsOut = runsOutAt === undefined ? '' : timestampDate(runsOutAt).toISOString()
  const expiry = nextExpiryAt === undefined ? '' : timestampDate(nextExpiryAt).toISOString()
  return [limitId, subject || 'everyone', period || 'ever', ...numbers, runsOut, expiry]
}
