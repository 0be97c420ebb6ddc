import type { MessageInitShape } from '@bufbuild/protobuf'
import { type Timestamp, timestampDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { momentFromText } from '../../engine/wire/moment.js'
import type { Account, MemberNameSchema } from '../../gateway/gen/loyalty/v1/value_service_pb.js'
import { type Screen, WrongUse } from './command.js'
import { tableLines } from './table.js'

/** Arguments that name a member. */
export const memberOptions = { member: { type: 'string' }, card: { type: 'string' } } as const

export const memberHelp = `  --member ID         the member, or
  --card ID           whoever has this loyalty id`

/** As many digits as 2^53 - 1 has. */
const amountForm = /^-?\d{1,16}$/

export type MemberName = MessageInitShape<typeof MemberNameSchema>

/** The member of `--member` or `--card`; throws WrongUse unless exactly one is given. */
export function memberFrom(
  { member, card }: { readonly member?: string | undefined; readonly card?: string | undefined },
  [byId, byCard]: readonly [string, string] = ['--member', '--card'],
): MemberName {
  if (member !== undefined && card === undefined) return { by: { case: 'memberId', value: member } }
  if (card !== undefined && member === undefined) return { by: { case: 'loyaltyId', value: card } }
  throw new WrongUse(`expected either ${byId} or ${byCard}`)
}

export function required(option: string, value: string | undefined): string {
  if (value === undefined) throw new WrongUse(`--${option} is missing`)
  return value
}

/** A whole number; throws WrongUse on any other word. */
export function amountFrom(option: string, word: string): bigint {
  if (!amountForm.test(word)) throw new WrongUse(`--${option}: expected a whole number, received ${word}`)
  return BigInt(word)
}

/** An RFC 3339 time, absent where the word is. */
export function momentFrom(option: string, word: string | undefined): Timestamp | undefined {
  if (word === undefined) return undefined
  const at = momentFromText(word)
  if (at === null) throw new WrongUse(`--${option}: expected a time such as 2027-01-01T00:00:00Z, received ${word}`)
  return timestampFromMs(at)
}

/** A field of a request that is absent where its value is. */
export function dated<Name extends string, At>(name: Name, at: At | undefined): { [Key in Name]?: At } {
  return (at === undefined ? {} : { [name]: at }) as { [Key in Name]?: At }
}

export function momentText(at: Timestamp | undefined): string {
  return at === undefined ? '' : timestampDate(at).toISOString()
}

/** Prints accounts as a table, and the lots of each below. */
export function printAccounts(accounts: readonly Account[], { print, tell }: Screen): void {
  const sums = accounts.map(({ currencyId, name, scale, available, pending, held, debt }) => [
    ...[currencyId, name],
    ...[available, pending, held, debt, scale].map(String),
  ])
  for (const line of tableLines(accountHeadings, sums)) print(line)
  const lots = accounts.flatMap(({ currencyId, lots }) =>
    lots.map(({ amount, held, opensAt, expiresAt }) => [
      ...[currencyId, String(amount), String(held), momentText(opensAt)],
      momentText(expiresAt) || 'never',
    ]),
  )
  if (lots.length > 0) print('')
  for (const line of tableLines(['lots of', 'amount>', 'held>', 'opens', 'expires'], lots)) print(line)
  if (accounts.length === 0) tell('the member has no account yet')
}

const accountHeadings = ['currency', 'name', 'available>', 'pending>', 'held>', 'debt>', 'decimals>']
