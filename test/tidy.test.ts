import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..', '..')
// Git otherwise refuses a checkout of another user.
const listing = ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard']
const tracked = execFileSync('git', listing, { cwd: root })
  .toString()
  .split('\n')
  .filter((name) => name !== '' && !name.includes('/gen/'))
const sources = tracked.filter((name) => /^(gateway|engine|store|clients|bench|test|console)\/.*\.tsx?$/.test(name))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const linesMax = 400
const functionLinesMax = 70
const testFunctionLinesMax = 160

const storeContracts = ['store/ledger', 'store/cache', 'store/fault', 'store/call-deadline']

/** The rooms below the listeners, lowest first: each imports itself and the rooms before it. */
const gatewayOrder = ['config', 'telemetry', 'cache', 'background', 'use-cases', 'listeners']

/** Parts of the stores that a room of the gateway uses in addition to their contracts. */
const storeParts: Readonly<Record<string, readonly string[]>> = {
  config: ['store/postgres/connection/options', 'store/embedded/folder'],
  telemetry: ['store/with-methods'],
  cache: ['store/with-methods'],
  background: ['store/postgres/programmes/', 'store/redis/faults'],
}

/** The rooms of the engine's core, lowest first: the same rule. */
const coreRooms = 'base match offers lines model order walk search explain write earn returns'.split(' ')
const coreOrder = coreRooms.map((room) => `engine/core/${room}/`)

const belowListeners = gatewayOrder.map((room) => `gateway/${room}/`)
const outside = ['node', 'package']

/** Allowed imports of each room, by the first prefix that fits. No file imports `main`. */
const mayImport: readonly (readonly [room: string, allowed: readonly string[]])[] = [
  ...coreOrder.map((room, at): [string, string[]] => [room, coreOrder.slice(0, at + 1)]),
  ['engine/core/', ['engine/core/']],
  ['engine/value/', ['engine/value/', 'engine/core/base/']],
  ['engine/index', ['engine/core/']],
  ['engine/wire/', ['engine/wire/', 'engine/core/', 'engine/index', ...outside]],
  ['engine/programme/', ['engine/programme/', 'engine/wire/', 'engine/core/', 'engine/index', ...outside]],
  ['engine/worst/', ['engine/worst/', 'engine/programme/', 'engine/value/', 'engine/wire/', 'engine/core/']],
  ['engine/experiments/', ['engine/experiments/', 'engine/programme/currency-digits']],
  ['engine/thread/', ['engine/', ...outside]],
  ['store/', ['store/', 'engine/core/', 'engine/value/', 'engine/index', ...outside]],
  ...gatewayOrder.map((room, at): [string, string[]] => [
    `gateway/${room}/`,
    [...belowListeners.slice(0, at + 1), 'engine/', ...storeContracts, ...(storeParts[room] ?? []), ...outside],
  ]),
  ['gateway/pos/', ['gateway/pos/', ...belowListeners, 'engine/', ...storeContracts, ...outside]],
  [
    'gateway/internal/',
    ['gateway/internal/', 'gateway/gen/', ...belowListeners, 'engine/', ...storeContracts, ...outside],
  ],
  ['gateway/processes/', ['gateway/processes/', 'gateway/telemetry/', 'gateway/config/', ...outside]],
  ['gateway/open-stores', ['gateway/telemetry/', 'gateway/config/', 'store/', ...outside]],
  [
    'gateway/compose',
    [
      ...['gateway/pos/', 'gateway/internal/', 'gateway/processes/', 'gateway/open-stores', ...belowListeners],
      ...['engine/', ...storeContracts, ...outside],
    ],
  ],
  [
    'gateway/main',
    [...belowListeners.slice(0, 2), 'gateway/compose', 'gateway/processes/', 'engine/thread/v8-flags', 'node'],
  ],
  ['clients/pos-js/', ['clients/pos-js/', 'node']],
  ['clients/import/', ['clients/import/']],
  ['clients/', ['clients/', 'engine/', 'store/', 'gateway/', ...outside]],
  ['bench/', ['bench/', 'clients/', 'engine/', 'store/', 'gateway/', 'test/support/', 'test/oracle/', ...outside]],
  ['console/', ['console/src/', 'clients/import/', 'engine/programme/currency-digits', 'gateway/gen/', 'package']],
  ['test/', ['']],
]

