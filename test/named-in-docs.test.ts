import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { allCases, casesForAll } from '../bench/cases/all-cases.js'
import { readOptions } from '../bench/options.js'

const root = join(import.meta.dirname, '..', '..')
const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const names = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
const pages = names.filter((name) => name.endsWith('.md')).map((name) => ({ name, text: read(name) }))

t.test('every bench that a page names exists', async (t) => {
  for (const { name, text } of pages) {
    for (const [command, words = ''] of text.matchAll(/`npm run bench -- ([^`\n]+)`/g)) {
      const bench = readOptions(words.split(/\s+/))
      if (bench.kind !== 'options') t.fail(`${name}: ${command}`)
      else if (bench.options.what.kind === 'cases') {
        const { engine, what } = bench.options
        t.ok(casesForAll(allCases(engine), what.patterns).length > 0, `${name}: ${command}`)
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
