import type { ConnectError } from '@connectrpc/connect'
import { invalidFields, refusal, refusedField } from '../errors.js'
import { quoted } from './fields.js'
import { receivedAt } from './received-at.js'

/** The ledger's refusals of a change of value that several services share. */
export type ValueRefusal =
  | {
      readonly kind: 'unknown_member' | 'blocked_member' | 'unknown_currency' | 'past_expiry' | 'out_of_range'
    }
  | { readonly kind: 'insufficient'; readonly available: number }

/**
 * @param field    of the request that the reply is about, if any
 * @param request  the request with that field
 */
export function refusalOfValue(reply: ValueRefusal, field: string, request: object): ConnectError {
  const received = `received ${quoted(receivedAt(request, field))}`
  switch (reply.kind) {
    case 'unknown_member':
      return refusedField('MEMBER_NOT_FOUND', field, `no such member; ${received}`)
    case 'blocked_member':
      return refusedField('MEMBER_BLOCKED', field, 'a blocked member keeps its value and cannot use it')
    case 'unknown_currency':
      return refusedField('CURRENCY_NOT_FOUND', field, `expected a currency that a programme has named; ${received}`)
    case 'past_expiry':
      return invalidFields([{ field, description: `expected a moment to come; ${received}` }])
    case 'out_of_range':
      return refusedField('OUT_OF_RANGE', field, `the account would pass 2^53 - 1; ${received}`)
    case 'insufficient': {
      const { available } = reply
      return refusal('INSUFFICIENT_VALUE', `only ${available} is available`, {
        metadata: { available: String(available) },
        violations: [{ field, description: `expected to take at most ${available}, which is available; ${received}` }],
      })
    }
  }
}
