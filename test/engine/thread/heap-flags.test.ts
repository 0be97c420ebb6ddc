import { execFile } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)
const flags = pathToFileURL(`${import.meta.dirname}/../../../engine/thread/heap-flags.js`).href

t.test('the runtime knows every flag', async (t) => {
  const { stderr } = await run(process.execPath, [
    '--input-type=module',
    '--eval',
    `(await import('${flags}')).setHeapFlags()`,
  ])
  t.equal(stderr, '', 'V8 complains of flags that it does not know')
  const unknown = `import 'node:v8'; (await import('node:v8')).setFlagsFromString('--no-such-flag')`
  const complained = await run(process.execPath, ['--input-type=module', '--eval', unknown])
  t.match(complained.stderr, 'no-such-flag')
})
