import type { Cache, HotAnswer, Unvouched } from '../cache.js'
import type { CacheParts } from './cache-parts.js'
import { dropKeys } from './garbage.js'
import { bucketOf } from './keys.js'
import { readAnswer, readRecord, writeAnswer, writeRecord } from './record.js'
import { replyWord, runScript } from './scripts.js'

type AnswerVerb = 'findAnswer' | 'claim' | 'release' | 'keep' | 'remember' | 'correct' | 'forgetAnswers'
/** Of a caller that has seen no mark yet: equal to none that vouches. */
const noMark = '-'

type DecidingVerb = 'findAnswer' | 'claim' | 'keep'

/** Answers: claimed and kept by one call, found by its repeats (wire decisions 4). */
export function createAnswers(parts: CacheParts): Pick<Cache, AnswerVerb> {
  const { client, keys, lifetimes, callMs } = parts
  return {
    ...createDecisions(parts),

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

/** What decides about a key: only where the memory is vouched for. */
function createDecisions(parts: CacheParts): Pick<Cache, DecidingVerb> {
  const { client, keys, lifetimes, callMs } = parts
  const vouchedOf = (calculationId: string) => keys.vouched(bucketOf(calculationId))
  return {
    async findAnswer(calculationId, marks) {
      const reply = await runScript(client, 'find_answer', {
        keys: [keys.calculation(calculationId), vouchedOf(calculationId)],
        args: [marks === undefined ? '' : (marks[bucketOf(calculationId)] ?? noMark)],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(parts, calculationId, reply)
      return { kind: word === 'unknown' ? 'unknown' : 'unvouched' }
    },

    async claim(calculationId) {
      const reply = await runScript(client, 'claim', {
        keys: [keys.calculation(calculationId), vouchedOf(calculationId)],
        args: [lifetimes.answerMs],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(parts, calculationId, reply)
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
      if (word === 'known') return await known(parts, calculationId, reply)
      return { kind: word === 'kept' || word === 'claimed' ? word : 'unvouched' }
    },
  }
}

/** What is not this calculation's answer is dropped: then only the ledger can tell. */
async function known(
  { client, keys, callMs }: CacheParts,
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
