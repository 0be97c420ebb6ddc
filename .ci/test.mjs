// Runs compiled tests; arguments name test files (as sources or compiled) or folders of them, none means all but those of .ci/rigs.mjs alone.
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { onlyHere } from './rigs.mjs'
import { root } from './root.mjs'
import { runTests } from './run-tests.mjs'

/** Begun first, so that none of them runs on when all others have ended. */
const longFirst = [/test\/faults\//, /test\/e2e\//, /test\/store\//, /test\/(hostile|oracle)\//]
/** Many tests wait for a server more than they compute. */
const jobs = availableParallelism() + 1

function allTests() {
  return readdirSync(join(root, 'dist', 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join('dist', 'test', name))
    .filter((name) => existsSync(join(root, sourceOf(name))))
    .sort((left, right) => rank(left) - rank(right) || left.localeCompare(right))
}

function sourceOf(compiled) {
  return compiled.replace(/^dist\//, '').replace(/\.js$/, '.ts')
}

function rank(name) {
  const at = longFirst.findIndex((pattern) => pattern.test(name))
  return at === -1 ? longFirst.length : at
}

function report({ file, ok, seconds, lines }) {
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${sourceOf(file)}`)
  for (const line of lines) console.log(`       ${line}`)
}

function testsNamed(name) {
  const compiled = name.replace(/^(?!dist\/)/, 'dist/').replace(/\.ts$/, '.js')
  return compiled.endsWith('.js') ? [compiled] : allTests().filter((test) => test.startsWith(join(compiled, '/')))
}

const named = process.argv.slice(2).flatMap(testsNamed)
const began = performance.now()
const daily = () => allTests().filter((name) => !onlyHere.has(sourceOf(name)))
const ended = await runTests(process.argv.length > 2 ? named : daily(), { jobs, onEnd: report })
const failed = ended.filter(({ ok }) => !ok)
const minutes = (performance.now() - began) / 60_000
console.log(`${ended.length - failed.length} of ${ended.length} test files passed, in ${minutes.toFixed(1)} minutes`)
for (const { file } of failed) console.log(`failed: ${file}`)
process.exitCode = failed.length > 0 || ended.length === 0 ? 1 : 0
