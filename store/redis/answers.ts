import type { Front, HotAnswer, Unvouched } from '../index.js'
import type { FrontParts } from './create-front.js'
import { dropKeys } from './garbage.js'
import { bucketOf } from './keys.js'
import { readAnswer, readRecord, writeAnswer, writeRecord } from './record.js'
import { replyWord, runScript } from './scripts.js'

type AnswerVerb = 'findAnswer' | 'claim' | 'release' | 'keep' | 'remember' | 'correct'

/** Answers: claimed and kept by one call, found by its repeats (wire decisions 4). */
export function createAnswers({ client, keys, lifetimes, callMs }: FrontParts): Pick<Front, AnswerVerb> {
  const keysOf = (calculationId: string) => {
    const bucket = bucketOf(calculationId)
    return {
      calculation: keys.calculation(calculationId),
      journal: keys.journal(bucket),
      vouched: keys.vouched(bucket),
    }
  }

  /** What is not this calculation's answer is dropped: then only the ledger can tell. */
  async function known(calculationId: string, reply: readonly unknown[]): Promise<HotAnswer | Unvouched> {
    const [, answerBytes, recordBytes] = reply as readonly [unknown, Buffer, (Buffer | null)?]
    const answer = readAnswer(calculationId, answerBytes)
    const record = recordBytes ? readRecord(calculationId, { answer: answerBytes, record: recordBytes }) : null
    if (answer !== null && record !== 'broken') {
      return { kind: 'known', answer, record: record === 'later' ? null : record }
    }
    await dropKeys(client, [keys.calculation(calculationId)], callMs)
    return { kind: 'unvouched' }
  }

  return {
    async findAnswer(calculationId, marks) {
      const { calculation, vouched } = keysOf(calculationId)
      const reply = await runScript(client, 'find_answer', {
        keys: [calculation, vouched],
        args: [marks?.[bucketOf(calculationId)] ?? ''],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(calculationId, reply)
      return { kind: word === 'unknown' ? 'unknown' : 'unvouched' }
    },

    async claim(calculationId) {
      const { calculation, vouched } = keysOf(calculationId)
      const reply = await runScript(client, 'claim', {
        keys: [calculation, vouched],
        args: [lifetimes.answerMs],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(calculationId, reply)
      return { kind: word === 'claimed' ? 'claimed' : 'unvouched' }
    },

    async release(calculationId) {
      await runScript(client, 'release', { keys: [keys.calculation(calculationId)], timeMs: callMs })
    },

    async keep(record, marks) {
      const { calculationId } = record
      const { calculation, journal, vouched } = keysOf(calculationId)
      const bytes = writeRecord(record)
      const reply = await runScript(client, 'keep', {
        keys: [calculation, journal, vouched],
        args: [calculationId, bytes.answer, bytes.record, marks[bucketOf(calculationId)] ?? ''],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return await known(calculationId, reply)
      return { kind: word === 'kept' || word === 'claimed' ? word : 'unvouched' }
    },

    async remember(calculationId, answer) {
      await runScript(client, 'remember', {
        keys: [keys.calculation(calculationId)],
        args: [writeAnswer(calculationId, answer), lifetimes.answerMs],
        timeMs: callMs,
      })
    },

    async correct(calculationId, answer) {
      const { calculation, journal } = keysOf(calculationId)
      await runScript(client, 'correct', {
        keys: [calculation, journal],
        args: [calculationId, answer === null ? '' : writeAnswer(calculationId, answer), lifetimes.answerMs],
        timeMs: callMs,
      })
    },
  }
}
