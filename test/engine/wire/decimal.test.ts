import t from 'tap'
import { sameDecimal, scaledFromText, textFromScaled } from '../../../engine/wire/decimal.js'
import { fc } from '../../support/seeded.js'

const scaled: readonly [text: string, decimals: number, value: number | null][] = [
  ['0', 0, 0],
  ['-0', 0, 0],
  ['0.000', 0, 0],
  ['0e999999999999', 0, 0],
  ['4500', 0, 4500],
  ['4500.0', 0, 4500],
  ['4500.00000000000000000000000000', 0, 4500],
  ['4500.0000000000000001', 0, null],
  ['1e2', 0, 100],
  ['1E+2', 0, 100],
  ['1200e-2', 0, 12],
  ['0.0012e4', 0, 12],
  ['1.5', 0, null],
  ['-1', 0, null],
  ['9007199254740991', 0, 9007199254740991],
  ['9007199254740991.0', 0, 9007199254740991],
  ['900719925474099.1e1', 0, 9007199254740991],
  ['9007199254740992', 0, null],
  ['9007199254740993', 0, null],
  ['9007199254740991.5', 0, null],
  ['1e16', 0, null],
  ['1e400', 0, null],
  ['1e99999999999999999999', 0, null],
  ['1e-99999999999999999999', 0, null],
  ['1.005', 3, 1005],
  ['8.345', 3, 8345],
  ['1e-3', 3, 1],
  ['0.001', 3, 1],
  ['0.0010000', 3, 1],
  ['1.2345', 3, null],
  ['1.0001', 3, null],
  ['100000', 3, 100_000_000],
  ['100000.001', 3, 100_000_001],
  ['12.3456', 4, 123456],
  ['12.34567', 4, null],
  ['100.0001', 4, 1_000_001],
]

t.test('counts decimals exactly, never through a rounded double', async (t) => {
  for (const [text, decimals, value] of scaled) t.equal(scaledFromText(text, decimals), value, `${text} to ${decimals}`)
})

t.test('reads back every scaled integer that it writes', async () => {
  const cases = fc.tuple(fc.integer({ min: 0, max: 100_000_000 }), fc.integer({ min: 0, max: 4 }))
  fc.assert(
    fc.property(cases, ([value, decimals]) => scaledFromText(textFromScaled(value, decimals), decimals) === value),
  )
})

t.test('writes the shortest number', async (t) => {
  t.strictSame(
    [1500, 1000, 5, 120, 100_000_000].map((value) => textFromScaled(value, 3)),
    ['1.5', '1', '0.005', '0.12', '100000'],
  )
})

t.test('compares numbers by their exact value', async (t) => {
  const same = [
    ['1', '1.0'],
    ['1', '1e0'],
    ['100', '1E2'],
    ['-0', '0'],
    ['0.10', '1e-1'],
    ['12e999999999', '1.2e1000000000'],
  ]
  const other = [
    ['1', '-1'],
    ['1', '1.0000000000000000000001'],
    ['12345678901234567890', '12345678901234567891'],
    ['1e999999999', '1e999999998'],
  ]
  for (const [left, right] of same) t.ok(sameDecimal(left!, right!), `${left} = ${right}`)
  for (const [left, right] of other) t.notOk(sameDecimal(left!, right!), `${left} = ${right}`)
})

t.test('takes 250,000 digits anywhere', async (t) => {
  const digits = '7'.repeat(250_000)
  t.equal(scaledFromText(digits, 0), null)
  t.equal(scaledFromText(`1.${digits}`, 3), null)
  t.equal(scaledFromText(`1e${digits}`, 0), null)
  t.equal(scaledFromText(`5.${'0'.repeat(250_000)}`, 0), 5)
  t.ok(sameDecimal(`1e${digits}`, `10e${digits.slice(0, -1)}6`))
})
