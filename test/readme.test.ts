import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Code } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import t from 'tap'
import { httpFaultStatuses, statusOfCode } from '../gateway/rest/errors.js'
import { codeOfReason } from '../gateway/rpc/errors.js'

const root = join(import.meta.dirname, '..', '..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The rows of the README's table under a heading, cells trimmed. */
function tableRows(heading: string): string[][] {
  const section = readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('|'))
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

t.test('the README’s table of errors is the table of the code, both ways', async (t) => {
  const inReadme = tableRows('Answers')
    .filter(([, code]) => code !== '')
    .flatMap(([statuses = '', code]) => statuses.split(', ').map((status) => `${status} ${code}`))
  const inCode = [
    ...Object.entries(statusOfCode).map(([code, status]) => `${status} ${code}`),
    ...httpFaultStatuses.map((status) => `${status} invalid_request`),
  ]
  t.same(new Set(inReadme), new Set(inCode))
  t.equal(new Set(inReadme).size, inReadme.length, 'no row stands twice')
})

t.test('the README’s table of reasons is the table of the code, both ways', async (t) => {
  const rows = tableRows('Internal services').filter(([reason]) => /^[A-Z_]+$/.test(reason!))
  const inReadme = rows.map(([reason, code]) => `${reason} ${code}`)
  const inCode = Object.entries(codeOfReason).map(([reason, code]) => `${reason} ${codeToString(code as Code)}`)
  t.same(inReadme.sort(), inCode.sort())
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

t.test('the README’s settings are the settings that are read, both ways', async (t) => {
  const inReadme = tableRows('Settings').flatMap(([names = '']) => names.split(', '))
  const source = readFileSync(join(root, 'gateway', 'config', 'read-config.ts'), 'utf8')
  const inCode = new Set(
    source.match(/'(LOYALTY_[A-Z_]+|REDIS_URL|DATABASE_URL|DATABASE_READ_URL)'/g)?.map((name) => name.slice(1, -1)),
  )
  t.same(new Set(inReadme), inCode)
})

t.test('every npm command that a document names exists', async (t) => {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    ...docs.filter((name) => name.endsWith('.md')).map((name) => join('docs', name)),
  ]
  const named = documents.flatMap((name) => [...readFileSync(join(root, name), 'utf8').matchAll(/npm run ([a-z:]+)/g)])
  t.ok(named.length > 0)
  t.same(
    named.map(([, name]) => name).filter((name) => scripts[name ?? ''] === undefined),
    [],
  )
})
