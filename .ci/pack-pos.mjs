// Packs clients/pos-js, a package of its own, from what is built. One argument: the folder for the tarball, default the current one.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = join(root, 'clients', 'pos-js')
const built = join(root, 'dist', 'clients', 'pos-js')
const folder = mkdtempSync(join(tmpdir(), 'pack-pos-'))
try {
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  for (const name of readdirSync(source)) {
    if (!name.endsWith('.ts')) cpSync(join(source, name), join(folder, name))
    else
      for (const end of ['.js', '.d.ts'])
        cpSync(join(built, name.replace(/\.ts$/, end)), join(folder, name.replace(/\.ts$/, end)))
  }
  const args = ['pack', folder, '--pack-destination', resolve(process.argv[2] ?? '.')]
  process.exitCode = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' }).status ?? 1
} finally {
  rmSync(folder, { recursive: true })
}
