import type { Front } from '../index.js'
import type { FrontParts } from './create-front.js'
import { bucketOf } from './keys.js'
import { readAnswer, writeAnswer, writeRecord } from './record.js'
import { replyWord, runScript } from './scripts.js'

/** Answers: claimed and kept by one call, found by its repeats (wire decisions 4). */
export function createAnswers({
  client,
  keys,
  lifetimes,
  callMs,
}: FrontParts): Pick<Front, 'findAnswer' | 'claim' | 'release' | 'keep' | 'remember' | 'forgetAnswers'> {
  return {
    async findAnswer(calculationId) {
      const answer = await client.send('hget', [keys.calculation(calculationId), 'answer'], callMs)
      return answer === null ? null : readAnswer(answer as Buffer)
    },

    async claim(calculationId) {
      const reply = await runScript(client, 'claim', {
        keys: [keys.calculation(calculationId)],
        args: [lifetimes.answerMs],
        timeMs: callMs,
      })
      return replyWord(reply) === 'known'
        ? { kind: 'known', answer: readAnswer(reply[1] as Buffer) }
        : { kind: 'claimed' }
    },

    async release(calculationId) {
      await runScript(client, 'release', { keys: [keys.calculation(calculationId)], timeMs: callMs })
    },

    async keep(calculation) {
      const { calculationId } = calculation
      const { answer, record } = writeRecord(calculation)
      const reply = await runScript(client, 'keep', {
        keys: [keys.calculation(calculationId), keys.journal(bucketOf(calculationId))],
        args: [calculationId, answer, record],
        timeMs: callMs,
      })
      const word = replyWord(reply)
      if (word === 'known') return { kind: 'known', answer: readAnswer(reply[1] as Buffer) }
      return { kind: word === 'claimed' ? 'claimed' : 'kept' }
    },

    async remember(calculationId, answer) {
      await runScript(client, 'remember', {
        keys: [keys.calculation(calculationId)],
        args: [writeAnswer(answer), lifetimes.answerMs],
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
