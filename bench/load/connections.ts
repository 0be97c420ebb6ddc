import { connect, type Socket } from 'node:net'
import { monotonicMs } from './metronome.js'

/** A request ready to send. `tail` is shared by many requests and not copied. */
export interface Request {
  readonly head: Buffer
  readonly tail: Buffer
}

/** The response; `broken`: no valid HTTP response, and why. */
export type Response =
  | { readonly kind: 'answered'; readonly status: number; readonly head: string; readonly body: Buffer }
  | { readonly kind: 'broken'; readonly why: string }

/**
 * Persistent connections to one server, one request at a time on each. Written by hand: a general HTTP client takes
 * several times the processor time, which the service would lose.
 */
export interface Connections {
  open(count: number): Promise<void>
  /**
   * Sends on an idle or a new connection, or on the next that becomes idle. Never throws; calls `landed` exactly once.
   */
  send(request: Request, landed: (response: Response) => void): void
  close(): void
}

/** Connections at most; further requests wait here, which counts as latency. */
const connectionsMax = 512
/** Timeout of an answer, in milliseconds: far above the POS's 500, so that slow answers are measured. */
const patienceMs = 20_000
const patienceCheckMs = 500
/** The server may close a connection that was idle for longer, in milliseconds. */
const idleMaxMs = 4_000

interface Waiting {
  readonly request: Request
  readonly landed: (response: Response) => void
}

export function createConnections(url: string): Connections {
  const idle: Connection[] = []
  const all = new Set<Connection>()
  const waiting: Waiting[] = []
  const target = new URL(url)
  const check = setInterval(() => {
    for (const one of all) one.giveUpBefore(monotonicMs() - patienceMs)
  }, patienceCheckMs).unref()

  const whenIdle = (one: Connection): void => {
    const next = waiting.shift()
    if (next === undefined) idle.push(one)
    else one.send(next.request, next.landed)
  }
  const whenGone = (one: Connection): void => {
    all.delete(one)
    const at = idle.indexOf(one)
    if (at >= 0) idle.splice(at, 1)
    const next = waiting.shift()
    if (next !== undefined) create().send(next.request, next.landed)
  }
  const create = (): Connection => {
    const one = new Connection(target, whenIdle, whenGone)
    all.add(one)
    return one
  }
  return {
    async open(count) {
      const opened = Array.from({ length: Math.min(count, connectionsMax) - all.size }, create)
      await Promise.all(opened.map((one) => one.opened))
      idle.push(...opened)
    },
    send(request, landed) {
      const one = fresh(idle) ?? (all.size < connectionsMax ? create() : undefined)
      if (one === undefined) waiting.push({ request, landed })
      else one.send(request, landed)
    },
    close() {
      clearInterval(check)
      for (const one of [...all]) one.end()
    },
  }
}

/** The connection used last, so that under little load the others expire; closes expired ones. */
function fresh(idle: Connection[]): Connection | undefined {
  const one = idle.pop()
  if (one === undefined || monotonicMs() - one.idleSinceMs <= idleMaxMs) return one
  one.end()
  for (const other of [...idle]) other.end()
  return undefined
}

const headEnd = Buffer.from('\r\n\r\n')

class Connection {
  readonly opened: Promise<void>
  private readonly socket: Socket
  idleSinceMs = monotonicMs()
  private landed: ((response: Response) => void) | null = null
  private sentAtMs = 0
  private isGone = false
  private received: Buffer = Buffer.alloc(0)

  constructor(
    target: URL,
    private readonly whenIdle: (one: Connection) => void,
    private readonly whenGone: (one: Connection) => void,
  ) {
    this.socket = connect({ host: target.hostname, port: Number(target.port) })
    this.socket.setNoDelay(true)
    this.opened = new Promise((resolve, reject) => {
      this.socket.once('connect', () => resolve())
      this.socket.once('error', reject)
    })
    this.opened.catch(() => {})
    this.socket.on('data', (chunk: Buffer) => this.read(chunk))
    this.socket.on('error', (error: NodeJS.ErrnoException) => this.fail(error.code ?? error.message))
    this.socket.on('close', () => this.fail('closed'))
  }

  send({ head, tail }: Request, landed: (response: Response) => void): void {
    this.landed = landed
    this.sentAtMs = monotonicMs()
    this.socket.cork()
    this.socket.write(head)
    if (tail.length > 0) this.socket.write(tail)
    this.socket.uncork()
  }

  giveUpBefore(momentMs: number): void {
    if (this.landed !== null && this.sentAtMs < momentMs) this.fail('no answer in time')
  }

  end(): void {
    this.fail('closed here')
  }

  private read(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk])
    const answer = answerIn(this.received)
    if (answer === 'not all of it') return
    if (answer === 'none of ours' || this.landed === null) {
      this.fail('not one answer with a length')
      return
    }
    const { landed } = this
    this.received = Buffer.alloc(0)
    this.landed = null
    landed(answer)
    if (/\r\nconnection: *close/i.test(answer.head)) this.fail('closed')
    else this.rest()
  }

  private rest(): void {
    this.idleSinceMs = monotonicMs()
    this.whenIdle(this)
  }

  private fail(why: string): void {
    if (this.isGone) return
    this.isGone = true
    const { landed } = this
    this.landed = null
    this.socket.destroy()
    this.whenGone(this)
    landed?.({ kind: 'broken', why })
  }
}

/** The one response in these bytes. Bytes after it and responses without a length are invalid. */
function answerIn(received: Buffer): Extract<Response, { kind: 'answered' }> | 'not all of it' | 'none of ours' {
  const at = received.indexOf(headEnd)
  if (at < 0) return 'not all of it'
  const head = received.toString('latin1', 0, at)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1])
  if (Number.isNaN(status) || Number.isNaN(length)) return 'none of ours'
  const missing = at + headEnd.length + length - received.length
  if (missing !== 0) return missing > 0 ? 'not all of it' : 'none of ours'
  return { kind: 'answered', status, head, body: received.subarray(at + headEnd.length) }
}
