import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Code } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import t from 'tap'
import { allCases, casesForAll } from '../bench/cases/all-cases.js'
import { readOptions } from '../bench/options.js'
import { methodCommand, methodNamed } from '../clients/lps/call.js'
import { commandOf, createProgram } from '../clients/lps/program.js'
import { codeOfReason } from '../gateway/internal/errors.js'
import { httpFaultStatuses, statusOfCode } from '../gateway/pos/errors.js'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const { scripts } = JSON.parse(read('package.json'))
/** Every page but the log of changes, which may name what is gone. */
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

const pagesOfClients = ['.', ...readdirSync(join(root, 'clients'))]
  .map((name) => join('clients', name, 'README.md'))
  .filter((name) => existsSync(join(root, name)))

/** The rows of a page's table under a heading, cells trimmed. */
function tableRows(page: string, heading: string): string[][] {
  const section = read(page).split(`# ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

t.test('the table of status codes is the table of the code, both ways', async (t) => {
  const inDocs = tableRows('docs/api.md', 'Status codes')
    .filter(([, code]) => code !== '')
    .flatMap(([statuses = '', code]) => statuses.split(', ').map((status) => `${status} ${code}`))
  const inCode = [
    ...Object.entries(statusOfCode).map(([code, status]) => `${status} ${code}`),
    ...httpFaultStatuses.map((status) => `${status} invalid_request`),
  ]
  t.same(new Set(inDocs), new Set(inCode))
  t.equal(new Set(inDocs).size, inDocs.length, 'no row stands twice')
})

t.test('the table of reasons is the table of the code, both ways', async (t) => {
  const rows = tableRows('docs/api.md', 'Reasons')
  const inDocs = rows.flatMap(([reasons = '', code]) => reasons.split(', ').map((reason) => `${reason} ${code}`))
  const inCode = Object.entries(codeOfReason).map(([reason, code]) => `${reason} ${codeToString(code as Code)}`)
  t.same(inDocs.sort(), inCode.sort())
})

t.test(
  'every reason that a proto file promises is in the table, and every one of the table is promised or general',
  async (t) => {
    const folder = join(root, 'proto', 'loyalty', 'v1')
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    const promised = new Set(texts.flatMap((text) => text.match(/(?<=\/\/.*)\b[A-Z]+(_[A-Z]+)+\b/g) ?? []))
    const general = [
      'UNAUTHENTICATED',
      'PERMISSION_DENIED',
      'UNIMPLEMENTED',
      'MESSAGE_TOO_LARGE',
      'TOO_MANY_CALLS',
      'DEADLINE_EXCEEDED',
      'UNAVAILABLE',
      'INTERNAL_ERROR',
    ]
    t.same(
      Object.keys(codeOfReason).filter((reason) => !promised.has(reason) && !general.includes(reason)),
      [],
    )
    const settings = /^(LOYALTY_|NO_SIDE_EFFECTS$)/
    t.same(
      [...promised].filter((word) => !(word in codeOfReason) && !settings.test(word)),
      [],
    )
  },
)

t.test('the documented settings are the settings that are read, both ways', async (t) => {
  const rows = [...read('docs/settings.md').matchAll(/^- ([A-Z_, ]+?)(?: \(|:)/gm)]
  const inDocs = rows.flatMap(([, names]) => names!.split(', '))
  const source = read('gateway/config/read-config.ts') + read('gateway/config/read-oidc.ts')
  const inCode = new Set(
    source.match(/'(LOYALTY_[A-Z_]+|REDIS_URL|DATABASE_URL|DATABASE_READ_URL)'/g)?.map((name) => name.slice(1, -1)),
  )
  t.same(new Set(inDocs), inCode)
})

t.test('every npm command that a page names exists', async (t) => {
  const named = pages.flatMap((page) => [...read(page).matchAll(/npm run (?:--silent )?([a-z:]+)/g)])
  t.ok(named.length > 0)
  t.same(
    named.map(([, name]) => name).filter((name) => scripts[name ?? ''] === undefined),
    [],
  )
})

t.test('no page runs `lps` in a form that could fetch the package of that name from npm', async (t) => {
  const named = [...pages, ...pagesOfClients, 'CHANGELOG.md'].flatMap((page) =>
    [...read(page).matchAll(/(npx|npm exec) (\S+ )?lps/g)].map(([text]) => text),
  )
  t.ok(named.length > 5)
  t.same([...new Set(named)], ['npx --no-install lps'])
})

t.test('every link of a page leads to a file, and to a heading of it', async (t) => {
  const links = pages.flatMap((page) => [...read(page).matchAll(/\]\(([^)\s:]+)\)/g)].map(([, link]) => [page, link!]))
  t.ok(links.length > 40)
  for (const [page, link] of links) {
    const [name, anchor] = link!.split('#') as [string, string?]
    const target = name === '' ? page! : join(page!, '..', name)
    t.ok(existsSync(join(root, target)), `${page}: ${link}`)
    if (anchor !== undefined) t.ok(anchorsOf(read(target)).has(anchor), `${page}: ${link}`)
  }
})

t.test('every file and folder that a page names exists', async (t) => {
  const rooms = '(?:gateway|engine|store|clients|console|bench|test|proto|deploy|docs|\\.ci)'
  const files = new RegExp(`(?<![\\w./-])(dist/)?(${rooms}/[\\w./-]+\\.\\w+)\\b`, 'g')
  const folders = new RegExp(`(\`)(${rooms}/[\\w./-]*)\``, 'g')
  const named = pages.flatMap((page) => {
    // Names of benches look like paths.
    const patterns = page === join('docs', 'benches.md') ? [files] : [files, folders]
    return patterns.flatMap((pattern) =>
      [...read(page).matchAll(pattern)].map(([, before, path]) => {
        const source = before === 'dist/' ? path!.replace(/\.js$/, '.ts') : path!
        return `${page}: ${source}`
      }),
    )
  })
  t.ok(named.length > 40)
  t.same(
    named.filter((each) => !existsSync(join(root, each.split(': ')[1]!))),
    [],
  )
})

