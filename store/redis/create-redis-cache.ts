import { type Cache, type CacheServer, tokensKeptFromSales } from '../cache.js'
import { type CacheAccess, type CacheLifetimes, cacheLifetimes, callMs, journalCallMs } from './access.js'
import { createAnswers, createVouching } from './answers.js'
import { type Client, createClient, type MastersClient } from './client.js'
import { createCounters } from './counters.js'
import { createJournal } from './journal.js'
import { createKeys } from './keys.js'
import { dropSpoiled, isSpoiled, replyWord, runScript } from './scripts.js'

export interface CacheOptions {
  readonly url: string
  /** Prefix of every key; separates environments, or tests, on one server. Without braces. Default `loyalty`. */
  readonly prefix?: string
  readonly callMs?: number
  readonly journalCallMs?: number
  readonly lifetimes?: Partial<CacheLifetimes>
  readonly onError?: (error: Error) => void
  readonly onGarbage?: (keys: readonly string[]) => void
}

/** Until it is connected every call rejects with StoreFault `unreachable`. Throws RangeError where `url` or `prefix` is unfit. */
export function createRedisCache(options: CacheOptions): Cache {
  const keys = createKeys(options.prefix ?? 'loyalty')
  const connected = createClient(options.url, options.onError ?? (() => {}))
  const client: Client = {
    ...connected,
    onGarbage: options.onGarbage ?? (() => {}),
  }
  const access: CacheAccess = {
    client,
    keys,
    lifetimes: { ...cacheLifetimes, ...options.lifetimes },
    callMs: options.callMs ?? callMs,
    journalCallMs: options.journalCallMs ?? journalCallMs,
  }
  return {
    ...createRate(access),
    ...createAnswers(access),
    ...createCounters(access),
    ...createJournal(access),
    ...createVouching(access),
    ...createRequests(access),
    describe: () => describeServer(connected, access.callMs),
    async ping() {
      await client.send('ping', [], access.callMs)
    },
    async close() {
      client.close()
    },
  }
}

function createRate({ client, keys, callMs }: CacheAccess): Pick<Cache, 'takeToken'> {
  return {
    async takeToken({ endpoint, rate, burst, ahead }) {
      const reply = await runScript(client, 'take_token', {
        keys: [keys.tokens()],
        args: [Math.ceil(1_000_000 / rate), burst, endpoint === 'sale' ? tokensKeptFromSales(burst) : 0, ahead],
        timeMs: callMs,
      })
      const number = Number(reply[1])
      return replyWord(reply) === 'taken' ? { taken: true, ahead: number } : { taken: false, retryAfterS: number }
    },
  }
}

function createRequests({
  client,
  keys,
  journalCallMs,
}: CacheAccess): Pick<Cache, 'keepRequest' | 'readRequests' | 'dropRequests'> {
  return {
    async keepRequest(at, text, { countMax, bytesMax, lifetimeMs }) {
      const args = [text, countMax, bytesMax, lifetimeMs]
      await runScript(client, 'keep_request', { keys: [keys.requests(at)], args, timeMs: journalCallMs })
    },
    async readRequests(at) {
      const key = keys.requests(at)
      try {
        return ((await client.send('lrange', [key, 0, -1], journalCallMs)) as Buffer[]).map(String)
      } catch (error) {
        if (!isSpoiled(error)) throw error
        await dropSpoiled(client, [key], journalCallMs)
        return []
      }
    },
    async dropRequests(venueId) {
      const names = [true, false].map((isSigned) => keys.requests({ venueId, isSigned }))
      await client.send('unlink', names, journalCallMs)
    },
  }
}

const safePolicy = 'noeviction'

async function describeServer(client: MastersClient, timeMs: number): Promise<CacheServer> {
  const texts = (await client.sendToMasters('info', timeMs)).map(String)
  const text = texts[0]!
  const number = (name: string) => Number(fieldOf(text, name) ?? 0)
  const ofAll = (name: string) => texts.map((each) => fieldOf(each, name))
  return {
    version: fieldOf(text, 'redis_version') ?? '',
    bytes: number('used_memory'),
    bytesMax: number('maxmemory'),
    evictionPolicy: ofAll('maxmemory_policy').find((policy) => policy !== undefined && policy !== safePolicy) ?? null,
    clocksMs: ofAll('server_time_usec').flatMap((us) => (us === undefined ? [] : [Number(us) / 1000])),
    appends: ofAll('aof_enabled').includes('1'),
    snapshotFailed: ofAll('rdb_last_bgsave_status').includes('err'),
  }
}

function fieldOf(text: string, name: string): string | undefined {
  return new RegExp(`^${name}:([^\\r\\n]*)`, 'm').exec(text)?.[1]
}
