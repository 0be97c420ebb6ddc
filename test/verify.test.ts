import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { casesByKind } from './faults/cases/every-case.js'

interface Rig {
  readonly name: string
  readonly tests: readonly string[]
  readonly env: { readonly FAULTS?: string }
  readonly runtime?: string
}

const root = join(import.meta.dirname, '..', '..')
const { shares, shareOf, rigsNamed } = (await import(pathToFileURL(join(root, '.ci', 'rigs.mjs')).href)) as {
  readonly shares: readonly (readonly Rig[])[]
  shareOf(epochMs: number): number
  rigsNamed(name: string): readonly Rig[]
}
const rigs = shares.flat()
const dayMs = 86_400_000

t.test('each rig has a name of its own and tests that exist', async (t) => {
  t.equal(new Set(rigs.map(({ name }) => name)).size, rigs.length)
  for (const file of rigs.flatMap(({ tests }) => tests)) t.ok(existsSync(join(root, file)), file)
})

t.test('days in a row run every share', async (t) => {
  const days = shares.map((_, day) => shareOf(Date.UTC(2026, 10, 23) + day * dayMs))
  t.same(
    days.sort((left, right) => left - right),
    shares.map((_, number) => number),
  )
})

t.test('every kind of fault is in one rig', async (t) => {
  t.same(rigs.flatMap(({ env }) => env.FAULTS ?? []).sort(), Object.keys(casesByKind).sort())
})

t.test('the image and CI are on releases of Node.js that a rig tests', async (t) => {
  const tested = rigs.flatMap(({ runtime }) => runtime ?? [])
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  const images = [...read('deploy/Dockerfile').matchAll(/^FROM node:([\d.]+)-/gm)].map(([, version]) => version!)
  t.equal(images.length, 2)
  t.same(
    images.filter((version) => !tested.includes(version)),
    [],
  )
  const ci = read('.github/workflows/ci.yml').match(/(?<=node-version: )[\d[].*/g) ?? []
  t.same(ci.flatMap((list) => list.match(/\d+/g)!).sort(), tested.map((version) => version.split('.')[0]).sort())
})

t.test('every test that has a full size is in a rig', async (t) => {
  const inRigs = new Set(rigs.flatMap(({ tests }) => tests))
  const left = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && name !== 'verify.test.ts')
    .map((name) => join('test', name))
    .filter((file) => !inRigs.has(file) && isSized(file))
  t.same(left, [])
})

/** True: a file or one that it imports uses a size. */
function isSized(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file) || !file.startsWith('test/') || !existsSync(join(root, file))) return false
  seen.add(file)
  const source = readFileSync(join(root, file), 'utf8')
  if (/import \{.*\b(sized|isFull)\b.*\} from/.test(source)) return true
  return [...source.matchAll(/from '(\.[^']+)\.js'/g)].some(([, target]) =>
    isSized(join(dirname(file), `${target}.ts`), seen),
  )
}

t.test('a name means a rig or all below it', async (t) => {
  t.same(
    rigsNamed('hostile/fuzz').map(({ name }) => name),
    ['hostile/fuzz'],
  )
  t.equal(rigsNamed('faults').length, Object.keys(casesByKind).length + 2)
  t.same(rigsNamed('fault'), [])
})

t.test('npm run verify lists the shares and refuses a rig that does not exist', async (t) => {
  const verify = (...words: readonly string[]) =>
    spawnSync(process.execPath, [join(root, '.ci', 'verify.mjs'), ...words], { encoding: 'utf8' })
  const { stdout } = verify('--list')
  t.equal(stdout.trim().split('\n').length, shares.length)
  t.match(stdout, /, today: /)
  t.equal(verify('no-such-rig').status, 2)
})
