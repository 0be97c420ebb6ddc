/** Needs no escape in JSON: printable ASCII without quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/

export function jsonFromString(text: string): string {
  return plain.test(text) ? `"${text}"` : Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}

export function jsonFromStrings(texts: readonly string[]): string {
  // One test for all: hundreds of benefits can be in place of one.
  if (texts.length > 0 && plain.test(texts.join(''))) return `["${texts.join('","')}"]`
  return `[${texts.map(jsonFromString).join(',')}]`
}
