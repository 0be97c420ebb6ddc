import { parentPort, workerData } from 'node:worker_threads'
import { readProgramme } from '../engine/programme/read-programme.js'
import { prepareProgramme } from '../store/postgres/programmes.js'
import type { ReadingReply } from './programme-reader.js'

/** The entry of a reading thread: reads one document, answers, ends. */

const read = readProgramme(workerData as string)
parentPort!.postMessage(read.kind === 'faulty' ? read : prepared(read))

function prepared({ programme, warnings }: Extract<typeof read, { readonly kind: 'read' }>): ReadingReply {
  const { document, benefitsJson, venues, members } = programme
  const ready = prepareProgramme({ document, benefits: benefitsJson, venues, members })
  const { digest, benefits, venues: venueRows, members: memberRows } = ready
  return { kind: 'read', warnings, programme: { digest, benefits, venues: venueRows, members: memberRows } }
}
