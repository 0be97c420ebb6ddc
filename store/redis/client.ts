import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import { withinTime } from '../call-deadline.js'
import { StoreFault } from '../fault.js'
import { faultFromError } from './faults.js'

export interface Client {
  /**
   * Sends one command, once. Bulk replies are Buffers, integers numbers. Rejects with StoreFault `unreachable`, `timeout` (a late reply
   * grants nothing) or `full`; a server's other errors reject as they are.
   */
  send(command: string, args: readonly (string | number | Uint8Array)[], timeMs: number): Promise<unknown>
  readonly isCluster: boolean
  /** Receives keys that were dropped because their values were not ours. */
  readonly onGarbage?: (keys: readonly string[]) => void
  close(): void
}

export interface MastersClient {
  /** Replies of those that answer, one or more; rejects as `send` does where none answers. */
  sendToMasters(command: string, timeMs: number): Promise<readonly unknown[]>
}

const reconnectPauseMaxMs = 250

const connectMs = 1_000

const tryAgainMs = 10

const silenceMs = 3_000

/**
 * Connects in the background, indefinitely, to `redis://` or `rediss://`; several URLs, comma-separated, are nodes of one cluster (user,
 * password and TLS are then taken from the first). Throws RangeError on another URL.
 */
export function createClient(url: string, onError: (error: Error) => void): Client & MastersClient {
  const nodes = url.split(',').map((node) => readUrl(node.trim()))
  const single = nodes.length > 1 ? null : new Redis(nodes[0]!.href, { ...connection, retryStrategy: pauseMs })
  const redis = single ?? createCluster(nodes)
  redis.on('error', onError)
  const gather = single === null ? () => {} : gathering(single)
  const replyOf = (reply: Promise<unknown>, timeMs: number) =>
    withinTime('cache', timeMs, reply).catch((error: Error) => {
      throw faultFromError(error)
    })
  return {
    isCluster: single === null,
    send(command, args, timeMs) {
      gather()
      return replyOf(redis.callBuffer(command, args.map(toArgument)) as Promise<unknown>, timeMs)
    },
    async sendToMasters(command, timeMs) {
      const masters = redis instanceof Cluster ? redis.nodes('master') : [redis]
      const replies = await Promise.allSettled(masters.map((node) => replyOf(node.callBuffer(command), timeMs)))
      const answered = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []))
      if (answered.length > 0) return answered
      throw replies.find((reply) => reply.status === 'rejected')?.reason ?? new StoreFault('cache', 'unreachable')
    },
    close: () => redis.disconnect(),
  }
}

/** One write for the commands of a turn: each costs a system call here and wakes the server. A cluster gets them one by one. */
function gathering(redis: Redis): () => void {
  let gathers = false
  return () => {
    const { stream } = redis
    if (gathers || stream === undefined) return
    gathers = true
    stream.cork()
    process.nextTick(() => {
      gathers = false
      stream.uncork()
    })
  }
}

/** Nothing is queued without a connection, and nothing is sent twice: every call has its own time and answer. */
const connection = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: connectMs,
  socketTimeout: silenceMs,
  // A master that has become a replica: the name in the URL may lead to the new master by now.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions

function createCluster(nodes: readonly URL[]): Cluster {
  const first = nodes[0]!
  const { enableOfflineQueue, ...redisOptions } = connection
  const options: ClusterOptions = {
    enableOfflineQueue,
    redisOptions: {
      ...redisOptions,
      ...(first.username && { username: decodeURIComponent(first.username) }),
      ...(first.password && { password: decodeURIComponent(first.password) }),
      ...(first.protocol === 'rediss:' && { tls: {} }),
    },
    // A node that is gone is removed; the calls for it that other nodes redirect discover it again. So a failover is seen without sending
    // any call twice.
    clusterRetryStrategy: pauseMs,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    // Nothing was run: one of two keys has moved to the slot's next master, and the other one follows at once.
    retryDelayOnTryAgain: tryAgainMs,
    slotsRefreshTimeout: connectMs,
    // Keep host names: TLS certificates are issued to them.
    dnsLookup: (host, found) => found(null, host),
  }
  // The brackets of an IPv6 address belong to the URL.
  const hosts = nodes.map((node) => ({
    host: node.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(node.port || 6379),
  }))
  const cluster = new Cluster(hosts, options)
  // Without this each node is connected by its first call, and the calls after that one are refused meanwhile.
  cluster.on('+node', (node: Redis) => node.connect().catch(() => {}))
  return cluster
}

function pauseMs(attempt: number): number {
  return Math.min(10 * 2 ** attempt, reconnectPauseMaxMs)
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol) || url.hostname === '') {
    throw new RangeError('a Redis URL is redis://host:port or rediss://host:port, or several of them, comma-separated')
  }
  return url
}

function toArgument(argument: string | number | Uint8Array): string | number | Buffer {
  if (typeof argument !== 'object' || Buffer.isBuffer(argument)) return argument
  return Buffer.from(argument.buffer, argument.byteOffset, argument.byteLength)
}
