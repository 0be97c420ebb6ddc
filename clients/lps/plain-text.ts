/** Control characters and text direction marks; names from POS callers and programmes may contain them. */
const commands = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu

/** The text without control characters, except line feeds. */
export function harmless(text: string): string {
  return text.replace(commands, '\ufffd')
}

/** The same on one line: foreign text cannot imitate a line of output. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll('\n', '\ufffd')
}
