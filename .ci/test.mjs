// Runs compiled tests with tap; arguments name test files (sources or compiled), default all.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const tap = join(root, 'node_modules', '.bin', 'tap')

function run(args) {
  return spawnSync(tap, args, { cwd: root, stdio: 'inherit' }).status ?? 1
}

function allTests() {
  return readdirSync(join(root, 'dist', 'test'), { recursive: true })
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => join('dist', 'test', name))
    .filter((name) => existsSync(join(root, name.replace(/^dist\//, '').replace(/\.js$/, '.ts'))))
    .sort()
}

const named = process.argv.slice(2).map((name) => name.replace(/^(?!dist\/)(.*)\.ts$/, 'dist/$1.js'))
if (!existsSync(join(root, '.tap', 'plugins'))) {
  const built = run(['build'])
  if (built !== 0) process.exit(built)
}
process.exit(
  run([
    'run',
    '--disable-coverage',
    '--reporter=terse',
    '--jobs=2',
    '--timeout=1800',
    // The service's own flag: engine/thread/v8-flags.ts.
    '--node-arg=--no-turbo-move-optimization',
    ...(named.length > 0 ? named : allTests()),
  ]),
)
