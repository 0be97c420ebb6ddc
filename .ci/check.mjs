// Checks before a commit, at once: types, lint and format, unused code, proto, fresh generated code, house rules, tests without servers.
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './root.mjs'

const bin = (name) => join(root, 'node_modules', '.bin', name)

/** Left to `npm test`: each takes 2 to 50 s of processor time. */
const slow =
  /^(thread|worst|experiments)|(answer-of-calculation|budgets|calculate|choose-grouped|drawn-reports|ladder-of|programme-schema|read-programme|returns|walk-component|warnings-hold)\.test/

/** In one process: half a second each would be half of the time. */
const importAll = 'for (const file of process.argv.slice(1)) await import(file)'

function testsWithoutServers() {
  const tests = join(root, 'dist', 'test')
  const ofEngine = readdirSync(join(tests, 'engine'), { recursive: true })
    .filter((name) => name.endsWith('.test.js') && !slow.test(name))
    .map((name) => join(tests, 'engine', name))
  return [join(tests, 'tidy.test.js'), ...ofEngine]
}

/** Prints its output, without the tests that passed, only where it fails. */
function step(title, command, ...words) {
  const began = performance.now()
  const child = spawn(command, words, { cwd: root, env: { ...process.env, TAP_TIMEOUT: '600' } })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk))
  return new Promise((resolve) => {
    child.on('close', (status) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      console.log(`${status === 0 ? 'ok    ' : 'failed'} ${title} (${seconds} s)`)
      if (status !== 0)
        console.log(
          Buffer.concat(output)
            .toString()
            .replace(/^ *(ok|#) .*\n/gm, ''),
        )
      resolve(status === 0)
    })
  })
}

async function tests() {
  if (!(await step('build', 'node', '.ci/build.mjs', '--docs-later'))) return false
  const words = ['--no-turbo-move-optimization', '--input-type=module', '-e', importAll]
  return step('house rules and tests without servers', 'node', ...words, ...testsWithoutServers())
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
