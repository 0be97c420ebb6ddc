// Checks before a commit: types, lint and format, unused code, proto, fresh generated code, house rules, tests without servers.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)

function step(title, command, args) {
  const began = performance.now()
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  console.log(`${status === 0 ? 'ok    ' : 'failed'} ${title} (${((performance.now() - began) / 1000).toFixed(1)} s)`)
  if (status !== 0) process.exit(1)
}

function testsWithoutServers() {
  return readdirSync(join(root, 'test', 'engine'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts') && !name.startsWith('thread'))
    .map((name) => join('test', 'engine', name))
}

/** Compares proto with main; on main itself, with the last commit. Without main there is nothing to compare. */
function breaking() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout.trim()
  const [promised] = ['main', 'origin/main'].filter((name) => git('ls-tree', name, 'proto/loyalty') !== '')
  if (promised === undefined) return
  const repository = join(git('rev-parse', '--path-format=absolute', '--git-common-dir'))
  step('proto breaks nothing', bin('buf'), [
    'breaking',
    'proto',
    '--against',
    `${repository}#ref=${git('rev-parse', promised)},subdir=proto`,
  ])
}

step('build', 'node', ['.ci/build.mjs'])
step('types', bin('tsc'), ['-p', 'tsconfig.json'])
step('types of the console', bin('tsc'), ['-p', 'console'])
step('lint and format', bin('biome'), ['check', '.'])
step('no unused file, export or dependency', bin('knip'), ['--no-progress'])
if (existsSync(join(root, 'buf.gen.yaml'))) {
  step('proto lint', bin('buf'), ['lint', 'proto'])
  breaking()
  step('generate', bin('buf'), ['generate'])
  const stale = execFileSync('git', ['status', '--porcelain', '--', 'gateway/gen'], { cwd: root }).toString()
  if (stale !== '') {
    console.log(`failed generated code is fresh; commit what changed:\n${stale}`)
    process.exit(1)
  }
}
step('house rules and tests without servers', 'node', ['.ci/test.mjs', 'test/tidy.test.ts', ...testsWithoutServers()])
