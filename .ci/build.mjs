// Builds into dist everything that package.json's commands run: the service, clients, bench and tests as JavaScript (types are `npm run
// check`'s work), the files with them, the documentation, the console and the empty embedded ledger. Each part is built again only after a
// change of its sources. `--product`: without bench and tests. `--out FOLDER`: instead of dist. `--docs-later`: the documentation is built
// after this command has ended.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname, extname, join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { compressBelow } from './compress.mjs'
import { buildLedgerTemplate } from './ledger-template.mjs'
import { root } from './root.mjs'
import { filesBelow, rebuilt } from './stamps.mjs'

/** Copied as they are. */
const copied = new Set(['.lua', '.sql', '.json', '.html', '.css'])
const product = ['gateway', 'engine', 'store', 'clients']

const { values } = parseArgs({
  options: {
    product: { type: 'boolean' },
    'docs-later': { type: 'boolean' },
    out: { type: 'string', default: 'dist' },
  },
})
const out = join(root, values.out)
const commitDigits = 12
/** Sources of other rooms that the console imports. */
const consoleImports = ['gateway/gen', 'clients/import', 'engine/programme/currency-digits.ts']
const rooms = values.product ? product : [...product, 'bench', 'test']

mkdirSync(out, { recursive: true })
writeFileSync(join(out, 'commit.json'), `${JSON.stringify({ commit: commitOf() })}\n`)
for (const room of rooms) await rebuilt(join(out, `.${room}`), [room], () => buildRoom(room))
await Promise.all([
  values['docs-later'] ? null : buildDocs(),
  rebuilt(join(out, '.console'), ['package-lock.json', 'console', ...consoleImports], buildConsole),
  rebuilt(join(out, '.template'), ['package-lock.json', 'store'], () => buildLedgerTemplate(out)),
])
if (values['docs-later']) await buildDocs()

/** SOURCE_COMMIT names it where there is no repository, as in the image. */
function commitOf() {
  const named = process.env.SOURCE_COMMIT ?? ''
  if (/^[0-9a-f]{7,40}$/.test(named)) return named.slice(0, commitDigits)
  if (!existsSync(join(root, '.git'))) return 'unknown'
  // Git otherwise refuses a checkout of another user. Tags are not searched.
  const words = ['-c', 'safe.directory=*', 'describe', '--always', '--dirty', `--abbrev=${commitDigits}`, '--exclude=*']
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : 'unknown'
}

/** Bundles the console, each file also compressed. */
async function buildConsole() {
  const { build: bundle } = await import('vite')
  const outDir = join(out, 'console')
  await bundle({ configFile: join(root, 'console', 'vite.config.mjs'), build: { outDir } })
  compressBelow(outDir, 11)
}

/** In a process of its own: it takes a core for 13 s. */
async function buildDocs() {
  const isLater = values['docs-later']
  const builder = spawn(process.execPath, [join(root, '.ci', 'docs.mjs'), out], {
    stdio: isLater ? 'ignore' : 'inherit',
  })
  if (isLater) {
    setPriority(builder.pid, constants.priority.PRIORITY_LOW)
    builder.unref()
    return
  }
  const [status] = await once(builder, 'exit')
  if (status !== 0) throw new Error('the documentation is not built')
}

/** One output file for each source; outputs of deleted sources go. */
async function buildRoom(room) {
  const files = filesBelow(room)
  const built = new Set([...files, ...files.map(compiledName), ...files.map((name) => `${compiledName(name)}.map`)])
  for (const name of filesBelow(relative(root, join(out, room)))) {
    const source = relative(out, join(root, name))
    if (!built.has(source) && /\.(js|map|ts|sql|lua)$/.test(name)) rmSync(join(root, name))
  }
  await build({
    entryPoints: files.filter((name) => name.endsWith('.ts')).map((name) => join(root, name)),
    outdir: out,
    outbase: root,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
  for (const name of files.filter((name) => copied.has(extname(name)))) {
    mkdirSync(dirname(join(out, name)), { recursive: true })
    cpSync(join(root, name), join(out, name))
  }
  if (room !== 'clients') return
  // The gateway serves the cases that the clients are tested by.
  mkdirSync(join(out, 'gateway', 'pos', 'pages'), { recursive: true })
  cpSync(join(root, 'clients', 'cases', 'cases.json'), join(out, 'gateway', 'pos', 'pages', 'client-cases.json'))
  // package.json lists it under `bin`.
  chmodSync(join(out, 'clients', 'lps', 'main.js'), 0o755)
}

function compiledName(name) {
  return name.replace(/\.ts$/, '.js')
}
