import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { allCases, casesForAll } from '../bench/cases/all-cases.js'
import { readOptions } from '../bench/options.js'
import { methodCommand, methodNamed } from '../clients/lps/call.js'
import { commandOf, createProgram } from '../clients/lps/program.js'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const names = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
const pages = names.filter((name) => name.endsWith('.md')).map((name) => ({ name, text: read(name) }))

/** Arguments of the benches that a page names: as commands, in a list under "`npm run bench --` with", or as rows of its table. */
function benchesIn(text: string): readonly string[] {
  const commands = [...text.matchAll(/`npm run bench -- ([^`\n]+)`/g)]
  const lists = [...text.matchAll(/`npm run bench --` with:\n\n((?:- .+\n)+)/g)]
  const listed = lists.flatMap(([, list]) => [...list!.matchAll(/^- `([^`]+)`: /gm)])
  const rows = text.startsWith('# Benches') ? [...text.matchAll(/^\| `([^`]+)` \| /gm)] : []
  return [...commands, ...listed, ...rows].map(([, words]) => words!)
}

t.test('every bench that a page names exists', async (t) => {
  for (const { name, text } of pages) {
    for (const words of benchesIn(text)) {
      const bench = readOptions(words.split(/\s+/))
      if (bench.kind !== 'options') t.fail(`${name}: ${words}`)
      else if (bench.options.what.kind === 'cases') {
        t.ok(casesForAll(allCases, bench.options.what.patterns).length > 0, `${name}: ${words}`)
      }
    }
  }
})

t.test('every file of the rooms that a page names exists', async (t) => {
  const path =
    /(?<![\w./-])(dist\/)?((?:gateway|engine|store|clients|console|bench|test|proto|deploy|docs|\.ci)\/[\w./-]+\.\w+)\b/g
  const missing = pages.flatMap(({ name, text }) =>
    [...text.matchAll(path)]
      .map(([, built, file = '']) => (built === undefined ? file : file.replace(/\.js$/, '.ts')))
      .filter((file) => !existsSync(join(root, file)))
      .map((file) => `${name}: ${file}`),
  )
  t.same(missing, [])
})

t.test('every command of lps that a page or a message of the console names exists, with its options', async (t) => {
  const clients = ['README.md', ...readdirSync(join(root, 'clients')).map((name) => `${name}/README.md`)]
  const others = [...clients.map((name) => `clients/${name}`), 'CHANGELOG.md', 'console/src/messages/en.json']
  const texts = [
    ...pages,
    ...others.filter((name) => existsSync(join(root, name))).map((name) => ({ name, text: read(name) })),
  ]
  const named = texts.flatMap(({ name, text }) =>
    [...text.matchAll(/(?:`|^\$? ?|\b(?:use|with|see) )(?:npx --no-install )?lps ([^`\n#&|>"]+)/gm)].map(
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
