import { parentPort } from 'node:worker_threads'
import { hideIds } from '../engine/programme/hide-ids.js'
import { readProgramme } from '../engine/programme/read-programme.js'
import type { ProgrammeTexts } from '../store/index.js'
import { prepareProgramme } from '../store/postgres/programmes.js'
import type { ReadingReply, ReadingTask } from './programme-reader.js'

/** The entry of the reading thread: one task after the other. */

parentPort!.on('message', (task: ReadingTask) => parentPort!.postMessage(done(task)))

function done(task: ReadingTask): ReadingReply | ProgrammeTexts {
  if (task.kind === 'read') return readingOf(task.document)
  const { document, benefits } = task.texts
  return hideIds({ document, benefits }, task.hidden)
}

function readingOf(text: string): ReadingReply {
  const read = readProgramme(text)
  if (read.kind === 'faulty') return read
  const { document, benefitsJson, venues, members } = read.programme
  const ready = prepareProgramme({ document, benefits: benefitsJson, venues, members })
  const { digest, benefits, venues: venueRows, members: memberRows } = ready
  const programme = { digest, benefits, venues: venueRows, members: memberRows }
  return { kind: 'read', warnings: read.warnings, programme, named: read.programme.named }
}
