import type { Cache, HotAnswer, Mark, Unvouched } from '../cache.js'
import type { CacheAccess } from './access.js'
import { bucketCount, bucketOf } from './keys.js'
import { readAnswer, readRecord, writeAnswer, writeRecord } from './record.js'
import { dropKeys, replyWord, runScript } from './scripts.js'

type AnswerVerb = 'findAnswer' | 'claim' | 'release' | 'keep' | 'remember' | 'correct' | 'forgetAnswers'
const noMark = '-'

type DecidingVerb = 'findAnswer' | 'claim' | 'keep'

export function createAnswers(access: CacheAccess): Pick<Cache, AnswerVerb> {
  const { client, keys, lifetimes, callMs } = access
  return {
    ...createDecisions(access),

    async release(calculationId) {
      await runScript(client, 'release', { keys: [keys.calculation(calculationId)], timeMs: callMs })
    },

    async remember(calculationId, answer) {
      await runScript(client, 'remember', {
        keys: [keys.calculation(calculationId)],
        args: [writeAnswer(calculationId, answer), lifetimes.answerMs],
        timeMs: callMs,
      })
    },

    async correct(calculationId, answer) {
      await runScript(client, 'correct', {
        keys: [keys.calculation(calculationId), keys.journal(bucketOf(calculationId))],
        args: [calculationId, answer === null ? '' : writeAnswer(calculationId, answer), lifetimes.answerMs],
        timeMs: callMs,
      })
    },

    async forgetAnswers(calculationIds) {
      await Promise.all(
        calculationIds.map((id) =>
          runScript(client, 'forget_answer', { keys: [keys.calculation(id)], timeMs: callMs }),
        ),
      )
    },
  }
}

function createDecisions(access: CacheAccess): Pick<Cache, DecidingVerb> {
  const { client, keys, lifetimes, callMs } = access
  const vouchedOf = (calculationId: string) => keys.vouched(bucketOf(calculationId))
  return {
    async findAnswer(calculationId, marks) {
      const reply = await runScript(client, 'find_answer', {
        keys: [keys.calculation(calculationId), vouchedOf(calculationId)],
        args: [marks === undefined ? '' : (marks[bucketOf(calculationId)] ?? noMark)],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(access, calculationId, reply)
      return { kind: word === 'unknown' ? 'unknown' : 'unvouched' }
    },

    async claim(calculationId) {
      const reply = await runScript(client, 'claim', {
        keys: [keys.calculation(calculationId), vouchedOf(calculationId)],
        args: [lifetimes.answerMs],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(access, calculationId, reply)
      return { kind: word === 'claimed' ? 'claimed' : 'unvouched' }
    },

    async keep(record, marks) {
      const { calculationId } = record
      const bucket = bucketOf(calculationId)
      const bytes = writeRecord(record)
      const reply = await runScript(client, 'keep', {
        keys: [keys.calculation(calculationId), keys.journal(bucket), keys.vouched(bucket)],
        args: [calculationId, bytes.answer, bytes.record, marks[bucket] ?? ''],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(access, calculationId, reply)
      return { kind: word === 'kept' || word === 'claimed' ? word : 'unvouched' }
    },
  }
}

async function known(
  { client, keys, callMs }: CacheAccess,
  calculationId: string,
  reply: readonly unknown[],
): Promise<HotAnswer | Unvouched> {
  const [, answerBytes, recordBytes] = reply as readonly [unknown, Buffer, (Buffer | null)?]
  const answer = readAnswer(calculationId, answerBytes)
  const record = recordBytes ? readRecord(calculationId, { answer: answerBytes, record: recordBytes }) : null
  if (answer !== null && record !== 'broken') {
    return { kind: 'known', answer, record: record === 'later' ? null : record }
  }
  await dropKeys(client, [keys.calculation(calculationId)], callMs)
  return { kind: 'unvouched' }
}

const buckets = Array.from({ length: bucketCount }, (_, bucket) => bucket)

export function createVouching({ client, keys, callMs }: CacheAccess): Pick<Cache, 'survey' | 'vouch'> {
  return {
    async survey(nonce) {
      const replies = await Promise.allSettled(buckets.map((bucket) => surveyOne(bucket, nonce)))
      const marks = replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
      const fault = replies.find((reply) => reply.status === 'rejected')
      // Masters of a cluster that do not answer are surveyed when they are back.
      if (fault !== undefined && marks.length === 0) throw fault.reason
      return marks
    },
    async vouch(marks) {
      const replies = await Promise.allSettled(marks.map(vouchOne))
      return replies.flatMap((reply) => (reply.status === 'fulfilled' ? reply.value : []))
    },
  }

  async function surveyOne(bucket: number, nonce: string): Promise<Mark> {
    const reply = await runScript(client, 'survey', { keys: [keys.vouched(bucket)], args: [nonce], timeMs: callMs })
    return { bucket, vouched: replyWord(reply) === 'vouched', mark: String(reply[1]) }
  }

  async function vouchOne({ bucket, mark }: Mark): Promise<readonly Mark[]> {
    const reply = await runScript(client, 'vouch', { keys: [keys.vouched(bucket)], args: [mark], timeMs: callMs })
    return replyWord(reply) === 'vouched' ? [{ bucket, vouched: true, mark: String(reply[1]) }] : []
  }
}
