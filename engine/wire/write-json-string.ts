/** Needs no escape in JSON: printable ASCII without quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

/** A JavaScript string as JSON text, encoded as `JsonText.text`. */
export function jsonFromString(text: string): string {
  return plain.test(text) ? `"${text}"` : Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}
