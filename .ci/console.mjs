// Bundles the console, each file also compressed.
import { join } from 'node:path'
import { build } from 'vite'
import { compressBelow } from './compress.mjs'
import { root } from './root.mjs'

export async function buildConsole(out) {
  const folder = join(out, 'console')
  await build({ configFile: join(root, 'console', 'vite.config.mjs'), build: { outDir: folder } })
  compressBelow(folder, 11)
}
