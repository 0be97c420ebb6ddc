// Runs compiled tests; arguments name test files (as sources or compiled) or folders of them, none means all but those of .ci/rigs.mjs alone.
import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { onlyHere } from './rigs.mjs'
import { root } from './root.mjs'
import { runTests } from './run-tests.mjs'

/** Begun first, so that none of them runs on when all others have ended. */
const longFirst = [/test\/faults\/faults/, /test\/e2e\//, /test\/(store|oracle|engine)\//, /test\/hostile\//]
/** Tests that start no server: those of one pattern share a process, which loads and compiles what they test once. */
const together = [
  /^oracle\//,
  /^engine\/core\//,
  /^engine\/(programme|wire|value)\//,
  /^gateway\/(cache\/(?!arms)|config\/(?!secrets|certificate)|listeners|telemetry\/(?!log)|use-cases\/(?!forget-members))/,
  /^gateway\/background\/(?!webhooks\.)/,
  /^gateway\/internal\/(bounds|call|console|cors|early-errors|(event|request)-service|roles|services\/watch-today|slow-clients|watching|listener)\./,
  /^gateway\/pos\/(admission|authentication|checks|drain|framing|keep-alive|overload-records|pages|partner|tls|unread)\W/,
  /^console\/(form|last-day|messages|merge|read-basket|read-scaled|size|summary|try-basket|words)\./,
  /^(docs|supply|programme-page|tidy|verify|clients\/(receipt|report-lines|import-members|pos|pos-client|lps-call))\./,
  /^store\/(circuit-breaker|connection-pool|look-ups|ledger-fault-words|ledger-pulse|redis\/record)\./,
]
/** Many tests wait for a server more than they compute. */
const jobs = availableParallelism() + 2

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

/** Files that share a process as one list, in the place of its first. */
function grouped(files) {
  const lists = new Map()
  for (const file of files) {
    const key = together.find((pattern) => pattern.test(file.slice('dist/test/'.length))) ?? file
    lists.set(key, [...(lists.get(key) ?? []), file])
  }
  return [...lists.values()]
}

function report({ files, ok, seconds, lines }) {
  const name = files.length === 1 ? sourceOf(files[0]) : `${files.length} files from ${sourceOf(files[0])} on`
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${name}`)
  for (const line of lines) console.log(`       ${line}`)
}

function testsNamed(name) {
  const compiled = name.replace(/^(?!dist\/)/, 'dist/').replace(/\.ts$/, '.js')
  return compiled.endsWith('.js') ? [compiled] : allTests().filter((test) => test.startsWith(join(compiled, '/')))
}

const named = process.argv.slice(2).flatMap(testsNamed)
const began = performance.now()
const daily = () => allTests().filter((name) => !onlyHere.has(sourceOf(name)))
const ended = await runTests(process.argv.length > 2 ? named : grouped(daily()), { jobs, onEnd: report })
const failed = ended.filter(({ ok }) => !ok)
const count = (some) => some.reduce((sum, { files }) => sum + files.length, 0)
const minutes = (performance.now() - began) / 60_000
console.log(`${count(ended) - count(failed)} of ${count(ended)} test files passed, in ${minutes.toFixed(1)} minutes`)
for (const { files } of failed) for (const file of files) console.log(`failed: ${file}`)
process.exitCode = failed.length > 0 || ended.length === 0 ? 1 : 0