/** Refused imports of a room, though the rooms above allow them. */
const neverImports: readonly (readonly [room: string, refused: RegExp])[] = [
  ['store/redis/', /^store\/(postgres|embedded)\//],
  ['store/postgres/', /^store\/(redis|embedded)\//],
  ['store/embedded/', /^store\/redis\//],
  ['', /^gateway\/main\./],
  ['engine/', /^(gateway|store|clients|bench|test)\//],
  ['store/', /^(gateway|clients|bench|test)\//],
  ['gateway/', /^(clients|bench|test)\//],
]

/** The ledger's door, or its changes, that a room never names: a POS's calls and internal calls have connections of their own. */
const otherDoors: readonly (readonly [room: string, refused: RegExp])[] = [
  ['gateway/pos/', /\bAdminLedger\b/],
  ['gateway/internal/', /\bPosLedger\b/],
  ['gateway/internal/', ledgerChanges()],
]

/** Retired words; docs/glossary.md has the field's own. */
const retiredWords: readonly RegExp[] = [
  /\btills?\b/i,
  /\btold(?![a-z])|[a-z]Told\b/i,
  /\b(un)?hear(s|d|ing)?(?![a-z])/i,
  /muster/i,
  /rehears/i,
  /\bglanc(e|es|ed|ing)\b/i,
  /\bleft[ _]alone\b/i,
  /\blanes?\b/i,
  /\baside\b/i,
  /\bthe law\b(?! of)/i,
  /(?<!\bin )\bfront\b/i,
  /\bused[ _]up\b/i,
  /\bstor(y|ies)\b/i,
  /\bmade to hurt\b/i,
  /\bcrowd/i,
]

/** Rooms of the search: it has the terms of optimisation. */
const searchRooms = /^engine\/core\/(offers|lines|model|order|walk|search|explain)\//

const costFiles = /^engine\/core\/base\/(costs|tolerance)\.ts$/

/** Other numbers of the core: units, sizes of memory, and choices between two ways to the same result. */
const unpriced = [
  'engine/core/base/earning.ts: factorOne',
  'engine/core/base/money.ts: percentageWhole',
  'engine/core/base/money.ts: quantityOne',
  'engine/core/base/scratch.ts: keptMax',
  'engine/core/calculate.ts: untouchedListedMax',
  'engine/core/match/calendar.ts: dayMs',
  'engine/core/match/calendar.ts: minuteMs',
  'engine/core/match/compile.ts: groupBreadth',
  'engine/core/match/line-index.ts: entriesPerLine',
  'engine/core/match/line-index.ts: spreading',
  'engine/core/walk/automaton.ts: columnBits',
  'engine/core/walk/layer.ts: roomAtFirst',
  'engine/core/walk/layer.ts: statesAtFirst',
]

/** Words that the search had before, as nouns of its own and in identifiers. */
const searchWords: readonly RegExp[] = [
  /\bloose|Loose/,
  /\bfirm|Firm/,
  /\bground|Ground/,
  /\bfield|Field/,
  /\bscene|Scene/,
  /\bdeal(s|t|er|ing)?\b|\bdealt?[A-Z]|Deal/,
  /\bways\b|\bways?[A-Z]|Ways?(?![a-z])/,
  /\btracks?(?![a-z])|Tracks?(?![a-z])/,
  /\btries(?![a-z])|Tries(?![a-z])/,
  /\bcharge|Charge/,
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
  const odd = sources.filter((name) => !/^[a-z0-9-]+(\.test|\.d)?\.tsx?$/.test(basename(name)))
  t.same(odd, [])
  t.same(
    sources.filter((name) => /(^|[-/])(data|info|utils?|helpers?|managers?|process|handle)(-[a-z]+)?\.ts$/.test(name)),
    [],
  )
  t.end()
})

t.test('no file is longer than 400 lines and no function of the product longer than 70', (t) => {
  t.same(
    tracked.filter(
      (name) => /\.(tsx?|mjs|proto|sql|lua|css)$/.test(name) && read(name).split('\n').length > linesMax + 1,
    ),
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

t.test('no file imports the process entry, no store another one, and the product none of its users', (t) => {
  const wrong = sources.flatMap((name) => {
    const refused = neverImports.filter(([room]) => name.startsWith(room)).map(([, pattern]) => pattern)
    return importsOf(read(name))
      .filter((target) => refused.some((pattern) => pattern.test(resolved(name, target))))
      .map((target) => `${name} -> ${target}`)
  })
  t.same(wrong, [])
  t.end()
})

t.test('a room uses the ledger through its own door, and internal services change it by commands', (t) => {
  const wrong = otherDoors.flatMap(([room, refused]) =>
    sources.filter((name) => name.startsWith(room) && refused.test(read(name))),
  )
  t.same(wrong, [])
  t.match('adminLedger.members.block(command)', ledgerChanges())
  t.end()
})

/** The methods of the admin ledger that take a command, such as `members.block`. */
function ledgerChanges(): RegExp {
  const contracts = sources.filter((name) => name.startsWith('store/ledger')).map(read)
  const bodyOf = (type: string) => new RegExp(`interface ${type} \\{[^]*?\\n\\}`).exec(contracts.join(''))?.[0] ?? ''
  const changes = [...bodyOf('AdminLedger').matchAll(/readonly (\w+): (\w+)/g)].flatMap(([, kind, type]) =>
    [...bodyOf(type!).matchAll(/^ {2}(\w+)(?:<.*>)?\(\s*command: Command/gm)].map(([, name]) => `${kind}\\.${name}`),
  )
  return new RegExp(`\\b(${changes.join('|')})\\b`)
}

t.test('no file imports itself by way of others, types included', (t) => {
  t.same(filesInCircles(importsByFile()), [])
  t.same(
    filesInCircles(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b', 'd']],
        ['d', []],
      ]),
    ),
    ['b', 'c'],
  )
  t.end()
})

function importsByFile(): ReadonlyMap<string, readonly string[]> {
  const bare = (name: string) => name.replace(/\.(js|tsx?)$/, '')
  const files = new Set(sources.map(bare))
  return new Map(
    sources.map((name) => {
      const targets = importsOf(read(name)).map((target) => bare(resolved(name, target)))
      return [bare(name), targets.filter((target) => files.has(target))]
    }),
  )
}

/** Takes away files that import none of the rest, or that none of the rest imports, until none is left but those in and between circles. */
function filesInCircles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...imports.keys()]
  for (;;) {
    const rest = new Set(left)
    const imported = new Set(left.flatMap((name) => imports.get(name)!))
    const next = left.filter((name) => imported.has(name) && imports.get(name)!.some((target) => rest.has(target)))
    if (next.length === left.length) return left
    left = next
  }
}

/** Lines that match one of the patterns: file, line and match. */
function found(names: readonly string[], patterns: readonly RegExp[]): string[] {
  return names.flatMap((name) =>
    read(name)
      .split('\n')
      .flatMap((line, at) => {
        const match = patterns.map((pattern) => pattern.exec(line)?.[0]).find((match) => match !== undefined)
        return match === undefined ? [] : [`${name}:${at + 1}: ${match}`]
      }),
  )
}

t.test('source, tests and docs use no retired word', (t) => {
  const held = tracked.filter((name) => name !== 'test/tidy.test.ts')
  t.same(found(held, retiredWords), [])
  t.end()
})

t.test('no comment opens with Of, What, Whether, Who, Whom or Whose', (t) => {
  const held = tracked.filter((name) => /\.(tsx?|mjs|lua|proto|sql)$/.test(name))
  t.same(found(held, [/(\/\/|\/\*\*|--|^ *\*) (Of|What|Whether|Whom?|Whose)\b/]), [])
  t.end()
})

t.test('the search has the terms of optimisation', (t) => {
  const isHeld = (text: string) => searchWords.some((word) => word.test(text))
  const held = tracked.filter((name) => searchRooms.test(name))
  t.same(found(held, searchWords), [])
  for (const text of ['isFirm', 'tieGroundOf', 'lineField', 'dealOptions', 'DealtLine', 'waysMax', 'trackOf', 'Tries'])
    t.ok(isHeld(text), text)
  for (const text of ['entries', 'confirmed', 'background', 'ideal', 'always', 'in this way', 'try', 'discharge'])
    t.notOk(isHeld(text), text)
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

t.test('the numbers of the search stand in its cost model', (t) => {
  const found = sources
    .filter((name) => name.startsWith('engine/core/') && !costFiles.test(name))
    .flatMap((name) => numbersOf(read(name)).map((number) => `${name}: ${number}`))
  t.same(found.toSorted(), unpriced)
  t.equal(
    numbersOf('const a = 1\nexport const b: Money = 2_000 // two\n  const c = 3\nconst d = a + 1\n').join(),
    'a,b',
  )
  t.end()
})

function numbersOf(source: string): string[] {
  const declared = /^(?:export )?const (\w+)(?:: \w+)? = -?[\d.][\w.]*(?: [*/] [\d.][\w.]*)*;?(?= *$| *\/\/)/gm
  return [...source.matchAll(declared)].map((match) => match[1] ?? '')
}

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
  // Piscina and Medusa run a file's default export.
  const loaded = ['engine/thread/worker.ts', 'bench/peers/medusa-entry.ts']
  t.same(
    sources.filter((name) => /^export default/m.test(read(name)) && !loaded.includes(name)),
    [],
  )
  t.end()
})

t.test('chance has a fixed seed: the tests have fast-check from one file alone', (t) => {
  const wrong = sources.filter(
    (name) => name !== 'test/support/seeded.ts' && importsOf(read(name)).includes('fast-check'),
  )
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
