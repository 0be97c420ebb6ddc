// Builds a part only after a change of its sources: a stamp holds their digest.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { root } from './root.mjs'

/** The files below a folder of the checkout, or the file itself; relative to the checkout, sorted. */
export function filesBelow(name) {
  const path = join(root, name)
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [name]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort()
}

/**
 * @param stamp    file that holds the digest of the last build
 * @param sources  files and folders of the checkout; `.ci` always counts too
 */
export async function rebuilt(stamp, sources, build) {
  const digest = digestOf(['.ci', ...sources].flatMap(filesBelow))
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  await build()
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, digest)
}

function digestOf(files) {
  const hash = createHash('sha256').update(process.versions.node.split('.')[0])
  for (const name of files) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0')
  }
  return hash.digest('hex')
}
