import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createProgrammeReader } from '../../gateway/programme-reader.js'

const document = readFileSync(join(import.meta.dirname, '..', 'e2e', 'programme.json'), 'utf8')

t.test('documents are read one after the other, each with its own answer', async (t) => {
  const reader = createProgrammeReader()
  t.teardown(() => reader.close())
  const [good, faulty, again] = await Promise.all([reader.read(document), reader.read('{}'), reader.read(document)])
  t.equal(good?.kind, 'read')
  t.match(faulty, { kind: 'faulty', faults: [{ path: 'benefits' }] })
  t.same(again, good)
  t.equal(again?.kind === 'read' && again.programme.document, document)
})

t.test('too many that wait are refused, and so is everything after the end', async (t) => {
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

t.test('a document that is no text breaks its own reading only', async (t) => {
  const reader = createProgrammeReader()
  t.teardown(() => reader.close())
  await t.rejects(reader.read(Symbol('broken') as never))
  await t.rejects(reader.read(null as never))
  t.equal((await reader.read(document)).kind, 'read')
})
