import t from 'tap'
import { sameValue } from '../../../engine/wire/same-value.js'
import { fc } from '../../support/seeded.js'
import { bytesOf } from './basket-body.js'

function same(left: string, right: string): boolean {
  return sameValue(Buffer.from(left), Buffer.from(right))
}

const equal: readonly [string, string][] = [
  ['{"a":1,"b":[true,null]}', ' { "b" : [ true , null ] , "a" : 1 } '],
  ['1', '1.0'],
  ['1', '1e0'],
  ['[1E400]', '[10e399]'],
  ['1e999999999', '10E+999999998'],
  ['-0', '0.0e5'],
  ['12345678901234567890', '12345678901234567890.0'],
  ['"\\/"', '"/"'],
  ['"A"', '"\\u0041"'],
  ['"😀"', '"\\ud83d\\ude00"'],
  ['{"é":1}', '{"\\u00e9":1}'],
  ['{"\\u0063urrency":"EUR"}', '{"currency":"EUR"}'],
  ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
  ['"\\ud800"', '"\\uD800"'],
]

const different: readonly [string, string][] = [
  ['{"a":1}', '{"a":2}'],
  ['{"a":null}', '{}'],
  ['{"a":1}', '{"b":1}'],
  ['{"a":1,"b":2}', '{"a":1,"c":2}'],
  ['[1,2]', '[2,1]'],
  ['[1]', '[1,1]'],
  ['1', '"1"'],
  ['0', 'false'],
  ['true', 'false'],
  ['null', '{}'],
  ['[]', '{}'],
  ['12345678901234567890', '12345678901234567891'],
  ['0.1', '0.10000000000000000001'],
  ['1e999999999', '1e999999998'],
  ['"\\ud800"', '"\\udbff"'],
  ['"\\ud800"', '"\ufffd"'],
  ['"e\u0301"', '"é"'],
  ['{"__proto__":{}}', '{}'],
]

t.test('sees the same value through order, white space, escapes and the writing of numbers', async (t) => {
  for (const [left, right] of equal) t.ok(same(left, right), `${encodeURI(left)} = ${encodeURI(right)}`)
})

t.test('distinguishes values', async (t) => {
  for (const [index, [left, right]] of different.entries()) t.notOk(same(left, right), `pair ${index}`)
})

t.test('compares invalid JSON byte for byte', async (t) => {
  t.ok(same('{', '{'))
  t.notOk(same('{', '{ '))
  t.notOk(same('{"a":1,"a":1}', '{"a":1, "a":1}'))
})

t.test('equates a value with itself however its members are shuffled and its numbers written', async () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled)
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([name, each]) => [name, shuffled(each)]),
    )
  }
  const property = fc.property(fc.jsonValue({ maxDepth: 4, noUnicodeString: false }), (value) => {
    return sameValue(bytesOf(JSON.stringify(value)), bytesOf(JSON.stringify(shuffled(value), null, '\t')))
  })
  fc.assert(property, { numRuns: 1000 })
})

t.test('distinguishes a value from the same with one scalar changed', async () => {
  const property = fc.property(
    fc.array(fc.oneof(fc.integer(), fc.string(), fc.boolean()), { minLength: 1 }),
    fc.nat(),
    (values, at) => {
      const changed = values.with(at % values.length, 'another thing altogether')
      return !sameValue(bytesOf(JSON.stringify({ a: values })), bytesOf(JSON.stringify({ a: changed })))
    },
  )
  fc.assert(property, { numRuns: 500 })
})
