// Copies files that the compiler does not (Lua, SQL, JSON, HTML) next to the compiled ones, and builds the pages under /docs. One
// argument: the out dir, default dist.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildDocsSite } from './docs-site.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const out = join(root, process.argv[2] ?? 'dist')
const kinds = new Set(['.lua', '.sql', '.json', '.html', '.css'])

for (const room of ['gateway', 'engine', 'store', 'clients', 'bench', 'test']) {
  // Folders of SQL are read whole, so a file that was deleted must not stay.
  for (const entry of existsSync(join(out, room)) ? readdirSync(join(out, room), { recursive: true }) : []) {
    if (extname(entry) === '.sql' && !existsSync(join(root, room, entry))) rmSync(join(out, room, entry))
  }
  for (const entry of readdirSync(join(root, room), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !kinds.has(extname(entry.name))) continue
    const from = join(entry.parentPath, entry.name)
    const to = join(out, from.slice(root.length + 1))
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to)
  }
}

// The gateway serves the cases that the clients are tested by.
cpSync(join(root, 'clients', 'cases', 'cases.json'), join(out, 'gateway', 'rest', 'pages', 'client-cases.json'))

await buildDocsSite(out)

// package.json lists it under `bin`.
chmodSync(join(out, 'clients', 'lps', 'main.js'), 0o755)
