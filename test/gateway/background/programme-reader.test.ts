import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createProgrammeReader } from '../../../gateway/background/programme-reader.js'

const document = readFileSync(join(import.meta.dirname, '..', '..', 'e2e', 'programme.json'))

t.test('documents are read one after the other, each with its own answer', async (t) => {
  const reader = createProgrammeReader()
  t.teardown(() => reader.close())
  const [good, faulty, again] = await Promise.all([
    reader.read(document),
    reader.read(Buffer.from('{"benefits": 1}')),
    reader.read(document),
  ])
  t.equal(good?.kind, 'read')
  t.match(faulty, { kind: 'faulty', faults: [{ path: 'benefits' }] })
  t.same(again, good)
  t.equal(again?.kind === 'read' && again.programme.document, document.toString())
})

t.test('a document of more values than the thread has memory for is not parsed', async (t) => {
  const reader = createProgrammeReader()
  t.teardown(() => reader.close())
  const reading = await reader.read(Buffer.from(`{"venues":[{}${',{}'.repeat(1_000_000)}]}`))
  t.match(reading, { kind: 'faulty', faults: [{ path: 'document', expected: 'fewer values' }] })
})

t.test('a full queue refuses documents, and so does a closed reader', async (t) => {
  const reader = createProgrammeReader()
  const readings = Array.from({ length: 9 }, () => reader.read(document))
  await t.rejects(readings.pop()!, { message: 'pricing engine: queue_full' })
  t.same(new Set((await Promise.all(readings)).map(({ kind }) => kind)), new Set(['read']))
  const cut = reader.read(document)
  const refused = t.rejects(cut, { name: 'EngineFault' })
  await reader.close()
  await refused
  await t.rejects(reader.read(document), { message: 'pricing engine: closed' })
})

t.test('a document that is not text fails its own reading only', async (t) => {
  const reader = createProgrammeReader()
  t.teardown(() => reader.close())
  await t.rejects(reader.read(Symbol('broken') as never))
  await t.rejects(reader.read(null as never))
  t.equal((await reader.read(document)).kind, 'read')
})

t.test('a document that takes more memory than there is is refused, and the next one is read', async (t) => {
  const words = ['--max-old-space-size=300', join(import.meta.dirname, 'read-heavy.js')]
  const { stdout } = await promisify(execFile)(process.execPath, words)
  t.match(stdout, /^fewer values, read/)
})
