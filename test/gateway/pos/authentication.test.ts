import t from 'tap'
import { isStale, readSignature, verifySignature } from '../../../gateway/pos/authentication.js'
import { fc } from '../../support/seeded.js'
import { signatureOf } from '../../support/sign.js'

const sign = (t: string, body: Uint8Array, secret: Uint8Array) => signatureOf(secret, t, body)

/** True when a header and a body pass checks 5 and 6. */
function passes(header: string, body: Uint8Array, secrets: readonly Uint8Array[], nowMs: number): boolean {
  const signature = readSignature(header)
  return signature !== null && verifySignature(signature, body, secrets) && !isStale(signature, nowMs)
}

t.test('a body signed with any active secret passes, among other digests and keys', async (t) => {
  const arbitrary = fc.record({
    body: fc.uint8Array({ maxLength: 300 }),
    secrets: fc.array(fc.uint8Array({ minLength: 1, maxLength: 80 }), { minLength: 1, maxLength: 4 }),
    which: fc.nat(3),
    offsetS: fc.integer({ min: -300, max: 300 }),
    upper: fc.boolean(),
    decoys: fc.nat(7),
    place: fc.nat(7),
  })
  const property = fc.property(arbitrary, ({ body, secrets, which, offsetS, upper, decoys, place }) => {
    const nowMs = 1_763_700_000_123
    const at = String(Math.floor(nowMs / 1000) + offsetS)
    const right = sign(at, body, secrets[which % secrets.length]!)
    const digests = Array.from({ length: decoys }, () => '0'.repeat(64))
    digests.splice(place % (decoys + 1), 0, upper ? right.toUpperCase() : right)
    const header = ['x=1', `t=${at}`, ...digests.map((digest) => `v1=${digest}`)].join(',')
    return passes(header, body, secrets, nowMs)
  })
  await t.resolves(async () => fc.assert(property, { numRuns: 1_000 }))
})

t.test('no change of a byte of header or body passes', async (t) => {
  const secret = Buffer.from('secret')
  const nowMs = 1_763_700_000_000
  const at = String(nowMs / 1000)
  const arbitrary = fc.record({
    body: fc.uint8Array({ minLength: 1, maxLength: 60 }),
    inBody: fc.boolean(),
    place: fc.nat(1_000),
    change: fc.integer({ min: 1, max: 255 }),
    kind: fc.constantFrom('change', 'cut', 'insert'),
  })
  const property = fc.property(arbitrary, ({ body, inBody, place, change, kind }) => {
    const header = Buffer.from(`t=${at},v1=${sign(at, body, secret)}`)
    const target = inBody ? Buffer.from(body) : header
    const spot = place % target.length
    const parts = [target.subarray(0, spot), target.subarray(spot)] as const
    const mutated =
      kind === 'cut'
        ? Buffer.concat([parts[0], parts[1].subarray(1)])
        : kind === 'insert'
          ? Buffer.concat([parts[0], Buffer.from([change]), parts[1]])
          : Buffer.concat([parts[0], Buffer.from([parts[1][0]! ^ change]), parts[1].subarray(1)])
    const text = (inBody ? header : mutated).toString('latin1')
    // Hex digits count in either case, so this changes nothing.
    if (text.toLowerCase() === header.toString('latin1') && !inBody) return true
    if (inBody && mutated.equals(body)) return true
    return !passes(text, inBody ? mutated : body, [secret], nowMs)
  })
  await t.resolves(async () => fc.assert(property, { numRuns: 20_000 }))
})

t.test('no text makes the reader throw', async (t) => {
  const pieces = fc.constantFrom('t', 'v1', '=', ',', ' ', '1', 'a', 'f'.repeat(64), '\u0000', 'é', '\ud800')
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((parts) => parts.join('')),
  )
  await t.resolves(async () =>
    fc.assert(
      fc.property(text, (header) => {
        readSignature(header)
        return true
      }),
      { numRuns: 5_000 },
    ),
  )
})

t.test('the window is 300 seconds either way, inclusive', async (t) => {
  const stale = (at: number, nowMs: number) => isStale({ t: String(at), digests: [] }, nowMs)
  t.notOk(stale(700, 1_000_999))
  t.ok(stale(699, 1_000_000))
  t.notOk(stale(1_300, 1_000_000))
  t.ok(stale(1_301, 1_000_999))
  t.ok(stale(0, 1_000_000))
  t.ok(stale(999_999_999_999, 1_000_000))
})
