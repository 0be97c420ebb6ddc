import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** The place of a request among those of its HTTP/1.1 connection, which are answered in their order. */
export interface Place {
  /** Requests before it without a complete answer. */
  readonly ahead: number
  /** Resolves when the answer before it is complete; never, where the connection ends before. */
  readonly due: Promise<void>
}

const queues = new WeakMap<Duplex, { length: number; out: Promise<void>; latest: ServerResponse }>()

/** Takes the place of a request as it arrives. Its answer is complete when the client has taken all but what the kernel buffers. */
export function takePlace(socket: Duplex, response: ServerResponse): Place {
  const queue = queues.get(socket) ?? { length: 0, out: Promise.resolve(), latest: response }
  queues.set(socket, queue)
  const place = { ahead: queue.length, due: queue.out }
  queue.length += 1
  queue.latest = response
  queue.out = new Promise((resolve) => {
    response.once('close', () => {
      queue.length -= 1
      resolve()
    })
  })
  return place
}

/** True when bytes on a connection now would be the answer to its latest request, or to bytes that became none. */
export function isNextToAnswer(socket: Duplex): boolean {
  const queue = queues.get(socket)
  return socket.writable && (!queue?.length || (queue.length === 1 && !queue.latest.headersSent))
}
