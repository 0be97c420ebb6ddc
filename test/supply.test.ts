import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

interface Entry {
  readonly license?: string
  readonly dev?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8'))
const installed = Object.entries(lock.packages as Record<string, Entry>).filter(([place]) => place !== '')
const served = installed.filter(([, { dev }]) => !dev)

/** Licences under which the service may be run and passed on as it is, with a notice at most. */
const licences = new Set([
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  '0BSD',
  'Unlicense',
  'Unicode-3.0',
])

const named = (entries: typeof installed, is: (entry: Entry) => boolean) =>
  entries.filter(([, entry]) => is(entry)).map(([place]) => place)

t.test('what the service is made of may be used', (t) => {
  t.ok(served.length > 20)
  const isAllowed = ({ license = '' }: Entry) =>
    license
      .replace(/[()]/g, '')
      .split(' AND ')
      .every((each) => licences.has(each))
  t.same(
    named(served, (entry) => !isAllowed(entry)),
    [],
  )
  t.end()
})

t.test('nothing that the service is made of runs a script when it is installed', (t) => {
  t.same(
    named(served, ({ hasInstallScript }) => hasInstallScript === true),
    [],
  )
  t.end()
})

t.test('every package is pinned by its digest', (t) => {
  t.same(
    named(installed, ({ integrity }) => integrity === undefined),
    [],
  )
  t.end()
})
