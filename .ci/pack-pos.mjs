// Packs clients/pos-js, a package of its own. One argument: the folder for the tarball, default the current one.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { root } from './root.mjs'

const source = join(root, 'clients', 'pos-js')
const options = '--ignoreConfig --declaration --strict --skipLibCheck --target es2023 --module nodenext --types node'
const folder = mkdtempSync(join(tmpdir(), 'pack-pos-'))
const run = (command, args) => execFileSync(command, args, { stdio: 'inherit', shell: process.platform === 'win32' })
try {
  const tsc = join(root, 'node_modules', '.bin', 'tsc')
  run(tsc, [...options.split(' '), '--outDir', folder, join(source, 'pos-client.ts')])
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  for (const name of readdirSync(source).filter((name) => !name.endsWith('.ts')))
    cpSync(join(source, name), join(folder, name))
  run('npm', ['pack', folder, '--pack-destination', resolve(process.argv[2] ?? '.')])
} finally {
  rmSync(folder, { recursive: true })
}
