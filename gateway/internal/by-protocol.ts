import type { Duplex } from 'node:stream'

/** The first bytes of an HTTP/2 connection that no HTTP/1.1 method shares (RFC 9113, 3.4). */
const preface = Buffer.from('PRI ')

/**
 * Reads the first bytes of a connection and hands it on with them unread. So HTTP/2 without TLS and HTTP/1.1 can share a port. A
 * connection that does not show its protocol in time is closed.
 */
export function byProtocol(
  servers: { readonly http1: (socket: Duplex) => void; readonly http2: (socket: Duplex) => void },
  waitMs: number,
): (socket: Duplex) => void {
  return (socket) => {
    let seen = Buffer.alloc(0)
    const timer = setTimeout(() => socket.destroy(), waitMs)
    const stop = () => {
      clearTimeout(timer)
      socket.off('data', look).off('close', stop).off('end', giveUp)
    }
    const giveUp = () => socket.destroy()
    const look = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk])
      const speaksHttp2 = seen.subarray(0, preface.length).equals(preface)
      if (!speaksHttp2 && preface.subarray(0, seen.length).equals(seen)) return
      stop()
      socket.pause()
      socket.unshift(seen)
      if (speaksHttp2) return servers.http2(socket)
      servers.http1(socket)
      socket.resume()
    }
    socket.on('data', look)
    socket.on('close', stop)
    socket.on('end', giveUp)
    socket.on('error', giveUp)
  }
}
