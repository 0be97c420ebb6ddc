import type { ConnectError } from '@connectrpc/connect'
import type { ErrorCode, RefusalDetails } from '../../use-cases/replies.js'
import { codeOfReason, type Reason, refusal } from '../errors.js'

/** Fields whose names in messages differ from the contract's. */
const renamed: Readonly<Record<string, string>> = {
  quantity: 'quantity_thousandths',
  percentage: 'percentage_ten_thousandths',
}

/**
 * The refusal of a use case for internal services: the same word in capitals, and each faulty field by its path in the request.
 *
 * @param part  of the request that was passed to the use case: `basket` or `event`
 */
export function refusalOf(
  part: string,
  {
    code,
    message,
    details,
  }: { readonly code: ErrorCode; readonly message: string; readonly details: RefusalDetails | null },
): ConnectError {
  const word = code.toUpperCase()
  const reason: Reason = Object.hasOwn(codeOfReason, word) ? (word as Reason) : 'INTERNAL_ERROR'
  if (details === null) return refusal(reason, message)
  const violations = (details.faults ?? [details]).map(({ field, expected, received }) => ({
    field: pathIn(part, field),
    description: `expected ${expected}; received ${received}`,
  }))
  return refusal(reason, message, { violations })
}

/** `lines[3].noDiscount` is `basket.lines[3].no_discount`; a whole body is the part itself. */
function pathIn(part: string, field: string): string {
  if (field === '' || field === 'body') return part
  // The key of a call is the id in its body.
  if (field === 'Idempotency-Key') return `${part}.calculation_id`
  const path = field
    .split('.')
    .map((step) => {
      const [name = '', ...places] = step.split(/(?=\[)/)
      const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      return [renamed[snake] ?? snake, ...places].join('')
    })
    .join('.')
  return `${part}.${path}`
}
