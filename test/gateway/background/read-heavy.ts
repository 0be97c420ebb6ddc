import { createProgrammeReader } from '../../../gateway/background/programme-reader.js'

/** Reads a document under the refused weight and beyond the least heap of the thread, then another one; prints both results. */
const reader = createProgrammeReader()
const heavy = Buffer.from(`[1${',{"b":{"c":{}}}'.repeat(1_300_000)}]`)
const both = await Promise.all([reader.read(heavy), reader.read(Buffer.from('{}'))])
process.stdout.write(both.map((one) => (one.kind === 'faulty' ? one.faults[0]?.expected : one.kind)).join(', '))
await reader.close()
