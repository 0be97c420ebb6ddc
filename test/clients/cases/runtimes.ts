import { execFileSync } from 'node:child_process'

/** A command that fails where the Python of the clients is not here. */
export const pythonOfClients = ['python3', '-c', 'import sys; assert sys.version_info >= (3, 9)'] as const

/** Why a test is skipped where a command fails; false: it is not. */
export function missing([program, ...words]: readonly [string, ...string[]]): string | false {
  try {
    execFileSync(program, words, { stdio: 'ignore' })
    return false
  } catch {
    return `${program} is not here, or too old`
  }
}
