import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..', '..')
// Whoever owns the checkout: git else refuses to look into another user's.
const listing = ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard']
const tracked = execFileSync('git', listing, { cwd: root })
  .toString()
  .split('\n')
  .filter((name) => name !== '' && !name.includes('/gen/'))
const sources = tracked.filter((name) => /^(gateway|engine|store|clients|bench|test)\/.*\.ts$/.test(name))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const linesMax = 400
const functionLinesMax = 70
/** In tests a simulated store or world is one closure over its state. */
const testFunctionLinesMax = 160

/** What a listener may see of the stores; `store/ledger` stands for its folder of contracts by kind of record too. */
const storeContracts = ['store/ledger', 'store/cache', 'store/fault', 'store/call-deadline']

/** What each room may import of the others; a room is the longest prefix that fits. */
const mayImport: readonly (readonly [room: string, allowed: readonly string[]])[] = [
  ['engine/core/', ['engine/core/']],
  ['engine/', ['engine/', 'node', 'package']],
  ['store/', ['store/', 'engine/core/', 'engine/index', 'node', 'package']],
  ['gateway/rest/', ['gateway/', 'engine/', ...storeContracts, 'node', 'package']],
  ['gateway/rpc/', ['gateway/', 'engine/', ...storeContracts, 'node', 'package']],
  ['gateway/', ['gateway/', 'engine/', 'store/', 'node', 'package']],
  ['clients/pos/', ['clients/pos/', 'node']],
  ['clients/', ['clients/', 'engine/', 'store/', 'gateway/', 'node', 'package']],
  ['bench/', ['bench/', 'clients/', 'engine/', 'store/', 'gateway/', 'test/servers/', 'node', 'package']],
  ['test/', ['']],
]

function importsOf(source: string): string[] {
  return [
    ...source.matchAll(/(?:^|\n)(?:import|export)\s[^'"]*?from\s+'([^']+)'/g),
    ...source.matchAll(/\bimport\('([^']+)'\)/g),
  ].map((match) => match[1] ?? '')
}

function resolved(from: string, target: string): string {
  if (target.startsWith('.')) return normalize(join(dirname(from), target))
  return target.startsWith('node:') ? 'node' : 'package'
}

function longFunctions(source: string, linesMax: number): number[] {
  const lines = source.split('\n')
  return lines.flatMap((line, at) => {
    const opening = /^( *)(?:export )?(?:async )?function\b.*\{$/.exec(line)
    if (!opening) return []
    const end = lines.findIndex((other, after) => after > at && other === `${opening[1]}}`)
    return end - at > linesMax ? [at + 1] : []
  })
}

t.test('every file name is kebab-case and names one thing', (t) => {
  const odd = sources.filter((name) => !/^[a-z0-9-]+(\.test)?\.ts$/.test(basename(name)))
  t.same(odd, [])
  t.same(
    sources.filter((name) => /(^|[-/])(data|info|utils?|helpers?|managers?|process|handle)(-[a-z]+)?\.ts$/.test(name)),
    [],
  )
  t.end()
})

t.test('no file is longer than 400 lines and no function of the product longer than 70', (t) => {
  t.same(
    sources.filter((name) => read(name).split('\n').length > linesMax + 1),
    [],
  )
  t.same(
    sources.flatMap((name) =>
      longFunctions(read(name), name.startsWith('test/') ? testFunctionLinesMax : functionLinesMax).map(
        (line) => `${name}:${line}`,
      ),
    ),
    [],
  )
  t.end()
})

t.test('every room imports only what it may', (t) => {
  const wrong = sources.flatMap((name) => {
    const allowed = mayImport.find(([room]) => name.startsWith(room))?.[1] ?? ['']
    return importsOf(read(name))
      .filter((target) => !allowed.some((prefix) => resolved(name, target).startsWith(prefix)))
      .map((target) => `${name} -> ${target}`)
  })
  t.same(wrong, [])
  t.end()
})

t.test('nobody imports the tests, the process entry or, from the product, the bench', (t) => {
  const wrong = sources
    .filter((name) => !/^(test|bench|clients)\//.test(name))
    .flatMap((name) => importsOf(read(name)).map((target) => [name, resolved(name, target)] as const))
    .filter(([, target]) => /^(test|bench|clients)\//.test(target) || target === 'gateway/main.js')
  t.same(wrong, [])
  t.end()
})

t.test('the engine core is pure: no clock, chance, waiting, log or process', (t) => {
  const wrong = sources
    .filter((name) => name.startsWith('engine/core/'))
    .filter((name) =>
      /\bDate\.now\b|new Date\(\)|Math\.random|\bawait\b|\basync\b|console\.|\bprocess\.|performance\./.test(
        withoutComments(read(name)),
      ),
    )
  t.same(wrong, [])
  t.end()
})

t.test('only the entries touch the process', (t) => {
  const entries = /^(gateway\/main\.ts|clients\/|bench\/|test\/)/
  const wrong = sources.filter(
    (name) => !entries.test(name) && /\bprocess\.(env|exit|argv|on)\b/.test(withoutComments(read(name))),
  )
  t.same(wrong, [])
  t.end()
})

t.test('nothing is left unfinished, skipped or re-exported wholesale', (t) => {
  const marks = new RegExp(['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', '\\.only\\(', 'test\\.sk' + 'ip'].join('|'))
  t.same(
    tracked.filter(
      (name) => /\.(ts|lua|sql|proto|mjs)$/.test(name) && name !== 'test/tidy.test.ts' && marks.test(read(name)),
    ),
    [],
  )
  t.same(
    sources.filter((name) => /^export \*/m.test(read(name))),
    [],
  )
  t.same(
    sources.filter((name) => /^export default/m.test(read(name)) && name !== 'engine/thread/worker.ts'),
    [],
  )
  t.end()
})

t.test('chance has a fixed seed: the tests have fast-check from one file alone', (t) => {
  const wrong = sources.filter((name) => name !== 'test/seeded.ts' && importsOf(read(name)).includes('fast-check'))
  t.same(wrong, [])
  t.end()
})

t.test('the lock file names no download host and nothing holds a machine path', (t) => {
  t.notMatch(read('package-lock.json'), /"resolved": "https?:/)
  t.same(
    tracked.filter(
      (name) =>
        /\.(ts|mjs|md|json|yml|yaml|sql|lua)$/.test(name) && /(^|[\s"'`(])\/(work|root|home)\//.test(read(name)),
    ),
    [],
  )
  t.end()
})

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
