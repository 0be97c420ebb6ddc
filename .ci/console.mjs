// Builds the console into dist/console: types, then bundles, each also compressed. Does nothing where its sources are as they were.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { root } from './root.mjs'

const out = join(root, 'dist', 'console')
const stamp = join(root, 'dist', '.console')

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

function digestOfSources() {
  const hash = createHash('sha256')
  for (const name of ['package-lock.json', '.ci/console.mjs', ...filesBelow('console'), ...filesBelow('gateway/gen')]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0')
  }
  return hash.digest('hex')
}

function checkTypes() {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  return new Promise((resolve) => {
    spawn(process.execPath, [tsc, '-p', 'console'], { cwd: root, stdio: 'inherit' }).once('exit', resolve)
  })
}

function compress() {
  for (const name of readdirSync(out, { recursive: true }).filter((name) => /\.(js|css|html|svg)$/.test(name))) {
    const file = join(out, name)
    const content = readFileSync(file)
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  }
}

const digest = digestOfSources()
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  mkdirSync(out, { recursive: true })
  const [faults] = await Promise.all([checkTypes(), build({ configFile: join(root, 'console', 'vite.config.mjs') })])
  if (faults !== 0) process.exit(1)
  compress()
  writeFileSync(stamp, digest)
}
