import t from 'tap'
import { runtimeWarning } from '../../../gateway/config/runtime.js'

t.test('a start on Node.js 20 says in one line which release to use and which flag it runs with', async (t) => {
  const line = runtimeWarning('20.20.2')
  t.match(line, /^Node\.js 20\.20\.2 .*use 24 or 26.*--no-turbo-move-optimization/)
  t.notMatch(line, /\n/)
})

t.test('supported releases start without a warning', async (t) => {
  for (const version of ['22.0.0', '22.23.3', '24.21.0', '26.10.0']) t.equal(runtimeWarning(version), null)
})
