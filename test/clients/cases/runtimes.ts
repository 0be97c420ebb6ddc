import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A command that fails where the Python of the clients is not here. */
export const pythonOfClients = ['python3', '-c', 'import sys; assert sys.version_info >= (3, 9)'] as const

/** A command that fails where no Java compiler is here. */
export const javaOfClients = ['javac', '--release', '11', '-version'] as const

/** Why a test is skipped where a command fails; false: it is not. */
export function missing([program, ...words]: readonly [string, ...string[]]): string | false {
  try {
    execFileSync(program, words, { stdio: 'ignore' })
    return false
  } catch {
    return `${program} is not here, or too old`
  }
}

/** Compiles the Java client, and a program that uses it, as its README says; resolves to the folder of the classes. */
export function compileJava(t: Test, root: string, program: string): string {
  const out = mkdtempSync(join(tmpdir(), 'pos-java-'))
  t.teardown(() => rmSync(out, { recursive: true }))
  const folder = join(root, 'clients', 'pos-java', 'src', 'loyaltypartner', 'pos')
  const sources = readdirSync(folder).map((name) => join(folder, name))
  execFileSync('javac', ['--release', '11', '-Xlint:all', '-Werror', '-d', out, ...sources])
  execFileSync('javac', ['--release', '11', '-cp', out, '-d', out, program])
  return out
}
