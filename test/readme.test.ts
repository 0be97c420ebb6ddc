import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { startService } from './e2e/service.js'
import { readme, shellBlock } from './support/readme.js'

t.test('the first call and the sale event of the README work as printed', async (t) => {
  if (spawnSync('openssl', ['version']).error || spawnSync('curl', ['--version']).error) {
    t.comment('no openssl or no curl here: the calls are not run')
    return
  }
  const service = await startService({ env: { LOYALTY_DEADLINE_MS: '4500' } })
  t.teardown(() => service.stop())
  const folder = t.testdir()
  mkdirSync(join(folder, '.data'))
  writeFileSync(join(folder, '.data', 'secret'), service.secret)
  const basketCall = shellBlock('A first call')
  t.match(basketCall, 'http://127.0.0.1:8080', 'the address of `npm start`')
  const run = (script: string) => {
    const here = script.replace('http://127.0.0.1:8080', service.url)
    const { stdout, stderr, status } = spawnSync('sh', ['-ec', here], { cwd: folder, encoding: 'utf8' })
    t.equal(status, 0, stderr)
    return stdout
  }
  const answer = run(basketCall)
  t.match(JSON.parse(answer), { status: 'applied', basket: { totals: { net: 4160, lineDiscount: 1040 } } })
  const both = run(`${basketCall}\n${shellBlock('The sale event')}`)
  t.ok(both.startsWith(answer), 'a repeat gets the same bytes')
  t.match(both.slice(answer.length), '"result":"recorded"')
})

t.test('the README has at most 1,100 words', async (t) => {
  const words = readme.trim().split(/\s+/).length
  t.ok(words <= 1_100, `${words} words`)
})
