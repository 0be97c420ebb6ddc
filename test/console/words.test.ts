import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const root = join(import.meta.dirname, '..', '..', '..', 'console', 'src')
const sources = readdirSync(root, { recursive: true })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

t.test('the words of the console stand in its catalogues, the same in every language', (t) => {
  const wrong = sources
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) => literalsOf(withoutComments(read(name))).map((text) => `${name}: ${text}`))
  t.same(wrong, [])
  t.same(literalsOf('<p title="Some words">{name} was here</p><kbd>Ctrl K</kbd>'), ['Some words', ' was here'])
  const keys = (language: string) => Object.keys(JSON.parse(read(`messages/${language}.json`)))
  t.same(keys('nb'), keys('en'))
  const code = sources.map(read).join('\n')
  const groups = [...code.matchAll(/(?:\bof\(|wordOf\(t, )'(\w+)'/g)].map((match) => match[1])
  const isUsed = (key: string) => code.includes(`'${key}'`) || groups.includes(key.split('.')[0])
  t.same(
    keys('en').filter((key) => !isUsed(key) && !/^(theme|action|term)\./.test(key)),
    [],
  )
  t.end()
})

t.test('every warning of a programme has its words', (t) => {
  const source = readFileSync(join(root, '..', '..', 'engine', 'programme', 'warning.ts'), 'utf8')
  const words = [...source.matchAll(/^ {4}\| '(\w+)'$/gm)].map(([, word]) => `warning.${word}`)
  const keys = Object.keys(JSON.parse(read('messages/en.json'))).filter((key) => key.startsWith('warning.'))
  t.same(keys, words.toSorted())
  t.end()
})

t.test('a meaning belongs to a label, and no other label reads the same', (t) => {
  for (const language of ['en', 'nb']) {
    const messages: Record<string, string> = JSON.parse(read(`messages/${language}.json`))
    const lastWord = (key: string) => key.split('.').at(-1)
    const labels = Object.keys(messages).flatMap((key) => /^term\.(.+)/.exec(key)?.[1] ?? [])
    t.ok(labels.length > 10)
    for (const label of labels) {
      t.type(messages[label], 'string', label)
      const alike = Object.keys(messages).filter((key) => messages[key] === messages[label])
      t.same(
        alike.filter((key) => lastWord(key) !== lastWord(label)),
        [],
        `${language}: ${label}`,
      )
    }
  }
  t.end()
})

/** Readable text that is no message: text between tags, except names of keys, and attributes that are read out. */
function literalsOf(source: string): string[] {
  const prose = source.replace(/<kbd>[^<]*<\/kbd>/g, '')
  const texts = [...prose.matchAll(/[>}]([^<>{}=;()&|:?]*[A-Za-z]{2}[^<>{}=;()&|:?]*)<\//g)]
  const attributes = [...source.matchAll(/\b(?:title|placeholder|aria-label|alt)="([^"]+)"/g)]
  return [...attributes, ...texts].map((match) => match[1] ?? '')
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
