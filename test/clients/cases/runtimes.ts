import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { installPackages } from '../../support/servers/find-binary.js'

/** Requirements of a client's language: a command that fails where it is missing, and the Debian packages that install it. */
export interface Runtime {
  readonly command: readonly [program: string, ...words: string[]]
  readonly packages: string
}

export const pythonOfClients: Runtime = {
  command: ['python3', '-c', 'import sys; assert sys.version_info >= (3, 9)'],
  packages: 'python3',
}

export const phpOfClients: Runtime = {
  command: ['php', '-r', 'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") ? 0 : 1);'],
  packages: 'php-cli php-curl',
}

export const goOfClients: Runtime = {
  command: ['sh', '-c', 'go version | grep -Eq "go1\\.(19|[2-9][0-9])"'],
  packages: 'golang-go',
}

export const javaOfClients: Runtime = {
  command: ['javac', '--release', '11', '-version'],
  packages: 'default-jdk-headless',
}

export const dotnetOfClients: Runtime = {
  command: [
    'sh',
    '-c',
    'mcs --version && mono --version && test -e "$(dirname "$(readlink -f "$(command -v mono)")")/../lib/mono/4.5/System.Net.Http.dll"',
  ],
  packages: 'mono-mcs mono-runtime libmono-system-net-http4.0-cil',
}

/** The reason to skip a test whose language is missing and cannot be installed; false: not skipped. */
export async function missing({ command, packages }: Runtime): Promise<string | false> {
  if (runs(command)) return false
  const problem = await installPackages(packages).then(
    () => null,
    () => 'apt-get failed, or we are not root',
  )
  return runs(command) ? false : `needs ${packages} (${problem ?? 'too old'})`
}

function runs([program, ...words]: Runtime['command']): boolean {
  try {
    execFileSync(program, words, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Builds a program that uses the Go client, by its README, after the client's own form and vet; resolves to its path. */
export function compileGo(t: Test, root: string, program: string): string {
  const out = mkdtempSync(join(tmpdir(), 'pos-go-'))
  t.teardown(() => rmSync(out, { recursive: true }))
  const env = { ...process.env, GOFLAGS: '-mod=mod' }
  const go = (...words: string[]) => execFileSync('go', words, { cwd: out, env, stdio: 'pipe' })
  cpSync(program, join(out, 'main.go'))
  go('mod', 'init', 'program')
  go(
    'mod',
    'edit',
    '-require',
    'loyaltypartner/pos@v0.1.0',
    '-replace',
    `loyaltypartner/pos=${join(root, 'clients', 'pos-go')}`,
  )
  go('vet', '.', 'loyaltypartner/pos')
  go('build', '-o', 'program', '.')
  return join(out, 'program')
}

/** Compiles the Java client, and a program that uses it, by its README; resolves to the folder of the classes. */
export function compileJava(t: Test, root: string, program: string): string {
  const out = mkdtempSync(join(tmpdir(), 'pos-java-'))
  t.teardown(() => rmSync(out, { recursive: true }))
  const folder = join(root, 'clients', 'pos-java', 'src', 'loyaltypartner', 'pos')
  const sources = readdirSync(folder).map((name) => join(folder, name))
  execFileSync('javac', ['--release', '11', '-Xlint:all', '-Werror', '-d', out, ...sources])
  execFileSync('javac', ['--release', '11', '-cp', out, '-d', out, program])
  return out
}

/** Compiles the C# client, and a program that uses it; resolves to the path of the program. */
export function compileDotnet(t: Test, root: string, program: string): string {
  const out = mkdtempSync(join(tmpdir(), 'pos-dotnet-'))
  t.teardown(() => rmSync(out, { recursive: true }))
  const folder = join(root, 'clients', 'pos-dotnet', 'src')
  const sources = readdirSync(folder).map((name) => join(folder, name))
  const library = join(out, 'LoyaltyPartner.Pos.dll')
  const executable = join(out, 'program.exe')
  // C# 7.0, as in the project file: later features would not build with older compilers.
  const mcs = (...words: string[]) => execFileSync('mcs', ['-langversion:7', '-warn:4', '-warnaserror', ...words])
  mcs('-r:System.Net.Http', '-target:library', `-out:${library}`, ...sources)
  mcs(`-r:${library}`, `-out:${executable}`, program)
  return executable
}
