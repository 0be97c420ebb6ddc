import type { IncomingMessage } from 'node:http'
import type { Admission } from './admission.js'
import { httpFault, type Refused, unavailable } from './errors.js'
import { declaredLength } from './request.js'
import type { Exchange } from './response.js'

export type BodyRead =
  /** The bytes as they arrived, in a buffer of their own: it may be transferred to a thread. */
  | { readonly kind: 'read'; readonly body: Uint8Array }
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'gone' }

/** The part of check 3 that is possible before the body arrives. */
export function checkDeclaredLength(request: IncomingMessage, bodyBytesMax: number): Refused | null {
  const declared = declaredLength(request)
  return declared !== null && declared > bodyBytesMax ? tooLarge(bodyBytesMax) : null
}

/**
 * Reads a request's body; ends it as soon as it is too large (check 3), or there is no room for it, or others need the room that it has
 * had for longer than they. Bytes that have arrived count against the admission's bytes until they are dropped, or else until the
 * exchange is over.
 */
export function readBody(exchange: Exchange, admission: Admission, bodyBytesMax: number): Promise<BodyRead> {
  const { request, connection } = exchange
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const arriving = admission.receive(() => finish(noRoom))

    const onChunk = (chunk: Uint8Array) => {
      length += chunk.length
      exchange.bytesIn = length
      if (length > bodyBytesMax) return finish({ kind: 'refused', refused: tooLarge(bodyBytesMax) })
      if (!arriving.hold(chunk.length)) return finish(noRoom)
      chunks.push(chunk)
    }
    const onEnd = () => finish({ kind: 'read', body: joined(chunks, length) })
    const onGone = () => finish({ kind: 'gone' })
    const breakBody = (refused: Refused) => {
      if (request.complete) return false
      finish({ kind: 'refused', refused })
      return true
    }
    const finish = (read: BodyRead) => {
      request.off('data', onChunk).off('end', onEnd).off('close', onGone)
      // A later request on the same connection may have put its own in place.
      if (connection.breakBody === breakBody) connection.breakBody = null
      if (read.kind === 'read') {
        arriving.complete()
        exchange.whenOver(arriving.release)
      } else arriving.release()
      resolve(read)
    }

    request.on('data', onChunk).once('end', onEnd).once('close', onGone)
    connection.breakBody = breakBody
  })
}

const noRoom: BodyRead = { kind: 'refused', refused: { ...unavailable('bytes in flight'), close: true } }

function tooLarge(bodyBytesMax: number): Refused {
  return httpFault(413, `The body is larger than ${bodyBytesMax} bytes.`, { close: true })
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const body = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
