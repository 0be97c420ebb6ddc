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
