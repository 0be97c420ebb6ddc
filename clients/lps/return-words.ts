import type { ReturnedValue } from '../../gateway/gen/loyalty/v1/return_service_pb.js'
import { WrongUse } from './command.js'

/** Thousandths in one unit. */
const unit = 1_000n
const lineForm = /^(.+)=(\d{1,6})(?:\.(\d{1,3}))?$/

/** A quantity as people write it: 1500 thousandths are 1.5. */
export function quantityText(thousandths: bigint): string {
  const fraction = String(thousandths % unit)
    .padStart(3, '0')
    .replace(/0+$/, '')
  return `${thousandths / unit}${fraction === '' ? '' : `.${fraction}`}`
}

/** A line and a quantity, such as `line-1=2`; throws WrongUse on any other word. */
export function returnedLineFrom(word: string): { readonly lineId: string; readonly quantityThousandths: bigint } {
  const [, lineId, whole, fraction = ''] = lineForm.exec(word) ?? []
  if (lineId === undefined) throw new WrongUse(`expected LINE=QUANTITY such as line-1=2, received ${word}`)
  return { lineId, quantityThousandths: BigInt(`${whole}${fraction.padEnd(3, '0')}`) }
}

/** What was moved of a currency, such as `3 stamps (1 as debt, 2 more forgiven)`. */
export function movedText({ currencyId, amount, debt, forgiven }: ReturnedValue): string {
  const notes = [
    ...(debt === 0n ? [] : [`${debt} as debt`]),
    ...(forgiven === 0n ? [] : [`${forgiven} more forgiven`]),
  ]
  return `${amount} ${currencyId}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`
}
