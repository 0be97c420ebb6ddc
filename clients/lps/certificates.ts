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

const meanings: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/^DEPTH_ZERO_SELF_SIGNED_CERT$/, 'its certificate is self-signed: name the file of the certificate with --ca'],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE))$/,
    'its certificate is signed by an authority that is not known here: name the file of the authority with --ca',
  ],
  [/^CERT_HAS_EXPIRED$/, 'its certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'its certificate is not valid yet, or the clock here is wrong'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another host'],
  [/WRONG_VERSION_NUMBER|wrong version number|PACKET_LENGTH_TOO_LONG/, 'it does not speak TLS: name it with http://'],
  [/CERTIFICATE_REQUIRED/, 'it asks for a certificate of the client (LOYALTY_TLS_CLIENT_CA), and lps has none'],
  [/NO_APPLICATION_PROTOCOL/, 'it does not speak HTTP/2: name the internal address, not that of REST'],
  [/UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION/, 'it has no version of TLS that is spoken here'],
  [/^(CERT_|ERR_SSL_|ERR_TLS_)|^EPROTO$/, 'the TLS handshake failed'],
]
const cutOff = /^(ECONNRESET|UND_ERR_SOCKET)$|stream closed with error code/
const causesMax = 5

export function tlsFaultOf(error: unknown): string | null {
  for (const [code, message] of textsOf(error)) {
    const words = meanings.find(([pattern]) => pattern.test(code) || (code === 'EPROTO' && pattern.test(message)))?.[1]
    if (words !== undefined) return `${words} (${reasonIn(code, message)})`
  }
  return null
}

/** A sentence for a plain call whose connection was ended without an answer, as a port with TLS does; else empty. */
export function tlsHint(url: string, error: unknown): string {
  const isCutOff =
    !url.startsWith('https:') &&
    textsOf(error)
      .flat()
      .some((text) => cutOff.test(text))
  return isCutOff ? '. If it speaks TLS, name it with https://' : ''
}

function textsOf(error: unknown, depth = 0): (readonly [code: string, message: string])[] {
  if (!(error instanceof Error) || depth === causesMax) return []
  const { code, message, cause } = error as NodeJS.ErrnoException
  return [[String(code ?? ''), message], ...textsOf(cause, depth + 1)]
}

/** OpenSSL adds addresses and source files to its reason. */
function reasonIn(code: string, message: string): string {
  return code === 'EPROTO' || code.startsWith('ERR_SSL_')
    ? (/routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? code)
    : message
}
