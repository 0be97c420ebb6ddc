import t from 'tap'
import { openFilesWarning, runtimeWarning } from '../../../gateway/config/runtime.js'

t.test('a start on Node.js 20 says in one line which release to use and which flag it runs with', async (t) => {
  const line = runtimeWarning('20.20.2')
  t.match(line, /^Node\.js 20\.20\.2 .*use 24 or 26.*--no-turbo-move-optimization/)
  t.notMatch(line, /\n/)
})

t.test('supported releases start without a warning', async (t) => {
  for (const version of ['22.0.0', '22.23.3', '24.21.0', '26.10.0']) t.equal(runtimeWarning(version), null)
})

t.test('fewer than 4,096 open files are one line with the limit, more or an unknown limit none', async (t) => {
  const limits = (soft: string) =>
    `Limit          Soft Limit  Hard Limit  Units\nMax open files            ${soft}           1048576  files\n`
  for (const soft of ['256', '4095']) t.match(openFilesWarning(limits(soft)), new RegExp(`at most ${soft},.*ulimit -n`))
  for (const text of [limits('4096'), limits('unlimited'), '']) t.equal(openFilesWarning(text), null)
})
