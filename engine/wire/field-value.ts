import { decimalFromText } from './decimal.js'
import type { JsonText } from './json-text.js'

/** Equal values are equal texts: strings exactly, numbers by their exact decimal value (benefits 1, `fields`). */
export function fieldValueOf(value: string | number | boolean): string {
  if (typeof value === 'string') return `"${value}`
  return typeof value === 'number' ? numberFrom(String(value)) : String(value)
}

export function fieldValueIn(json: JsonText, object: number, name: string): string | undefined {
  const end = json.next(object)
  for (let child = object + 1; child < end; child = json.next(child)) {
    if (json.nameText(child) === name) return fieldValueAt(json, child)
  }
  return undefined
}

function fieldValueAt(json: JsonText, value: number): string | undefined {
  switch (json.kind(value)) {
    case 'string':
      return fieldValueOf(json.string(value))
    case 'number':
      return numberFrom(json.raw(value))
    case 'boolean':
      return json.raw(value)
    default:
      return undefined
  }
}

function numberFrom(text: string): string {
  const { negative, digits, exponent } = decimalFromText(text)
  return `${negative ? '-' : ''}${digits}e${exponent}`
}
