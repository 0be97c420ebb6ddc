import { execFile } from 'node:child_process'
import { access, constants, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Where distributions install Postgres, newest version first within each. */
const postgresRoots = ['/usr/lib/postgresql', '/usr/pgsql', '/opt/homebrew/opt', '/usr/local/opt']

let installing: Promise<void> | null = null

const installation =
  'apt-get -o Acquire::Retries=3 update && apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 ' +
  'install -y --no-install-recommends'
const outputMax = 64 * 1024 * 1024

/**
 * The path of a server's binary: from PATH or where distributions install it, else installed with apt if we are root. Rejects with one
 * line that names what is missing.
 *
 * @param name such as `redis-server` or `initdb`
 * @param debianPackage the package with the binary
 */
export async function findBinary(name: string, debianPackage: string): Promise<string> {
  const found = await lookFor(name)
  if (found) return found
  installing ??= installPackages('redis-server postgresql faketime')
  await installing.catch((cause) => {
    throw new Error(`${name} is missing: install ${debianPackage} (tried apt-get, which failed)`, { cause })
  })
  const installed = await lookFor(name)
  if (!installed) throw new Error(`${name} is missing: install ${debianPackage}`)
  return installed
}

async function lookFor(name: string): Promise<string | null> {
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), ...(await postgresFolders())]) {
    const path = join(folder, name)
    const executable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (folder !== '' && executable) return path
  }
  return null
}

async function postgresFolders(): Promise<readonly string[]> {
  const folders = await Promise.all(
    postgresRoots.map(async (root) => {
      const versions = await readdir(root).catch(() => [])
      const sorted = versions.filter((name) => /\d/.test(name)).sort((a, b) => major(b) - major(a))
      return sorted.map((version) => join(root, version, 'bin'))
    }),
  )
  return folders.flat()
}

function major(version: string): number {
  return Number(/\d+/.exec(version)?.[0])
}

/** Installs Debian packages; rejects where this process is not root, or apt fails. */
export async function installPackages(packages: string): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('not root')
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  // One test process after the other: apt refuses to run twice at once.
  const lock = join(tmpdir(), 'loyalty-apt.lock')
  await run('flock', [lock, 'sh', '-c', `${installation} ${packages}`], { env, maxBuffer: outputMax })
}
