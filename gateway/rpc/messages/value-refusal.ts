import type { ConnectError } from '@connectrpc/connect'
import { invalidFields, refusal, refusedField } from '../errors.js'
import { requestIdConflict } from './commands.js'

/** A reply by which the ledger refuses a change of value, and of which several services tell. */
export type ValueRefusal =
  | {
      readonly kind:
        | 'unknown_member'
        | 'blocked_member'
        | 'unknown_currency'
        | 'past_expiry'
        | 'out_of_range'
        | 'request_id_conflict'
    }
  | { readonly kind: 'insufficient'; readonly available: number }

/** @param field  of the request: the one in question, where the reply is about one */
export function refusalOfValue(reply: ValueRefusal, field: string): ConnectError {
  switch (reply.kind) {
    case 'unknown_member':
      return refusedField('MEMBER_NOT_FOUND', field, 'no such member')
    case 'blocked_member':
      return refusedField('MEMBER_BLOCKED', field, 'a blocked member keeps its value and cannot use it')
    case 'unknown_currency':
      return refusedField('CURRENCY_NOT_FOUND', field, 'no programme has named this currency')
    case 'past_expiry':
      return invalidFields([{ field, description: 'expected a moment to come' }])
    case 'out_of_range':
      return refusedField('OUT_OF_RANGE', field, 'the account would pass 2^53 - 1')
    case 'insufficient':
      return refusal('INSUFFICIENT_VALUE', `only ${reply.available} is available`, {
        metadata: { available: String(reply.available) },
      })
    case 'request_id_conflict':
      return requestIdConflict()
  }
}
