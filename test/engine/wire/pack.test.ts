import { brotliCompressSync, constants } from 'node:zlib'
import t from 'tap'
import type { BenefitReport, Calculation, Dropped } from '../../../engine/core/base/outcome.js'
import { answerBytes, packAnswer, packReports, unpackAnswer, unpackReports } from '../../../engine/wire/pack.js'
import type { ReadBasket } from '../../../engine/wire/read-basket.js'
import { writeAnswer } from '../../../engine/wire/write-answer.js'
import { textOfReports } from '../../../engine/wire/write-explanation.js'
import { applied, outcomeAsSent, unchanged } from './a-calculation.js'
import { basketBody } from './basket-body.js'
import { changeLine, discounted, read } from './written-basket.js'

function packed(request: ReadBasket, calculation: Calculation | null): Uint8Array {
  return packAnswer(request.json, writeAnswer(request, calculation))
}

t.test('returns request and answer byte for byte from what it packed', async (t) => {
  const request = read(JSON.stringify({ ...basketBody(150), pos: 'Grüße 😀 \ud800' }, null, 2))
  const outcome = outcomeAsSent(request.basket)
  const calculations = [
    applied(changeLine(outcome, 1, discounted(outcome.lines[1]!, 9))),
    applied(changeLine(outcome, 149, discounted(outcome.lines[149]!, 9))),
    unchanged('no_benefits'),
    null,
  ]
  for (const calculation of calculations) {
    const answer = writeAnswer(request, calculation)
    const unpacked = unpackAnswer(packed(request, calculation))
    t.equal(Buffer.compare(unpacked.request, request.json.bytes), 0)
    t.equal(Buffer.compare(unpacked.answer, answerBytes(answer)), 0)
  }
})

t.test('gives back baskets of every size', async (t) => {
  for (const lines of [1, 20, 150, 1_000, 6_000]) {
    const { json } = read(basketBody(lines))
    const { request, answer } = unpackAnswer(packAnswer(json, { text: json.text, changes: [], added: '' }))
    t.equal(Buffer.compare(request, json.bytes), 0, `${lines} lines`)
    t.equal(Buffer.compare(answer, json.bytes), 0)
  }
})

t.test('refuses to unpack what it never packed', async (t) => {
  const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
  const bytes = packed(read(basketBody()), null)
  t.throws(() => unpackAnswer(bytes.subarray(0, 20)))
  t.throws(() => unpackAnswer(bytes.subarray(0, -1)))
  t.throws(() => unpackAnswer(bytes.subarray(1)))
  t.throws(() => unpackAnswer(new Uint8Array(0)))
  t.throws(() => unpackAnswer(brotliCompressSync(new Uint8Array(0))), /no packed number/)
  t.throws(() => unpackAnswer(brotliCompressSync(Buffer.alloc(64 * 1024 * 1024 + 1), fast)), /larger than/)
})

const missing = [
  { kind: 'spend', amount: 9_007_199_254_740_991 },
  { kind: 'units', units: 2 },
  { kind: 'product', productId: 'a "quoted" 😀' },
  { kind: 'value', currencyId: 'a "stamp"', amount: 9 },
] as const

/** One of each form, with texts that JSON writes with escapes. */
const dropped: readonly (Dropped | null)[] = [
  null,
  { stage: 'conditions_not_met', missing },
  { stage: 'conditions_not_met', missing: [] },
  { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] },
  { stage: 'not_discountable', lines: [0, 7, 199] },
  { stage: 'existing_discount_kept', lines: [] },
  {
    stage: 'limit_exhausted',
    limitId: 'ä\\',
    period: '2026-W47',
    counts: 'units',
    left: 0,
    wanted: 3,
    backAt: 1_763_679_600_000,
  },
  { stage: 'limit_exhausted', limitId: 'once', period: '', counts: 'amount', left: 1, wanted: 2, backAt: null },
  { stage: 'value_held', currencyId: 'bonus "kroner"', left: 3, wanted: 10 },
  { stage: 'beaten', by: ['benefit-1', 'größer'], gap: 12 },
  { stage: 'beaten', by: ['benefit-1', 'benefit-2'], gap: 0 },
  { stage: 'beaten', by: [], gap: 3 },
  { stage: 'beaten', by: ['benefit-1'], gap: 3120, gives: 2080, instead: 5200 },
]
const lines = [
  { line: 0, units: 2, amount: 150 },
  { line: 3, units: 0, amount: 1 },
]
const reports = [
  ...dropped.map(
    (each, at): BenefitReport => ({ benefitId: `bénéfice "${at}" \ud800`, dropped: each, value: 0, lines: [] }),
  ),
  ...[0, 1, 2].map(
    (at): BenefitReport => ({ benefitId: `applied ${at}`, dropped: null, value: at, lines: lines.slice(0, at) }),
  ),
]

const paid: BenefitReport = {
  benefitId: 'bénéfice "paid"',
  dropped: null,
  value: 151,
  lines,
  spent: { currencyId: 'stamps', amount: 20 },
}

t.test('gives back the reports that it packed', async (t) => {
  const following = { ...paid, lines: [lines[0]!, { ...lines[1]!, follows: 0 }] }
  const { spent: _, ...free } = following
  for (const some of [[], reports.slice(0, 1), [...reports, paid], [following, free]])
    t.strictSame(unpackReports(packReports(some)), some)
})

t.test('gives back long reports', async (t) => {
  const long = Array.from({ length: 300 }, (_, at) => ({ ...reports.at(-1)!, benefitId: `benefit ${at}` }))
  t.strictSame(unpackReports(packReports(long)), long)
})

t.test('writes only the benefitId of a benefit that lacks one unit, and numbers for lines', async (t) => {
  const untouched = { stage: 'conditions_not_met', missing: [{ kind: 'units', units: 1 }] } as const
  const some: BenefitReport[] = [
    { benefitId: 'tea', dropped: untouched, value: 0, lines: [] },
    { benefitId: 'coffee', dropped: null, value: 151, lines },
  ]
  t.equal(textOfReports(some), '["tea",["coffee",151,0,2,150,3,0,1]]')
  t.strictSame(unpackReports(packReports(some)), some)
})

t.test('packs after something larger what it packs alone', async (t) => {
  const [small, large] = [read(basketBody(1)), read(basketBody(150))]
  const bytes = packed(small, null)
  packed(large, null)
  t.strictSame(packed(small, null), bytes)
  t.equal(Buffer.compare(unpackAnswer(bytes).request, small.json.bytes), 0)
})
