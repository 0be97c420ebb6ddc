import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

interface Entry {
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly license?: string
  readonly dev?: boolean
  readonly integrity?: string
  readonly hasInstallScript?: boolean
}

const lock = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package-lock.json'), 'utf8'))
const entries = Object.entries(lock.packages as Record<string, Entry>)
/** Without the checkout itself and its workspace. */
const installed = entries.filter(([place, { link }]) => place.startsWith('node_modules/') && !link)
/** Packages that the service runs with, and that its console is built of. */
const served = installed.filter(([, { dev }]) => !dev)
const packagesOfImage = reach(new Set(), '')
const inImage = installed.filter(([place]) => packagesOfImage.has(place))

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
  'CC0-1.0',
])

/** From the service's own dependencies, as npm looks packages up. */
function reach(found: Set<string>, from: string): Set<string> {
  for (const name of Object.keys(lock.packages[from].dependencies ?? {})) {
    const folders = from.split(/(?=node_modules\/)/)
    const places = folders.map((_, at) =>
      `${folders.slice(0, at + 1).join('')}/node_modules/${name}`.replace('//', '/'),
    )
    const place = [...places.reverse(), `node_modules/${name}`].find((each) => each in lock.packages)
    if (place === undefined || found.has(place)) continue
    found.add(place)
    reach(found, place)
  }
  return found
}

const named = (entries: typeof installed, is: (entry: Entry) => boolean) =>
  entries.filter(([, entry]) => is(entry)).map(([place]) => place)

t.test("the licences of the service's packages allow its use", (t) => {
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
  t.ok(inImage.length > 20 && inImage.length < served.length)
  t.same(
    named(inImage, ({ hasInstallScript }) => hasInstallScript === true),
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
