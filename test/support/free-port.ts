import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Ports below the range that the system gives to outgoing connections: so a stopped server finds its port free when it restarts. */
const ports = { from: 10_240, below: 32_768 } as const

/** A TCP port of this machine that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(ports.from, ports.below)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
