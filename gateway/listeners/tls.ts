import type { SecureContextOptions, TlsOptions, Server as TlsServer } from 'node:tls'
import { type Certificate, type CertificatePair, secureContextOf } from '../config/certificate.js'

interface Handshake {
  /** Offered protocols (ALPN), the preferred one first. */
  readonly protocols: readonly string[]
  readonly handshakeMs: number
  /** PEM certificates of the authorities that must sign clients; null: any client. */
  readonly clientCa: string | null
}

/** A TLS server of one listener: every new connection gets the newest certificate. */
export function createTlsServer<Server extends TlsServer>(
  certificate: Certificate,
  { protocols, handshakeMs, clientCa }: Handshake,
  create: (options: TlsOptions) => Server,
): Server {
  const asksClient = clientCa !== null
  const context = (pair: CertificatePair): SecureContextOptions => ({
    ...secureContextOf(pair),
    ...(asksClient ? { ca: clientCa } : {}),
  })
  const server = create({
    ...context(certificate.current),
    requestCert: asksClient,
    rejectUnauthorized: asksClient,
    ALPNProtocols: [...protocols],
    handshakeTimeout: handshakeMs,
  })
  certificate.onChange((pair) => server.setSecureContext(context(pair)))
  return server
}
