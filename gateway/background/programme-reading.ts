import { move, transferableSymbol, valueSymbol } from 'piscina'
import { diffProgrammes, type ProgrammeChange } from '../../engine/programme/diff-programmes.js'
import { hideIds } from '../../engine/programme/hide-ids.js'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { supposeInForce } from '../../engine/programme/suppose-in-force.js'
import { runInBackground } from '../../engine/thread/run-in-background.js'
import type { ProgrammeTexts } from '../../store/ledger/programmes.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { weighJson } from '../admission/message-weight.js'
import { movable, type ReadingReply, type ReadingTask, type SplitReply, tooLarge } from './programme-reader.js'

/** Values in a document: more than the largest sensible one of 32 MiB has, and what memory there is holds them. */
const documentWeightMax = 4_000_000

runInBackground()

/** One task of the reading thread, as its pool calls it. */
export function runReadingTask(task: ReadingTask): unknown {
  const reply = done(task)
  const moved = task.kind === 'read' ? movable(task.document) : []
  // The bytes go back as they came: moved, not copied.
  return moved.length === 0 ? reply : move({ [transferableSymbol]: moved, [valueSymbol]: reply } as never)
}

function done(task: ReadingTask): ReadingReply | ProgrammeTexts | SplitReply | readonly ProgrammeChange[] {
  if (task.kind === 'read') return readingOf(task.document, task.inForce)
  if (task.kind === 'diff') return diffProgrammes(task.base, task.changed)
  if (task.kind === 'split') return split(task.message, task.names)
  const { document, benefits } = task.texts
  return hideIds({ document, benefits }, task.hidden)
}

function readingOf(bytes: Uint8Array, inForce: readonly string[]): ReadingReply {
  if (isTooHeavy(bytes)) return tooLarge
  const text = textOf(bytes)
  const read = readProgramme(text)
  if (read.kind === 'faulty') return read
  const supposed = inForce.length === 0 ? read : readProgramme(supposeInForce(text, inForce))
  if (supposed.kind === 'faulty') throw new Error('a benefit that is in force already makes a programme faulty')
  const { benefitsJson, outline } = supposed.programme
  const { document: _, ...programme } = prepareProgramme({ ...read.programme, benefits: benefitsJson })
  return { kind: 'read', warnings: read.warnings, programme, named: read.programme.named, outline, document: bytes }
}

function isTooHeavy(bytes: Uint8Array): boolean {
  try {
    weighJson(bytes, { weightMax: documentWeightMax })
    return false
  } catch {
    return true
  }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}

function split(message: Uint8Array, names: readonly string[]): SplitReply {
  const whole = { rest: message, taken: null }
  // Beside its texts such a message holds little: parsed, many values take more memory than the thread has.
  if (isTooHeavy(message)) return whole
  try {
    const value: unknown = JSON.parse(textOf(message))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return whole
    const name = names.find((each) => Object.hasOwn(value, each))
    if (name === undefined) return whole
    const fields = value as Record<string, unknown>
    const text = fields[name]
    if (typeof text !== 'string') return whole
    return { rest: Buffer.from(JSON.stringify({ ...fields, [name]: '' })), taken: Buffer.from(text) }
  } catch {
    return whole
  }
}
