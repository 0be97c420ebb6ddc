import t from 'tap'
import { answerBytes, packAnswer, packJson, unpackAnswer, unpackJson } from '../../../engine/wire/pack.js'
import { writeAnswer } from '../../../engine/wire/write-answer.js'
import { applied, outcomeAsSent, unchanged } from './a-calculation.js'
import { basketBody } from './basket-body.js'
import { changeLine, discounted, read } from './written-basket.js'

t.test('gives back request and answer byte for byte from what it packed', async (t) => {
  const request = read(JSON.stringify({ ...basketBody(3), pos: 'Grüße 😀 \ud800' }, null, 2))
  const outcome = outcomeAsSent(request.basket)
  const calculations = [
    applied(changeLine(outcome, 1, discounted(outcome.lines[1]!, 9))),
    unchanged('no_benefits'),
    null,
  ]
  for (const calculation of calculations) {
    const answer = writeAnswer(request.json, calculation)
    const unpacked = unpackAnswer(packAnswer(request.json, answer))
    t.equal(Buffer.compare(unpacked.request, request.json.bytes), 0)
    t.equal(Buffer.compare(unpacked.answer, answerBytes(request.json, answer)), 0)
  }
})

t.test('refuses to unpack what it never packed', async (t) => {
  const packed = packAnswer(read(basketBody()).json, writeAnswer(read(basketBody()).json, null))
  t.throws(() => unpackAnswer(Uint8Array.from([2, ...packed.subarray(1)])), /unknown way/)
  t.throws(() => unpackAnswer(packed.subarray(0, 20)))
  t.throws(() => unpackAnswer(new Uint8Array(0)), /unknown way/)
})

t.test('packs reports as JSON', async (t) => {
  const reports = [{ benefitId: 'ä', dropped: null, value: 3, lines: [] }]
  t.strictSame(unpackJson(packJson(reports)), reports)
})
