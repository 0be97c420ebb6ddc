// Runs every compiled test; arguments name test files (as sources or compiled) or folders of them, none means all of them.
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { root } from './root.mjs'
import { runTests } from './run-tests.mjs'

/** Begun first, so that none of them is still running when all others have ended. */
const longFirst = [/test\/faults\//, /test\/e2e\//, /test\/store\//, /test\/simulation\//, /test\/(hostile|oracle)\//]
/** Many tests wait for a server more than they compute. */
const jobs = availableParallelism() + 1

function allTests() {
  return readdirSync(join(root, 'dist', 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join('dist', 'test', name))
    .filter((name) => existsSync(join(root, name.replace(/^dist\//, '').replace(/\.js$/, '.ts'))))
    .sort((left, right) => rank(left) - rank(right) || left.localeCompare(right))
}

function rank(name) {
  const at = longFirst.findIndex((pattern) => pattern.test(name))
  return at === -1 ? longFirst.length : at
}

function report({ file, ok, seconds, lines }) {
  const name = file.replace(/^dist\//, '').replace(/\.js$/, '.ts')
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${name}`)
  for (const line of lines) console.log(`       ${line}`)
}

/** The tests that an argument names, compiled. */
function testsNamed(name) {
  const compiled = name.replace(/^(?!dist\/)/, 'dist/').replace(/\.ts$/, '.js')
  return compiled.endsWith('.js') ? [compiled] : allTests().filter((test) => test.startsWith(join(compiled, '/')))
}

const named = process.argv.slice(2).flatMap(testsNamed)
const began = performance.now()
const ended = await runTests(process.argv.length > 2 ? named : allTests(), { jobs, onEnd: report })
const failed = ended.filter(({ ok }) => !ok)
const minutes = (performance.now() - began) / 60_000
console.log(`${ended.length - failed.length} of ${ended.length} test files passed, in ${minutes.toFixed(1)} minutes`)
for (const { file } of failed) console.log(`failed: ${file}`)
process.exitCode = failed.length > 0 || ended.length === 0 ? 1 : 0
