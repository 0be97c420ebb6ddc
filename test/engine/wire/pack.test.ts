import t from 'tap'
import type { BenefitReport, Dropped } from '../../../engine/core/base/outcome.js'
import { answerBytes, packAnswer, packReports, unpackAnswer, unpackReports } from '../../../engine/wire/pack.js'
import { writeAnswer } from '../../../engine/wire/write-answer.js'
import { textOfReports } from '../../../engine/wire/write-explanation.js'
import { applied, outcomeAsSent, unchanged } from './a-calculation.js'
import { basketBody } from './basket-body.js'
import { changeLine, discounted, read } from './written-basket.js'

t.test('returns request and answer byte for byte from what it packed', async (t) => {
  const request = read(JSON.stringify({ ...basketBody(3), pos: 'Grüße 😀 \ud800' }, null, 2))
  const outcome = outcomeAsSent(request.basket)
  const calculations = [
    applied(changeLine(outcome, 1, discounted(outcome.lines[1]!, 9))),
    unchanged('no_benefits'),
    null,
  ]
  for (const calculation of calculations) {
    const answer = writeAnswer(request, calculation)
    const unpacked = unpackAnswer(packAnswer(request.json, answer))
    t.equal(Buffer.compare(unpacked.request, request.json.bytes), 0)
    t.equal(Buffer.compare(unpacked.answer, answerBytes(request.json, answer)), 0)
  }
})

t.test('refuses to unpack what it never packed', async (t) => {
  const packed = packAnswer(read(basketBody()).json, writeAnswer(read(basketBody()), null))
  t.throws(() => unpackAnswer(Uint8Array.from([2, ...packed.subarray(1)])), /unknown pack version/)
  t.throws(() => unpackAnswer(packed.subarray(0, 20)))
  t.throws(() => unpackAnswer(new Uint8Array(0)), /unknown pack version/)
})

const missing = [
  { kind: 'spend', amount: 9_007_199_254_740_991 },
  { kind: 'units', units: 2 },
  { kind: 'product', productId: 'a "quoted" 😀' },
] as const

/** One of each form, with texts that JSON writes with escapes. */
const dropped: readonly (Dropped | null)[] = [
  null,
  { stage: 'conditions_not_met', missing },
  { stage: 'conditions_not_met', missing: [] },
  { stage: 'not_discountable', lines: [0, 7, 199] },
  { stage: 'existing_discount_kept', lines: [] },
  { stage: 'limit_exhausted', limitId: 'ä\\', period: '2026-W47', left: 0, wanted: 3, backAt: 1_763_679_600_000 },
  { stage: 'limit_exhausted', limitId: 'once', period: '', left: 1, wanted: 2, backAt: null },
  { stage: 'beaten', by: ['benefit-1', 'größer'], gap: 12 },
]
const lines = [
  { line: 0, units: 2, amount: 150 },
  { line: 3, units: 0, amount: 1 },
]

t.test('writes reports as JSON.stringify does, and gives them back', async (t) => {
  const reports = dropped.map(
    (each, at): BenefitReport => ({
      benefitId: `bénéfice "${at}" \ud800`,
      dropped: each,
      value: at,
      lines: lines.slice(0, at % 3),
    }),
  )
  for (const some of [[], reports.slice(0, 1), reports]) {
    t.equal(textOfReports(some), Buffer.from(JSON.stringify(some)).toString('latin1'))
    t.strictSame(unpackReports(packReports(some)), some)
  }
})

t.test('packs after something larger what it packs alone', async (t) => {
  const [small, large] = [read(basketBody(1)), read(basketBody(150))]
  const packed = packAnswer(small.json, writeAnswer(small, null))
  packAnswer(large.json, writeAnswer(large, null))
  t.strictSame(packAnswer(small.json, writeAnswer(small, null)), packed)
  t.equal(Buffer.compare(unpackAnswer(packed).request, small.json.bytes), 0)
})
