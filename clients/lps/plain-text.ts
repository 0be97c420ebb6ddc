/** What a terminal obeys or what turns text around; POS callers and programmes may send it within names and texts. */
const commands = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu

/** The text with nothing in it that a terminal obeys but the ends of its lines. */
export function harmless(text: string): string {
  return text.replace(commands, '\ufffd')
}

/** The same on one line: text of others cannot look like a line of ours. */
export function oneLine(text: string): string {
  return harmless(text).replaceAll('\n', '\ufffd')
}
