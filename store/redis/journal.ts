import type { Cache, JournalDepth, Unvouched } from '../cache.js'
import type { CalculationRecord } from '../ledger/calculations.js'
import type { CacheAccess } from './access.js'
import { bucketCount, bucketOf, isCalculationId } from './keys.js'
import { readRecord } from './record.js'
import { dropKeys, dropSpoiled, isSpoiled, replyWord, runScript } from './scripts.js'

type JournalVerb = 'readJournal' | 'findJournalled' | 'forgetJournalled' | 'journalDepth'

const forgottenMax = 100

interface Entry {
  readonly member: Buffer
  readonly calculationId: string
  readonly keptAt: number
}

const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket)

export function createJournal(access: CacheAccess): Pick<Cache, JournalVerb> {
  const { client, keys, lifetimes, journalCallMs } = access
  const { findJournalled, findRecord } = createRecordReader(access)
  return { readJournal, findJournalled, forgetJournalled, journalDepth }

  async function readJournal(
    max: number,
    olderThanMs: number,
    onDepth?: (depth: JournalDepth) => void,
  ): Promise<readonly CalculationRecord[]> {
    if (await isEmpty(access)) {
      onDepth?.(sumOf([]))
      return []
    }
    const lists = await askBuckets((bucket) => listBucket(bucket, max, olderThanMs))
    onDepth?.(sumOf(lists.map(({ depth }) => depth)))
    const entries = lists.flatMap(({ listed }) => listed)
    const oldest = entries.toSorted((left, right) => left.keptAt - right.keptAt).slice(0, max)
    const found = await Promise.all(oldest.map(({ calculationId }) => findRecord(calculationId)))
    const empty = oldest.filter((_, index) => found[index] === null)
    await forgetJournalled(empty.map(({ calculationId }) => calculationId))
    return found.filter((record) => record !== null && record !== 'later')
  }

  async function listBucket(bucket: number, max: number, olderThanMs: number) {
    const reply = await runScript(client, 'read_journal', {
      keys: [keys.journal(bucket)],
      args: [max, olderThanMs],
      timeMs: journalCallMs,
    })
    const { depth, listed } = bucketFrom(reply)
    const isOurs = ({ calculationId }: Entry) => isCalculationId(calculationId) && bucketOf(calculationId) === bucket
    await dropMembers(
      bucket,
      listed.filter((entry) => !isOurs(entry)),
    )
    return { depth, listed: listed.filter(isOurs) }
  }

  async function dropMembers(bucket: number, foreign: readonly Entry[]): Promise<void> {
    if (foreign.length === 0) return
    await client.send('zrem', [keys.journal(bucket), ...foreign.map(({ member }) => member)], journalCallMs)
    client.onGarbage?.([keys.journal(bucket)])
  }

  async function forgetJournalled(calculationIds: readonly string[]): Promise<void> {
    const byBucket = buckets.map((bucket) => calculationIds.filter((id) => bucketOf(id) === bucket))
    await Promise.all(
      byBucket.flatMap((ids, bucket) => chunks(ids, forgottenMax).map((chunk) => forget(bucket, chunk))),
    )
  }

  async function forget(bucket: number, calculationIds: readonly string[]): Promise<void> {
    await runScript(client, 'forget_journalled', {
      keys: [keys.journal(bucket), ...calculationIds.map(keys.calculation)],
      args: [lifetimes.answerMs, ...calculationIds],
      timeMs: journalCallMs,
    })
  }

  async function journalDepth(): Promise<JournalDepth> {
    const depths = await Promise.all(
      buckets.map((bucket) =>
        runScript(client, 'journal_depth', { keys: [keys.journal(bucket)], timeMs: journalCallMs }),
      ),
    )
    return sumOf(depths.map(([entries, oldestMs]) => ({ entries: Number(entries), oldestMs: Number(oldestMs) })))
  }
}

async function isEmpty({ client, keys, journalCallMs }: CacheAccess): Promise<boolean> {
  return !client.isCluster && (await client.send('exists', buckets.map(keys.journal), journalCallMs)) === 0
}

function createRecordReader({ client, keys, callMs, journalCallMs }: CacheAccess) {
  return { findJournalled, findRecord }

  async function findJournalled(calculationId: string): Promise<CalculationRecord | Unvouched | null> {
    const key = keys.calculation(calculationId)
    const reply = await runScript(client, 'find_answer', {
      keys: [key, keys.vouched(bucketOf(calculationId))],
      args: [''],
      timeMs: callMs,
    })
    const word = replyWord(reply)
    if (word === 'unvouched') return { kind: 'unvouched' }
    const [, answer, record] = reply as (Buffer | null | undefined)[]
    if (word === 'unknown' || !record) return null
    const read = readRecord(calculationId, { answer: answer!, record })
    if (read === 'later') return null
    if (read !== 'broken') return read
    await dropKeys(client, [key], callMs)
    return { kind: 'unvouched' }
  }

  async function findRecord(calculationId: string): Promise<CalculationRecord | 'later' | null> {
    const key = keys.calculation(calculationId)
    try {
      const found = await client.send('hmget', [key, 'answer', 'record'], journalCallMs)
      const [answer, record] = found as (Buffer | null)[]
      if (!answer || !record) return null
      const read = readRecord(calculationId, { answer, record })
      if (read !== 'broken') return read
      await dropKeys(client, [key], journalCallMs)
    } catch (error) {
      if (!isSpoiled(error)) throw error
      await dropSpoiled(client, [key], journalCallMs)
    }
    return null
  }
}

async function askBuckets<T extends { readonly listed: readonly unknown[] }>(
  ask: (bucket: number) => Promise<T>,
): Promise<readonly T[]> {
  const replies = await Promise.allSettled(buckets.map(ask))
  const found = replies.flatMap((reply) => (reply.status === 'fulfilled' ? [reply.value] : []))
  const fault = replies.find((reply) => reply.status === 'rejected')
  if (fault !== undefined && found.every(({ listed }) => listed.length === 0)) throw fault.reason
  return found
}

function bucketFrom([entries, oldestMs, ...rest]: readonly unknown[]) {
  const listed = Array.from({ length: rest.length / 2 }, (_, entry) => ({
    member: rest[2 * entry] as Buffer,
    calculationId: String(rest[2 * entry]),
    keptAt: Number(rest[2 * entry + 1]),
  }))
  return { depth: { entries: Number(entries), oldestMs: Number(oldestMs) }, listed }
}

function sumOf(depths: readonly JournalDepth[]): JournalDepth {
  return {
    entries: depths.reduce((sum, { entries }) => sum + entries, 0),
    oldestMs: depths.reduce((most, { oldestMs }) => Math.max(most, oldestMs), 0),
  }
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, chunk) =>
    list.slice(chunk * size, (chunk + 1) * size),
  )
}
