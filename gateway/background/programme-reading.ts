import { move, transferableSymbol, valueSymbol, workerData } from 'piscina'
import { diffProgrammes, type ProgrammeChange } from '../../engine/programme/diff-programmes.js'
import { hideIds, idsIn } from '../../engine/programme/hide-ids.js'
import { type MergedProgramme, mergeProgrammes, supposeInForce } from '../../engine/programme/merge-programmes.js'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { runInBackground } from '../../engine/thread/v8-flags.js'
import { allowChannels } from '../../engine/wire/channels.js'
import type { MemberIds } from '../../store/ledger/members.js'
import type { ProgrammeTexts } from '../../store/ledger/programmes.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { movable, type ReadingReply, type ReadingStart, type ReadingTask, tooLarge } from './programme-reader.js'

/** More than the largest sensible document of 32 MiB has, and still within memory. */
const valuesMax = 4_000_000

runInBackground()
allowChannels(workerData as ReadingStart)

export function runReadingTask(task: ReadingTask): unknown {
  const reply = done(task)
  const moved = task.kind === 'read' ? movable(task.document) : []
  // The bytes are moved back, not copied.
  return moved.length === 0 ? reply : move({ [transferableSymbol]: moved, [valueSymbol]: reply } as never)
}

function done(
  task: ReadingTask,
): ReadingReply | ProgrammeTexts | MemberIds | MergedProgramme | readonly ProgrammeChange[] {
  if (task.kind === 'read') return readingOf(task.document, task.inForce)
  if (task.kind === 'diff') return diffProgrammes(task.base, task.changed)
  if (task.kind === 'merge') return mergeProgrammes(task.sides)
  if (task.kind === 'list_ids') return idsIn(task.text)
  const { document, benefits } = task.texts
  return hideIds({ document, benefits }, task.hidden, task.seed)
}

function readingOf(bytes: Uint8Array, inForce: readonly string[]): ReadingReply {
  if (hasTooManyValues(bytes)) return tooLarge
  const text = textOf(bytes)
  const read = readProgramme(text)
  if (read.kind === 'faulty') return read
  const supposed = inForce.length === 0 ? read : readProgramme(supposeInForce(text, inForce))
  if (supposed.kind === 'faulty') throw new Error('a benefit that is in force already makes a programme faulty')
  const { benefitsJson, outline } = supposed.programme
  const { document: _, ...programme } = prepareProgramme({ ...read.programme, benefits: benefitsJson })
  return { kind: 'read', warnings: read.warnings, programme, named: read.programme.named, outline, document: bytes }
}

/** Counts before parsing, where running out of memory would end the whole process; a list or an object counts as three values. */
function hasTooManyValues(bytes: Uint8Array): boolean {
  let values = 0
  let isText = false
  for (let at = 0; at < bytes.length && values <= valuesMax; at += 1) {
    const byte = bytes[at]
    if (byte === quote) isText = !isText
    else if (isText && byte === backslash) at += 1
    else if (!isText && byte === comma) values += 1
    else if (!isText && (byte === brace || byte === bracket)) values += 3
  }
  return values > valuesMax
}

const [quote, backslash, comma, brace, bracket] = Array.from('"\\,{[', (each) => each.charCodeAt(0))

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}
