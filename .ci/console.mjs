// Bundles the console, each file also compressed.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'vite'
import { root } from './root.mjs'

export async function buildConsole(out) {
  const folder = join(out, 'console')
  await build({ configFile: join(root, 'console', 'vite.config.mjs'), build: { outDir: folder } })
  for (const name of readdirSync(folder, { recursive: true }).filter((name) => /\.(js|css|html|svg)$/.test(name))) {
    const file = join(folder, name)
    const content = readFileSync(file)
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
    writeFileSync(`${file}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  }
}
