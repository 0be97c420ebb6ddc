// Prepares a checkout with only Node.js and npm: installs the lock file's packages, then builds. `--product`: only the service.
import { spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const isProduct = process.argv.includes('--product')

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) console.error(`${command}: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

/** True when the packages of the lock file are there, with those for tests and checks (`tap` among them) on request. */
function isInstalled() {
  const installed = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(join(root, 'package-lock.json')).mtimeMs)
    return false
  return isProduct || existsSync(join(root, 'node_modules', 'tap'))
}

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 11)) {
  console.error(`Node.js 20.11 or newer is needed; this is ${process.versions.node}`)
  process.exit(1)
}
if (!isInstalled()) {
  console.error('installing ...')
  const fewer = isProduct ? ['--omit=dev'] : []
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts', ...fewer])
}
console.error('building ...')
run('node', ['.ci/build.mjs', ...(isProduct ? ['--product', '--docs-later'] : [])])
