import { move, transferableSymbol, valueSymbol } from 'piscina'
import { diffProgrammes, type ProgrammeChange } from '../../engine/programme/diff-programmes.js'
import { hideIds } from '../../engine/programme/hide-ids.js'
import { readProgramme } from '../../engine/programme/read-programme.js'
import { supposeInForce } from '../../engine/programme/suppose-in-force.js'
import { runInBackground } from '../../engine/thread/run-in-background.js'
import type { ProgrammeTexts } from '../../store/ledger/programmes.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { movable, type ReadingReply, type ReadingTask } from './programme-reader.js'

runInBackground()

/** One task of the reading thread, as its pool calls it. */
export function runReadingTask(task: ReadingTask): unknown {
  const reply = done(task)
  const moved = task.kind === 'read' ? movable(task.document) : []
  // The bytes go back as they came: moved, not copied.
  return moved.length === 0 ? reply : move({ [transferableSymbol]: moved, [valueSymbol]: reply } as never)
}

function done(task: ReadingTask): ReadingReply | ProgrammeTexts | readonly ProgrammeChange[] {
  if (task.kind === 'read') return readingOf(task.document, task.inForce)
  if (task.kind === 'diff') return diffProgrammes(task.base, task.changed)
  const { document, benefits } = task.texts
  return hideIds({ document, benefits }, task.hidden)
}

function readingOf(bytes: Uint8Array, inForce: readonly string[]): ReadingReply {
  const text = textOf(bytes)
  const read = readProgramme(text)
  if (read.kind === 'faulty') return read
  const supposed = inForce.length === 0 ? read : readProgramme(supposeInForce(text, inForce))
  if (supposed.kind === 'faulty') throw new Error('a benefit that is in force already makes a programme faulty')
  const { benefitsJson, outline } = supposed.programme
  const { document: _, ...programme } = prepareProgramme({ ...read.programme, benefits: benefitsJson })
  return { kind: 'read', warnings: read.warnings, programme, named: read.programme.named, outline, document: bytes }
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString()
}
