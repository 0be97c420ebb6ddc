import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { allCases, casesForAll } from '../bench/cases/all-cases.js'
import { readOptions } from '../bench/options.js'

const root = join(import.meta.dirname, '..', '..')
const folder = join(root, 'docs', 'decisions')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const records = readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .map((name) => ({ name, text: read(join('docs', 'decisions', name)) }))
const wordsMax = 110

t.test('every record has a title, a date, context, decision and consequences, in few words', async (t) => {
  const form =
    /^# .+\n\n\d{4}-\d{2}-\d{2}\n\n\*\*Context\.\*\* [^*]+\n\n\*\*Decision\.\*\* [^*]+\n\n\*\*Consequences\.\*\* [^*]+\n$/
  for (const { name, text } of records) {
    t.match(name, /^\d{4}(-[a-z0-9]+)+\.md$/)
    t.match(text, form, name)
    t.ok(text.split(/\s+/).length <= wordsMax, `${name} is short`)
  }
  t.equal(new Set(records.map(({ name }) => name.slice(0, 4))).size, records.length, 'no number is given twice')
})

t.test('the index has every record with its title, both ways', async (t) => {
  const listed = read('docs/decisions/README.md').match(/^- .+$/gm)
  t.same(
    listed,
    records.map(({ name, text }) => `- [${/^# (.+)$/m.exec(text)?.[1]}](${name})`),
  )
})

t.test('every bench that a record names exists', async (t) => {
  for (const { name, text } of records) {
    for (const [command, words = ''] of text.matchAll(/`npm run bench -- ([^`]+)`/g)) {
      const bench = readOptions(words.split(/\s+/))
      if (bench.kind !== 'options') t.fail(`${name}: ${command}`)
      else if (bench.options.what.kind === 'cases') {
        const { engine, what } = bench.options
        t.ok(casesForAll(allCases(engine), what.patterns).length > 0, `${name}: ${command}`)
      }
    }
  }
})

t.test('every file that CONTRIBUTING.md or a record names exists', async (t) => {
  const texts = [{ name: 'CONTRIBUTING.md', text: read('CONTRIBUTING.md') }, ...records]
  const missing = texts.flatMap(({ name, text }) =>
    [...text.matchAll(/(?<=[\s`(])(dist\/)?([\w.-]+(?:\/[\w.-]+)+\.(?:ts|js|json|md|mjs))\b/g)]
      .map(([, built, path = '']) => (built === undefined ? path : path.replace(/\.js$/, '.ts')))
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${name}: ${path}`),
  )
  t.same(missing, [])
})
