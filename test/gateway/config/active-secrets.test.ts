import { createHash } from 'node:crypto'
import t from 'tap'
import { ActiveSecrets } from '../../../gateway/config/active-secrets.js'
import { newSecret } from '../../../gateway/config/secrets.js'
import { readSecretsFile, secretsMax } from '../../../gateway/config/secrets-file.js'
import { secretContents } from './secret-contents.js'

const overlapMs = 600_000
const [valid, other, third] = [newSecret(), newSecret(), newSecret()]

/** Secrets with a clock that the test sets. */
function aSet(own: readonly string[] = []) {
  let nowMs = 1_000
  const set = new ActiveSecrets(own, overlapMs, () => nowMs)
  return {
    set,
    at(ms: number) {
      nowMs = 1_000 + ms
    },
    read(...lines: readonly string[]) {
      const read = readSecretsFile(lines.map((line) => `${line}\n`).join(''), 'staging')
      return read.kind === 'refused' ? read.reason : set.take(read)
    },
    active: () => set.active().map((secret) => Buffer.from(secret).toString()),
  }
}

t.test('a secret removed from the file stays active until its overlap ends, to the millisecond', (t) => {
  const { read, at, active, set } = aSet()
  read(valid, other)
  at(5_000)
  t.equal(read(other), null)
  t.same(active(), [other, valid])
  t.equal(set.leaving, 1)
  at(5_000 + overlapMs - 1)
  t.same(active(), [other, valid])
  at(5_000 + overlapMs)
  t.same(active(), [other])
  t.equal(set.leaving, 0)
  t.end()
})

t.test('a secret that returns to the file has no overlap any more', (t) => {
  const { read, at, active } = aSet()
  read(valid, other)
  at(1)
  read(other)
  at(2)
  read(valid, other)
  at(3 * overlapMs)
  t.same(active(), [valid, other])
  t.end()
})

t.test(
  'a revoked secret ends at once: in the file, in its overlap, of the environment, by itself or by its digest',
  (t) => {
    const digest = createHash('sha256').update(valid).digest('hex')
    for (const line of [`revoked:${valid}`, `revoked:${digest}`]) {
      const inFile = aSet()
      inFile.read(valid, other)
      t.equal(inFile.read(valid, other, line), null)
      t.same(inFile.active(), [other])
      inFile.read(other)
      t.same(inFile.active(), [other], 'and has no overlap when its lines go')

      const inOverlap = aSet()
      inOverlap.read(valid, other)
      inOverlap.read(other)
      inOverlap.read(other, line)
      t.same(inOverlap.active(), [other])

      const own = aSet([valid])
      own.read(other, line)
      t.same(own.active(), [other])
    }
    const last = aSet()
    last.read(valid)
    t.equal(last.read(`revoked:${valid}`), null)
    t.same(last.active(), [], 'even the last one')
    t.end()
  },
)

t.test('a prefix of an active secret means a truncated file', (t) => {
  const { read, active } = aSet()
  read(valid, other)
  t.equal(read(other, valid.slice(0, 40)), 'not_whole')
  t.same(active(), [valid, other])
  t.end()
})

t.test('a constantly changing file ends no valid secret early and bounds the number of active ones', (t) => {
  const { read, at, active } = aSet([other])
  read(valid)
  for (let round = 0; round < 5 * secretsMax; round += 1) {
    at(round)
    read(newSecret())
    t.ok(active().includes(valid))
    t.ok(active().length <= 2 * secretsMax + 1)
  }
  t.equal(read(third), 'too_many')
  t.equal(read(third, `revoked:${other}`), 'too_many')
  t.notOk(active().includes(other), 'what is revoked ends even then')
  at(overlapMs + 5 * secretsMax)
  t.equal(read(third), null)
  t.end()
})

t.test('every invalid content of a secrets file has its reason', (t) => {
  const reasons = secretContents(valid, other).map(({ title, content }) => {
    const read = readSecretsFile(String(content ?? ''), 'staging')
    return [title, read.kind === 'refused' ? read.reason : 'read']
  })
  t.same(Object.fromEntries(reasons), {
    whole: 'read',
    empty: 'empty',
    'blank lines': 'empty',
    'cut in the first secret': 'read',
    'cut in the last secret': 'read',
    'cut before the last line feed': 'read',
    'cut at a line end': 'read',
    'cut in a secret, and a line feed': 'read',
    'a line of an error page': 'not_secrets',
    'an error page': 'not_secrets',
    'an error in JSON': 'not_secrets',
    'a word': 'not_secrets',
    'a message': 'not_secrets',
    bytes: 'not_secrets',
    zeros: 'not_secrets',
    'too much': 'too_large',
    gone: 'empty',
  })
  t.equal(reasons.length, 17)
  t.end()
})

t.test('secrets made by people and tools are accepted', (t) => {
  for (const line of [
    valid,
    'dGhpcyBpcyBhIHNlY3JldA==',
    'fdd2f2b6-6b3c-4a43-9d0c-1a2b3c4d5e6f',
    'whsec_J8s0kLq/2+4=~!',
    'p@$$w0rd%of^16&*',
    'x'.repeat(256),
  ]) {
    t.match(readSecretsFile(`  ${line}\r\n\n`, 'staging'), { kind: 'read', secrets: [line] })
  }
  for (const line of ['x'.repeat(15), 'x'.repeat(257), 'é'.repeat(20), 'correct horse battery', 'revoked:short']) {
    t.same(readSecretsFile(`${line}\n`, 'staging'), { kind: 'refused', reason: 'not_secrets', line: 1 }, line)
  }
  const many = (lines: number) => Array.from({ length: lines }, () => `${newSecret()}\n`).join('')
  t.equal(readSecretsFile(many(16), 'staging').kind, 'read')
  t.same(readSecretsFile(many(17), 'staging'), { kind: 'refused', reason: 'too_many', line: null })
  t.end()
})

t.test('on production a secret below 24 characters is refused by its line; a revoked one may be short', (t) => {
  const read = (...lines: string[]) => readSecretsFile(lines.map((line) => `${line}\n`).join(''), 'production')
  const [short, long] = ['x'.repeat(23), 'x'.repeat(24)]
  t.same(read(valid, '', short), { kind: 'refused', reason: 'too_short', line: 3 })
  t.match(read(valid, long, `revoked:${short}`), { kind: 'read', secrets: [valid, long], revoked: [short] })
  t.end()
})
