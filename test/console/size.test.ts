import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

const built = join(import.meta.dirname, '..', '..', 'console')
/** Bytes, compressed, of all that the first screen loads before it can show anything. */
const firstBytesMax = 200 * 1024

t.test('the first script of the console stays small, and its page loads nothing from elsewhere', (t) => {
  const page = readFileSync(join(built, 'index.html'), 'utf8')
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
  t.ok(addresses.length >= 2)
  t.same(
    addresses.filter((address) => !address.startsWith('/console/assets/')),
    [],
  )
  const first = addresses.filter((address) => /\.(js|css)$/.test(address))
  const bytes = first.map((address) => statSync(join(built, `${address.replace('/console/', '')}.br`)).size)
  const sum = bytes.reduce((all, one) => all + one, 0)
  t.comment(`the first script and its styles: ${(sum / 1024).toFixed(0)} KB of ${firstBytesMax / 1024}`)
  t.ok(sum <= firstBytesMax, `${bytes} bytes`)
  t.notMatch(page, /<script(?![^>]*\ssrc=)/, 'no inline script')
  for (const name of readdirSync(join(built, 'assets')).filter((name) => /\.(js|css)$/.test(name))) {
    for (const encoding of ['br', 'gz']) t.ok(statSync(join(built, 'assets', `${name}.${encoding}`)).size > 0)
  }
  t.end()
})
