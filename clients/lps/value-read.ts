import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import {
  GetBalancesResponseSchema,
  type LiabilityRow,
  LiabilityRowSchema,
  type Movement,
  MovementSchema,
  ValueService,
} from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import type { Command } from './command.js'
import { findInternal, internalHelp, internalOptions, orExplained } from './internal.js'
import { tableLines } from './table.js'
import { memberFrom, memberHelp, memberOptions, momentText, printAccounts } from './value-words.js'

const pageSize = 500

export const valueBalances: Command = {
  name: 'value balances',
  summary: 'what a member holds, by currency and lot',
  help: `lps value balances (--member ID | --card ID)

Shows the accounts of a member: what is available, what is pending (not open yet), what open baskets hold, and debt; then each lot
with its opening and expiry. Amounts are in the smallest unit of their currency: 250 with 2 decimals is 2.50.

${memberHelp}
  --json              as JSON
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options: { ...readOptions, ...memberOptions } })
    const member = memberFrom(values)
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const balances = await createClient(ValueService, transport).getBalances({ member })
      if (values.json) screen.print(JSON.stringify(toJson(GetBalancesResponseSchema, balances)))
      else printAccounts(balances.accounts, screen)
      return 0
    })
  },
}

export const valueMovements: Command = {
  name: 'value movements',
  summary: 'what changed the accounts of a member, newest first',
  help: `lps value movements (--member ID | --card ID)

Lists every movement of a member: when, kind, currency, amount in the smallest unit, cause, reason and who did it.

${memberHelp}
  --currency ID       only this currency
  --json              one movement a line, as JSON
${internalHelp}`,
  async run(words, screen) {
    const options = { ...readOptions, ...memberOptions, currency: { type: 'string' } } as const
    const { values } = parseArgs({ args: [...words], options })
    const member = memberFrom(values)
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(ValueService, transport)
    return await orExplained(url, screen, async () => {
      const movements: Movement[] = []
      let pageToken = ''
      do {
        const page = await client.listMovements({ member, currencyId: values.currency ?? '', pageSize, pageToken })
        movements.push(...page.movements)
        pageToken = page.nextPageToken
      } while (pageToken !== '')
      if (values.json) for (const each of movements) screen.print(JSON.stringify(toJson(MovementSchema, each)))
      else for (const line of tableLines(movementHeadings, movements.map(movementCells))) screen.print(line)
      if (movements.length === 0) screen.tell('nothing has moved yet')
      return 0
    })
  },
}

export const valueLiability: Command = {
  name: 'value liability',
  summary: 'what all members hold, by currency and month of expiry',
  help: `lps value liability

Sums what all members hold, pending and held value included, by currency and by the month (UTC) in which it expires. Amounts are in
the smallest unit of their currency. It reads every lot.

  --json              one row a line, as JSON
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options: readOptions })
    const { url, transport } = findInternal(values, 'reader')
    return await orExplained(url, screen, async () => {
      const { rows } = await createClient(ValueService, transport).reportLiability({})
      if (values.json) for (const row of rows) screen.print(JSON.stringify(toJson(LiabilityRowSchema, row)))
      else
        for (const line of tableLines(['currency', 'expires in', 'amount>'], rows.map(liabilityCells)))
          screen.print(line)
      if (rows.length === 0) screen.tell('no member holds anything')
      return 0
    })
  },
}

const readOptions = { ...internalOptions, json: { type: 'boolean' } } as const

const movementHeadings = ['at', 'kind', 'currency', 'amount>', 'cause', 'reason', 'by']

function movementCells({ at, kind, currencyId, amount, cause, reason, actor }: Movement): readonly string[] {
  return [momentText(at), kind, currencyId, String(amount), cause, reason, actor]
}

function liabilityCells({ currencyId, expiryMonth, amount }: LiabilityRow): readonly string[] {
  return [currencyId, expiryMonth || 'never', String(amount)]
}
