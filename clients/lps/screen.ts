import type { CommanderError } from 'commander'

/** Control characters and text direction marks; names from POS callers and programmes may contain them. */
const commands = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu

/** The text without control characters, except line feeds. */
function harmless(text: string): string {
  return text.replace(commands, '\ufffd')
}

export function oneLine(text: string): string {
  return harmless(text).replaceAll('\n', '\ufffd')
}

export function print(line: string): void {
  process.stdout.write(`${harmless(line)}\n`)
}

export function printError(line: string): void {
  process.stderr.write(`${harmless(line)}\n`)
}

export function printStatus(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`)
}

const barWidth = 30

export function printProgress(done: number, total: number, text: string): void {
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(part * barWidth)
  const bar = `${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}`
  printStatus(`[${bar}] ${Math.floor(part * 100)} %  ${text}`)
}

export function printTable(headings: readonly string[], rows: readonly (readonly string[])[]): void {
  for (const line of tableLines(headings, rows)) print(line)
}

export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return []
  const titles = headings.map((heading) => heading.replace(/>$/, ''))
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (headings[at]!.endsWith('>') ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd()
  return [line(titles), ...rows.map(line)]
}

/** Invalid arguments, or a named file or id that does not exist: exit code 2, and a line with the remedy. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

export function exits<Words extends readonly unknown[]>(work: (...words: Words) => Promise<number>) {
  return async (...words: Words): Promise<void> => {
    process.exitCode = await work(...words)
  }
}

export function faultText({ message }: CommanderError): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  const [, option, word, expected] =
    /^(?:option|command-argument value) (.*) (?:argument )?'(.*)' is invalid[^.]*\. (.*)$/.exec(text) ?? []
  return option === undefined ? text : `${/--[\w.-]+/.exec(option)?.[0] ?? option}: ${expected}, received ${word}`
}
