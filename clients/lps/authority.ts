import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { WrongUse } from './screen.js'

const option = '--ca'
/** Node reads the file's name from it. */
const variable = 'NODE_EXTRA_CA_CERTS'
const passedOn = ['SIGTERM', 'SIGHUP'] as const

/** Takes `--ca FILE` out of the words, at any place; `file` null: it is not there. Throws WrongUse without a certificate in FILE. */
export function takeAuthority(words: readonly string[]): { file: string | null; rest: readonly string[] } {
  const at = words.findIndex((word) => word === option || word.startsWith(`${option}=`))
  if (at < 0) return { file: null, rest: words }
  const [word = '', next] = words.slice(at)
  const isOneWord = word !== option
  const file = isOneWord ? word.slice(option.length + 1) : next
  if (file === undefined || file === '') throw new WrongUse(`${option}: expected a file of PEM certificates`)
  try {
    new X509Certificate(readFileSync(file))
  } catch (error) {
    throw new WrongUse(`${option}: expected a file of PEM certificates, received ${file} (${(error as Error).message})`)
  }
  return { file: resolve(file), rest: words.toSpliced(at, isOneWord ? 1 : 2) }
}

export function authorityFile(): string | null {
  return process.env[variable] || null
}

/** Node reads an own authority only as a process starts, so the command runs in a process of its own. Resolves to its exit code. */
export function runWithAuthority(file: string, words: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...words], {
    stdio: 'inherit',
    env: { ...process.env, [variable]: file },
  })
  for (const signal of passedOn) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {})
  return new Promise((settle, fail) => {
    child.once('error', fail)
    child.once('exit', (code, signal) => settle(code ?? 128 + constants.signals[signal!]))
  })
}
