import t from 'tap'
import { load } from './load.js'

type Read = (text: string, scale: number) => bigint | null
type Typed = (size: bigint, scale: number) => string
type Paid = (account: { readonly debt: bigint } | undefined, credit: bigint) => bigint
const { readScaled, typedScaled } = await load<{ readScaled: Read; typedScaled: Typed }>('parts/scaled.ts')
const { debtPaid } = await load<{ debtPaid: Paid }>('areas/members/last-day.ts')

t.test('an amount is read digit for digit, with a point or a comma', (t) => {
  for (const [text, scale, amount] of [
    ['5', 0, 5n],
    ['-5', 0, -5n],
    ['−5', 0, -5n],
    ['+1 000', 0, 1000n],
    ['2.5', 2, 250n],
    ['2,50', 2, 250n],
    ['-0.01', 2, -1n],
    ['9007199254740991', 0, 9_007_199_254_740_991n],
  ] as const) {
    t.equal(readScaled(text, scale), amount, text)
  }
  t.end()
})

t.test('what is no amount, or too fine for its currency, is none', (t) => {
  for (const [text, scale] of [
    ['', 0],
    ['-', 0],
    ['1.5', 0],
    ['1.234', 2],
    ['1e3', 0],
    ['0x10', 0],
    ['1.2.3', 3],
    ['.5', 1],
    ['--1', 0],
    ['12345678901234567', 0],
  ] as const) {
    t.equal(readScaled(text, scale), null, text)
  }
  t.end()
})

t.test('what is left of a line is filled in digit for digit, and read back as it was', (t) => {
  for (const [size, text] of [
    [0n, '0'],
    [50n, '0.05'],
    [1_000n, '1'],
    [10_000n, '10'],
    [1_234n, '1.234'],
    [2_500n, '2.5'],
    // In doubles: 9007199254740.992.
    [9_007_199_254_740_993n, '9007199254740.993'],
  ] as const) {
    t.equal(typedScaled(size, 3), text)
    t.equal(readScaled(text, 3), size)
  }
  t.end()
})

t.test('a credit pays debt first, and never more than there is', (t) => {
  for (const [debt, credit, paid] of [
    [5n, 3n, 3n],
    [5n, 8n, 5n],
    [0n, 8n, 0n],
    [5n, -2n, 0n],
  ] as const) {
    t.equal(debtPaid({ debt }, credit), paid)
  }
  t.equal(debtPaid(undefined, 8n), 0n)
  t.end()
})