/** Arguments of the benches that a page names: as commands, in a list under "`npm run bench --` with", or as rows of its table. */
function benchesIn(text: string): readonly string[] {
  const commands = [...text.matchAll(/`npm run bench -- ([^`\n]+)`/g)]
  const lists = [...text.matchAll(/`npm run bench --` with:\n\n((?:- .+\n)+)/g)]
  const listed = lists.flatMap(([, list]) => [...list!.matchAll(/^- `([^`]+)`: /gm)])
  const rows = text.startsWith('# Benches') ? [...text.matchAll(/^\| `([^`]+)` \| /gm)] : []
  return [...commands, ...listed, ...rows].map(([, words]) => words!)
}

t.test('every bench that a page names exists', async (t) => {
  for (const name of pages) {
    for (const words of benchesIn(read(name))) {
      const bench = readOptions(words.split(/\s+/))
      if (bench.kind !== 'options') t.fail(`${name}: ${words}`)
      else if (bench.options.what.kind === 'cases') {
        t.ok(casesForAll(allCases, bench.options.what.patterns).length > 0, `${name}: ${words}`)
      }
    }
  }
})

t.test('every command of lps that a page or a message of the console names exists, with its options', async (t) => {
  const named = [...pages, ...pagesOfClients, 'CHANGELOG.md', 'console/src/messages/en.json'].flatMap((name) =>
    [...read(name).matchAll(/(?:`|^\$? ?|\b(?:use|with|see) )(?:npx --no-install )?lps ([^`\n#&|>"]+)/gm)].map(
      ([, words]) => [name, words!.replace(/[.,: ]+$/, '')],
    ),
  )
  t.ok(named.length > 40)
  const program = createProgram()
  const everywhere = ['--help', '--version', '--ca']
  for (const [page, line] of named) {
    const words = line!.split(/[ ,.]+(?=\S)/)
    const command = commandOf(program, words)
    const [method] = /\b[A-Z]\w+Service\/\w+/.exec(line!) ?? []
    const { options } = method === undefined ? command : methodCommand(methodNamed(method))
    const known = [...options.map(({ long }) => long), ...everywhere]
    for (const [option] of line!.matchAll(/--[a-z][\w.-]*/g)) t.ok(known.includes(option), `${page}: lps ${line}`)
  }
})

t.test('the glossary has at most 100 terms, in alphabetical order', async (t) => {
  const terms = [...read('docs/glossary.md').matchAll(/^- \*\*(.+?)\*\*: .+$/gm)].map(([, term]) => term!)
  t.ok(terms.length > 20 && terms.length <= 100, `${terms.length} terms`)
  t.same(
    terms,
    [...terms].sort((a, b) => a.localeCompare(b, 'en')),
  )
})

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  )
}
