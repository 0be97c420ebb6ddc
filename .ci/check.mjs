// Checks before a commit, at once: types, lint and format, unused code, proto, fresh generated code, house rules, tests without servers.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './root.mjs'
import { runTests } from './run-tests.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)

/** Left to `npm test`: each takes 2 to 50 s of processor time. */
const slow =
  /^(thread|worst|experiments)|(answer-of-calculation|budgets|calculate|drawn-reports|ladder-of|programme-schema|read-programme|returns|warnings-hold)\.test/

function testsWithoutServers() {
  const ofEngine = readdirSync(join(root, 'dist', 'test', 'engine'), { recursive: true })
    .filter((name) => name.endsWith('.test.js') && !slow.test(name))
    .map((name) => join('dist', 'test', 'engine', name))
  return ['dist/test/tidy.test.js', ...ofEngine]
}

function report(title, ok, seconds) {
  console.log(`${ok ? 'ok    ' : 'failed'} ${title} (${seconds.toFixed(1)} s)`)
}

/** Prints its output only where it fails. */
function step(title, command, ...words) {
  const began = performance.now()
  const child = spawn(command, words, { cwd: root })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) => {
    child.on('close', (status) => {
      report(title, status === 0, (performance.now() - began) / 1000)
      if (status !== 0) console.log(Buffer.concat(output).toString())
      resolve(status === 0)
    })
  })
}

async function tests() {
  if (!(await step('build', 'node', '.ci/build.mjs', '--docs-later'))) return false
  const [{ ok, seconds, lines }] = await runTests([testsWithoutServers()], { jobs: 1 })
  report('house rules and tests without servers', ok, seconds)
  for (const line of lines) console.log(`       ${line}`)
  return ok
}

/** Compares proto with main; on main itself, with the last commit. Without main there is nothing to compare. */
function breaking() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()
  const [promised] = ['main', 'origin/main'].filter((name) => git('ls-tree', name, 'proto/loyalty') !== '')
  if (promised === undefined) return true
  const repository = git('rev-parse', '--path-format=absolute', '--git-common-dir')
  const against = `${repository}#ref=${git('rev-parse', promised)},subdir=proto`
  return step('proto breaks nothing', bin('buf'), 'breaking', 'proto', '--against', against)
}

async function generated() {
  const folder = mkdtempSync(join(tmpdir(), 'generated-'))
  const made = await step('generate', bin('buf'), 'generate', '--output', folder)
  const words = ['diff', '--no-index', '--stat', 'gateway/gen', join(folder, 'gateway', 'gen')]
  const fresh = made && (await step('generated code is fresh', 'git', ...words))
  rmSync(folder, { recursive: true })
  return fresh
}

const steps = [
  tests(),
  step('types', bin('tsc'), '-p', 'tsconfig.json'),
  step('types of the console', bin('tsc'), '-p', 'console'),
  step('lint and format', bin('biome'), 'check', '.'),
  step('no unused file, export or dependency', bin('knip'), '--no-progress'),
  step('proto lint', bin('buf'), 'lint', 'proto'),
  breaking(),
  generated(),
]
process.exitCode = (await Promise.all(steps)).every(Boolean) ? 0 : 1
