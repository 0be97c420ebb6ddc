import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { signature } from '../e2e/service.js'
import type { Dice } from '../support/dice.js'
import { type Attempt, type Call, type Endpoint, finalAnswer, type SeenAnswer } from './history.js'

/** Where the client sends: gateways start and stop under their number. */
export interface Doors {
  readonly count: number
  /** null: none is running. */
  url(gateway: number): string | null
  readonly secret: string
  /** A connection of its own for each attempt, so that a balancer hands each to the next gateway. */
  readonly apart?: boolean
  /** How long a POS waits for an answer, in milliseconds; default `patienceMs`. */
  readonly waitsMs?: number
}

/** Time that a POS waits for an answer, in milliseconds: longer than the contract's 500, to see late answers. */
const patienceMs = 1_500
/** Pauses between two attempts of a call: the first, doubled each time up to the longest; drawn around these. */
const pauseMs = { first: 60, most: 1_000 } as const
const connections = 256

/** A POS counter: sends calls, repeats them as a POS would, and records all it sees. */
export interface CounterClient {
  readonly history: readonly Call[]
  /** Starts a call; resolves when it is settled or given up. */
  call(wish: Wish): Promise<Call>
  /** One attempt at one gateway, without repeats. */
  attempt(call: Call, gateway: number): Promise<Attempt>
  /** Calls that are under way. */
  readonly open: number
  /** Each attempt has a connection of its own. */
  readonly apart: boolean
  /** From this moment on (`performance.now()`) no call is tried again. */
  giveUpAt(ms: number): void
  close(): Promise<void>
}

export interface Wish {
  readonly endpoint: Endpoint
  readonly key: string
  readonly body: string
  readonly supersedes?: string | null
  /** The gateway of the first attempt; any other one at random. */
  readonly gateway?: number
}

export function createCounterClient(doors: Doors, dice: Dice): CounterClient {
  const history: Call[] = []
  const pools = new Map<string, Pool>()
  let lastTryAt = Number.POSITIVE_INFINITY
  let open = 0

  function pool(url: string): Pool {
    const known = pools.get(url)
    if (known !== undefined) return known
    const made = new Pool(url, { connections, pipelining: 1 })
    pools.set(url, made)
    return made
  }

  async function attempt(call: Call, gateway: number): Promise<Attempt> {
    const made: Attempt = { gateway, sentAt: performance.now(), answer: null, endedAt: null }
    call.attempts.push(made)
    const url = doors.url(gateway)
    try {
      if (url !== null) made.answer = await post(pool(url), doors, call)
    } catch (error) {
      made.lost = reasonOf(error)
    }
    made.endedAt = performance.now()
    return made
  }

  async function persist(call: Call, first: number): Promise<void> {
    for (let pause: number = pauseMs.first, gateway = first; ; pause = Math.min(pause * 2, pauseMs.most)) {
      await attempt(call, gateway)
      if (finalAnswer(call) !== null || performance.now() > lastTryAt) return
      await sleep(dice.between(pause / 2, pause))
      gateway = dice.between(0, doors.count - 1)
    }
  }

  return {
    history,
    apart: doors.apart ?? false,
    async call({ endpoint, key, body, supersedes = null, gateway = dice.between(0, doors.count - 1) }) {
      const call: Call = { endpoint, key, body, supersedes, attempts: [] }
      history.push(call)
      open += 1
      await persist(call, gateway).finally(() => {
        open -= 1
      })
      return call
    },
    attempt,
    get open() {
      return open
    },
    giveUpAt(ms) {
      lastTryAt = ms
    },
    async close() {
      await Promise.all([...pools.values()].map((each) => each.destroy()))
    },
  }
}

/** Rejects where no whole answer arrived. */
async function post(
  pool: Pool,
  { secret, apart = false, waitsMs = patienceMs }: Doors,
  { endpoint, key, body }: Call,
): Promise<SeenAnswer> {
  const seconds = Math.floor(Date.now() / 1000)
  const {
    statusCode,
    headers,
    body: stream,
  } = await pool.request({
    path: `/v1/pos/${endpoint}`,
    method: 'POST',
    reset: apart,
    body,
    headers: {
      'content-type': 'application/json',
      'pos-signature': signature(secret, seconds, body),
      'idempotency-key': key,
    },
    signal: AbortSignal.timeout(waitsMs),
  })
  const text = await stream.text()
  return {
    status: statusCode,
    text,
    requestId: single(headers['x-request-id']),
    retryAfter: single(headers['retry-after']),
    replayed: headers['idempotent-replayed'] === 'true',
  }
}

function reasonOf(error: unknown): string {
  const { code, name, message } = error as Error & { readonly code?: string | number }
  return typeof code === 'string' ? `${code} ${message}` : `${name} ${message}`
}

function single(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}
