import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import t from 'tap'
import type { CalculationRecord } from '../../../store/ledger/calculations.js'
import { bucketCount, bucketOf, createKeys } from '../../../store/redis/keys.js'
import { readAnswer, readRecord, writeAnswer, writeRecord } from '../../../store/redis/record.js'
import { fc } from '../../support/seeded.js'
import { aRecord, plain } from './caches.js'

const text = fc.string({ unit: 'binary' })
const bytes = fc.uint8Array({ maxLength: 300 })
const amount = fc.maxSafeNat()

const records = fc.record({
  supersedesCalculationId: fc.option(fc.uuid()),
  status: fc.constantFrom('applied', 'unchanged', 'member_not_found'),
  reason: fc.option(text),
  venueId: text,
  loyaltyId: fc.option(text),
  netBefore: amount,
  answeredAt: amount,
  optimal: fc.boolean(),
  gap: amount,
  earning: fc.option(text),
  digest: bytes,
  packed: bytes,
  explanation: bytes,
  inputs: text,
  holds: fc.array(
    fc.record(
      { limitId: text, subject: text, period: text, units: amount, maximum: amount },
      { noNullPrototype: true },
    ),
  ),
})

// Few characters, so that colliding names are likely.
const part = fc.string({ unit: fc.constantFrom(':', '%', '{', '}', '3', 'a', 'é') })
const counters = fc.record({ limitId: part, subject: part, period: part })

await t.test('a calculation is read as it was written', async (t) => {
  const property = fc.property(records, (fields) => {
    const calculation = aRecord(fields as Partial<CalculationRecord>)
    const { answer, record } = writeRecord(calculation)
    const { calculationId } = calculation
    assert.deepEqual(plain(readRecord(calculationId, { answer, record }) as CalculationRecord), plain(calculation))
    assert.deepEqual(
      plain(readAnswer(calculationId, answer)!),
      plain({ digest: calculation.digest, packed: calculation.packed }),
    )
  })
  t.doesNotThrow(() => fc.assert(property))
})

await t.test('a record is hardly larger than its bytes', async (t) => {
  const record = aRecord({ packed: Buffer.alloc(6_000), explanation: Buffer.alloc(500), inputs: 'x'.repeat(1_000) })
  const written = writeRecord(record)
  const size = written.answer.length + written.record.length
  t.ok(size < 6_000 + 500 + 1_000 + 800, `${size} bytes`)
})

await t.test('only the view of an answer in a larger buffer is written', async (t) => {
  const whole = Buffer.from('before|packed|after')
  const written = writeAnswer('c-1', {
    digest: whole.subarray(0, 6),
    packed: new Uint8Array(whole.buffer, whole.byteOffset + 7, 6),
  })
  const expected = '\0\0\0\u0006before\0\0\0\u0006packed\0\0\0\u0014'
  t.equal(written.subarray(0, -20).toString('latin1'), expected, 'and a checksum')
})

await t.test('a record of a later format stays as it is, and anything else is broken', async (t) => {
  const calculation = aRecord()
  const { calculationId } = calculation
  const { answer, record } = writeRecord(calculation)
  const later = Buffer.concat([Buffer.from([0, 0, 0, 13]), Buffer.from('calculation 2'), Buffer.from([0, 0, 0, 1, 7])])
  t.equal(readRecord(calculationId, { answer, record: later }), 'later')
  for (const broken of [
    Buffer.alloc(0),
    Buffer.from([0, 0, 0, 1, 7]),
    answer,
    record.subarray(0, -1),
    randomBytes(300),
  ]) {
    t.equal(readRecord(calculationId, { answer, record: broken }), 'broken')
  }
  t.equal(readRecord(randomUUID(), { answer, record }), 'broken', 'of another calculation')
})

await t.test('an answer that is cut, changed in one bit or of another calculation is refused', async (t) => {
  const calculation = aRecord({ packed: randomBytes(200) })
  const { calculationId } = calculation
  const { answer } = writeRecord(calculation)
  for (let end = 0; end < answer.length; end += 1) {
    t.equal(readAnswer(calculationId, answer.subarray(0, end)), null, `${end} bytes`)
  }
  for (let bit = 0; bit < 8 * answer.length; bit += 1) {
    const changed = Buffer.from(answer)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    if (readAnswer(calculationId, changed) !== null) t.fail(`bit ${bit}`)
  }
  t.equal(readAnswer(randomUUID(), answer), null)
})

await t.test('two counters share their keys only when they are equal', async (t) => {
  const keys = createKeys('house')
  const property = fc.property(counters, counters, (left, right) => {
    const same = JSON.stringify(left) === JSON.stringify(right)
    assert.equal(keys.counter(left)[0] === keys.counter(right)[0], same)
    const [counter, holds] = keys.counter(left)
    assert.match(counter, /^house:\{[^{}]+\}:counter$/s)
    assert.match(holds, /^house:\{[^{}]+\}:holds$/s)
  })
  const meeting = ['a:', 'a'].map((limitId, index) => ({ limitId, subject: ['', ':'][index]!, period: '' }))
  t.doesNotThrow(() => fc.assert(property, { examples: [[meeting[0]!, meeting[1]!]] }))
})

await t.test('calculations spread over all buckets, whatever their first digits', async (t) => {
  const ids = Array.from(
    { length: 256 },
    (_, last) => `019a0000-0000-7000-8000-0000000000${last.toString(16).padStart(2, '0')}`,
  )
  const counts = Array.from({ length: bucketCount }, (_, bucket) => ids.filter((id) => bucketOf(id) === bucket).length)
  t.same(counts, new Array(bucketCount).fill(4))
  t.equal(createKeys('loyalty').calculation(ids[0xff]!), `loyalty:{3f}:calculation:${ids[0xff]}`)
  t.equal(createKeys('loyalty').journal(0x3f), 'loyalty:{3f}:journal')
  t.throws(() => bucketOf('no-uuid'), RangeError)
})
