import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { Logger } from 'pino'
import type { Config, FileState } from './config.js'
import { every } from './every.js'

export interface CertificatePair {
  readonly cert: string
  readonly key: string
}

export interface Certificate {
  readonly current: CertificatePair
  /** PEM certificates of the authorities that must sign clients of the internal listener; null: any client. */
  readonly clientCa: string | null
  /** The end of its validity, seconds since the epoch. */
  readonly validUntilS: number
  /** Passes on every replacement of the pair, for connections from then on. */
  onChange(take: (pair: CertificatePair) => void): void
  state(): FileState
  close(): void
}

/** Key exchange is ephemeral and ciphers are authenticated: clients of the last ten years have them (contract 4). */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

export function secureContextOf({ cert, key }: CertificatePair): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true }
}

/**
 * Opens the pair of LOYALTY_TLS_CERT and LOYALTY_TLS_KEY; null where there is none. Both files are read again and again, and a change is
 * taken once two readings in a row agree and the two fit together. While only one of them has been replaced, or one is half-written, the
 * last good pair stays; the log and `state` give the reason. A chain shorter than the served one counts as cut at the end of a
 * certificate: only a start takes it. So does a certificate that has ended. LOYALTY_TLS_CLIENT_CA is read at start.
 */
export async function openCertificate(
  { tls }: Pick<Config, 'tls'>,
  log: Pick<Logger, 'info' | 'warn'>,
  { pollMs = 1_000, nowMs = Date.now }: { readonly pollMs?: number; readonly nowMs?: () => number } = {},
): Promise<Certificate | null> {
  if (tls === null) return null
  const { certFile, keyFile, clientCaFile } = tls
  const read = async (): Promise<CertificatePair> => {
    const [cert, key] = await Promise.all([readFile(certFile, 'utf8'), readFile(keyFile, 'utf8')])
    return { cert, key }
  }
  const clientCa = clientCaFile === null ? null : await readFile(clientCaFile, 'utf8')
  const takers: ((pair: CertificatePair) => void)[] = []
  let current = await read()
  let candidate = current
  let goodAtMs = performance.now()
  let fault: CertificateFault | null = null

  async function look(): Promise<void> {
    const pair = await read().catch(() => unreadable)
    const settled = isSame(pair, candidate)
    candidate = pair
    if (!settled) return
    const found = isSame(pair, current) ? null : faultOf(pair, current, nowMs())
    if (found === null) take(pair)
    else if (found !== fault) {
      log.warn({ certFile, keyFile, reason: found }, 'certificate or key is refused: the last good pair is served')
    }
    fault = found
  }

  function take(pair: CertificatePair): void {
    goodAtMs = performance.now()
    if (isSame(pair, current)) return
    current = pair
    for (const taker of takers) taker(pair)
    log.info({ validUntil: new X509Certificate(pair.cert).validTo }, 'certificate changed')
  }

  return {
    get current() {
      return current
    },
    clientCa,
    get validUntilS() {
      return Date.parse(new X509Certificate(current.cert).validTo) / 1000
    },
    onChange: (taker) => takers.push(taker),
    state: () => ({ goodAgeS: (performance.now() - goodAtMs) / 1_000, fault }),
    close: every(pollMs, look),
  }
}

function isSame(a: CertificatePair, b: CertificatePair): boolean {
  return a.cert === b.cert && a.key === b.key
}

type CertificateFault = 'unreadable' | 'unfit' | 'chain_cut' | 'ended'

const unreadable: CertificatePair = { cert: '', key: '' }

/** The reason why a pair does not replace the served one; null: it does. */
function faultOf(pair: CertificatePair, served: CertificatePair, nowMs: number): CertificateFault | null {
  if (isSame(pair, unreadable)) return 'unreadable'
  try {
    createSecureContext(secureContextOf(pair))
    if (Date.parse(new X509Certificate(pair.cert).validTo) <= nowMs) return 'ended'
  } catch {
    return 'unfit'
  }
  return certificatesIn(pair) < certificatesIn(served) ? 'chain_cut' : null
}

function certificatesIn({ cert }: CertificatePair): number {
  return cert.split('-----END CERTIFICATE-----').length - 1
}
