import { digitsOf } from '../../../parts/scaled.js'
import { find, itemsOf, type Node, type Path, textIn } from './json-text.js'

/** The unit in which an amount is typed and shown: the document has it in whole 10^-digits. */
export interface Unit {
  readonly digits: number
  readonly name: string
}

export interface Amount {
  readonly name: string
  readonly description: string
  readonly path: Path
}

/** The currency of a venue; '' where it is not known. */
type CurrencyOf = (venueId: string) => string

/**
 * The unit of an amount; null: a plain number, or one whose currencies differ in their decimals.
 *
 * @param currencies  of all venues, by venueId
 */
export function unitOf(top: Node | null, amount: Amount, currencies: ReadonlyMap<string, string>): Unit | null {
  const { name, description, path } = amount
  if (/\bsmallest units\b|10\^-scale/.test(description)) return valueUnit(top, path)
  const isMoney =
    name === 'maximum'
      ? textIn(find(top ?? undefined, path.slice(0, -1)), 'counts') === 'amount'
      : /\bminor units\b/i.test(description)
  return isMoney ? moneyUnit(top, path, (venueId) => currencies.get(venueId) ?? '', [...currencies.keys()]) : null
}

/** Money has the currency of the entry's venues, or of its own venue. */
function moneyUnit(top: Node | null, path: Path, currencyOf: CurrencyOf, all: readonly string[]): Unit | null {
  const entry = find(top ?? undefined, path.slice(0, 2))
  const named = itemsOf(entry, ['venueIds']).flatMap((item) => (item.kind === 'text' ? [item.value] : []))
  const own = path[0] === 'venues' ? [textIn(entry, 'currency')] : (named.length > 0 ? named : all).map(currencyOf)
  const codes = [...new Set(own.filter((code) => code !== ''))].toSorted()
  const digits = new Set(codes.map(digitsOf))
  return digits.size === 1 ? { digits: [...digits][0]!, name: codes.join(' / ') } : null
}

/** Value has the nearest enclosing currency. */
function valueUnit(top: Node | null, path: Path): Unit | null {
  for (let length = path.length - 1; length > 0; length -= 1) {
    const currencyId = textIn(find(top ?? undefined, path.slice(0, length)), 'currencyId')
    if (currencyId === '') continue
    const currency = itemsOf(top, ['currencies']).find((one) => textIn(one, 'currencyId') === currencyId)
    const scale = find(currency, ['scale'])
    const digits = scale?.kind === 'plain' && /^\d$/.test(scale.value) ? Number(scale.value) : 0
    return { digits, name: textIn(currency, 'name') || currencyId }
  }
  return null
}
