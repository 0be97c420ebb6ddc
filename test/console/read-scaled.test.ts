import t from 'tap'
import { load } from './load.js'

type Read = (text: string, scale: number) => bigint | null
const { readScaled } = await load<{ readScaled: Read }>('areas/members/read-scaled.ts')

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
