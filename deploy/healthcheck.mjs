// node healthcheck.mjs live|ready: exits 0 where this container's service is. Internal listeners that demand a client's certificate
// (LOYALTY_TLS_CLIENT_CA) only have to accept the connection.
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'

const { LOYALTY_SERVE, LOYALTY_HTTP, LOYALTY_GRPC, LOYALTY_TLS_CERT, LOYALTY_TLS_CLIENT_CA } = process.env
const isInternal = LOYALTY_SERVE === 'internal'
const port = Number(/\d+$/.exec((isInternal ? LOYALTY_GRPC : LOYALTY_HTTP) ?? '')?.[0])
const timeout = 4_000

if (isInternal && LOYALTY_TLS_CLIENT_CA) {
  net
    .connect({ port, host: '127.0.0.1', timeout }, () => process.exit(0))
    .on('error', fail)
    .on('timeout', fail)
} else {
  const { get } = LOYALTY_TLS_CERT ? https : http
  // The certificate is for the name that callers use.
  const options = { port, host: '127.0.0.1', path: `/health/${process.argv[2]}`, timeout, rejectUnauthorized: false }
  get(options, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1))
    .on('error', fail)
    .on('timeout', fail)
}

function fail() {
  process.exit(1)
}
