import t from 'tap'
import { compressZstd, decompressZstd, hasZstd, isZstd } from '../../../engine/wire/zstd.js'

const bytesMax = 8 * 1024 * 1024
const none = new Uint8Array(0)

/** Of "the same words, the same words, the same words." without a dictionary. */
const frame = Buffer.from('KLUv/SAvvQAAiHRoZSBzYW1lIHdvcmRzLCAuAQBGnEs=', 'base64')
const content = 'the same words, the same words, the same words.'

t.test('every runtime reads a frame', async (t) => {
  t.ok(isZstd(frame))
  t.equal(Buffer.from(decompressZstd(frame, none, bytesMax)).toString(), content)
})

t.test('refuses what is no frame, is cut, or holds too much', async (t) => {
  t.notOk(isZstd(Buffer.from('{}')))
  t.throws(() => decompressZstd(Buffer.from('{"a":"no frame"}'), none, bytesMax), /not a zstd frame/)
  for (const length of [4, 8, 12, frame.length - 1]) {
    t.throws(() => decompressZstd(frame.subarray(0, length), none, bytesMax), `${length} bytes`)
  }
  t.throws(() => decompressZstd(frame, none, content.length - 1), /too large/)
})

t.test('gives back content of every size, with a dictionary and without', { skip: !hasZstd }, async (t) => {
  const dictionary = Buffer.from('"lineId":"","productId":"","quantity":1,"unitPrice":')
  const text = Array.from(
    { length: 40_000 },
    (_, at) => `{"lineId":"${at}","productId":"p${(at * 7919) % 10_007}"}`,
  ).join()
  for (const size of [0, 1, 200, 255, 256, 257, 5_000, 65_791, 65_792, 600_000, text.length]) {
    const bytes = Buffer.from(text.slice(0, size))
    for (const used of [none, dictionary]) {
      const packed = compressZstd(bytes, used.length > 0 ? used : null)
      t.equal(Buffer.compare(decompressZstd(packed, used, bytesMax), bytes), 0, `${size} bytes`)
    }
  }
  const short = Buffer.from(text.slice(0, 300))
  t.ok(compressZstd(short, dictionary).length < compressZstd(short, null).length, 'the dictionary is used')
})
