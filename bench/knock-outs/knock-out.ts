import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mechanism, Piece } from './mechanisms.js'
import type { Answers, PriceTask } from './price-task.js'

const compiledRoot = join(import.meta.dirname, '..', '..', 'engine', 'core')
const sourceRoot = join(import.meta.dirname, '..', '..', '..', 'engine', 'core')

/** Prices all families in a process of their own, without a mechanism; null: with all of them. */
export async function priceWithout(
  mechanism: Mechanism | null,
  setting: Omit<PriceTask, 'replaced'>,
): Promise<Answers> {
  const replaced = mechanism === null ? new Map<string, string>() : textsWithout(mechanism)
  const child = fork(join(import.meta.dirname, 'price-entry.js'), { serialization: 'advanced' })
  child.send({ ...setting, replaced } satisfies PriceTask)
  const [answers] = (await Promise.race([once(child, 'message'), failed(child)])) as [Answers]
  return answers
}

async function failed(child: ReturnType<typeof fork>): Promise<never> {
  const [code, signal] = await once(child, 'exit')
  throw new Error(`the process that prices ended with ${code ?? signal}`)
}

/** The lines of code of a mechanism. */
export function linesOf({ pieces }: Mechanism): number {
  return pieces.reduce((sum, piece) => sum + pieceLines(piece), 0)
}

/** By URL: the compiled files as they are without a mechanism. Throws where a text to replace is not there just once. */
export function textsWithout({ name, edits }: Mechanism): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { file, from, to } of edits) {
    const path = pathOf(compiledRoot, `${file}.js`)
    const url = pathToFileURL(path).href
    const parts = (texts.get(url) ?? readFileSync(path, 'utf8')).split(from)
    if (parts.length !== 2) {
      throw new Error(`"${name}": the text to replace stands ${parts.length - 1} times in ${file}.js:\n${from}`)
    }
    texts.set(url, parts.join(to))
  }
  return texts
}

// From the declaration to the closing bracket below it.
function pieceLines({ file, of }: Piece): number {
  const lines = readFileSync(pathOf(sourceRoot, `${file}.ts`), 'utf8')
    .trimEnd()
    .split('\n')
  if (of === undefined) return lines.length
  const declared = new RegExp(
    `^ *(export |private )?(function |class )?${of}\\b.*[({]$|^ *(export |private )?(function |class )?${of}\\b.*\\{$`,
  )
  const first = lines.findIndex((line) => declared.test(line))
  if (first === -1) throw new Error(`no function ${of} in ${file}.ts`)
  const indent = lines[first]!.match(/^ */)![0]
  const last = lines.findIndex((line, at) => at > first && line.startsWith(`${indent}}`) && !line.endsWith('{'))
  return last - first + 1
}

function pathOf(root: string, file: string): string {
  const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path === file || path.endsWith(`/${file}`),
  )
  if (found.length !== 1) throw new Error(`${found.length} files are named ${file} below engine/core`)
  return join(root, found[0]!)
}
