import t from 'tap'
import { levelsMax } from '../../../engine/wire/json-reader.js'
import { cutCharacters } from '../../../engine/wire/json-text.js'
import { readJson } from '../../../engine/wire/read-json.js'
import { requestNames } from '../../../engine/wire/request-rules.js'
import { fc } from '../../support/seeded.js'

function read(text: string | Uint8Array) {
  return readJson(typeof text === 'string' ? Buffer.from(text) : text, requestNames)
}

function faultOf(text: string | Uint8Array) {
  const result = read(text)
  return result.kind === 'fault' ? result.fault : null
}

const notJson: Readonly<Record<string, string | Uint8Array>> = {
  'an empty body': '',
  'white space alone': ' \n\r\t ',
  'a trailing comma in an object': '{"a":1,}',
  'a trailing comma in an array': '[1,]',
  'a comma without values': '[,]',
  'a line comment': '{"a":1} // x',
  'a block comment': '{/* x */"a":1}',
  'single quotes': "{'a':1}",
  'an unquoted name': '{a:1}',
  NaN: '[NaN]',
  Infinity: '[Infinity]',
  '-Infinity': '[-Infinity]',
  '+1': '[+1]',
  '01': '[01]',
  '-01': '[-01]',
  '.5': '[.5]',
  '1.': '[1.]',
  '1.e5': '[1.e5]',
  '1e': '[1e]',
  '1e+': '[1e+]',
  '-': '[-]',
  '0x1': '[0x1]',
  '1_000': '[1_000]',
  True: '[True]',
  'tru at the end': 'tru',
  nullx: '[nullx]',
  'two values': '{} {}',
  'an open object': '{"a":1',
  'an open array': '[1',
  'an open string': '["a',
  'an open escape': '["\\',
  'a name without a value': '{"a"}',
  'a name without its colon': '{"a" 1}',
  'a number as name': '{1:1}',
  'a wrong bracket': '[1}',
  'a raw line feed in a string': '["a\nb"]',
  'a raw U+0000 in a string': '["a\u0000b"]',
  'a raw U+001F in a name': '{"a\u001f":1}',
  'an escape JSON does not have': '["\\x41"]',
  'an escaped single quote': '["\\\'"]',
  'three hex digits': '["\\u004"]',
  'hex digits with a sign': '["\\u+041"]',
  'a no-break space between values': '[1,\u00a02]',
  'a byte order mark': '\ufeff{}',
  'a byte order mark behind a space': ' \ufeff{}',
  'bytes that are no UTF-8': Buffer.from([0x22, 0xff, 0x22]),
  'an overlong slash': Buffer.from([0x22, 0xc0, 0xaf, 0x22]),
  'a surrogate in UTF-8': Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]),
  'half a character at the end': Buffer.from([0x22, 0xc3]),
  'UTF-16': Buffer.from('{}', 'utf16le'),
}

t.test('refuses invalid JSON, as JSON.parse does', async (t) => {
  for (const [name, text] of Object.entries(notJson)) {
    t.match(faultOf(text), { field: 'body', expected: String, received: String }, name)
    const decode = () =>
      JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text)))
    t.throws(decode, `${name}: JSON.parse`)
  }
})

t.test('takes every JSON text', async (t) => {
  const texts = ['{}', '[]', '""', '0', '-0', 'true', 'false', 'null', ' [ 1 , "a" , { } ] ', '1E400', '5e-324', '1e+2']
  texts.push(
    '["\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud800"]',
    '["\u007f"]',
    '["\u2028"]',
    '{"":0}',
    `[${'[],'.repeat(99)}0]`,
  )
  for (const text of texts) t.equal(faultOf(text), null, encodeURI(text.slice(0, 40)))
})

t.test('refuses a member name that its object has had, however it is written', async (t) => {
  const cases: [string, string][] = [
    ['{"currency":"EUR","currency":"USD"}', 'currency'],
    ['{"lines":[{},{"amount":1,"\\u0061mount":2}]}', 'lines[1].amount'],
    ['{"foreign":1,"x":2,"foreign":3}', 'foreign'],
    ['{"x":{"é":1,"\\u00e9":2}}', 'x["é"]'],
    ['{"":1,"":2}', '[""]'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":{"a":{"b":1}},"a":1}', 'a'],
    ['{"\\ud800":1,"\\uD800":2}', '["\\ud800"]'],
  ]
  for (const [text, field] of cases) t.match(faultOf(text), { field, expected: 'each member name once' }, text)
})

t.test('lets different objects have the same names', async (t) => {
  t.equal(faultOf('{"a":{"a":1},"b":[{"a":1},{"a":1}],"c":{"b":1,"a":{"a":1}}}'), null)
})

t.test('takes 32 levels and refuses 33', async (t) => {
  t.equal(levelsMax, 32)
  t.equal(faultOf('['.repeat(32) + ']'.repeat(32)), null)
  t.equal(faultOf(`${'{"a":'.repeat(32)}0${'}'.repeat(32)}`), null)
  t.match(faultOf('['.repeat(33) + ']'.repeat(33)), { field: 'body', expected: /at most 32 levels/ })
  t.match(faultOf(`${'{"a":'.repeat(32)}[]${'}'.repeat(32)}`), { expected: /at most 32 levels/ })
})

t.test('refuses what would overflow a recursion, at once', async (t) => {
  t.match(faultOf('['.repeat(250_000)), { expected: /at most 32 levels/ })
  t.match(faultOf('{"a":'.repeat(20_000)), { expected: /at most 32 levels/ })
})

t.test('reports where a text broke off, and repeats at most 64 characters of it', async (t) => {
  t.strictSame(faultOf('{"a":1,'), {
    field: 'body',
    expected: 'JSON: a member name at byte 7',
    received: 'the end of the body',
  })
  const long = faultOf(`["${'😀'.repeat(100)}", x${'😀'.repeat(100)}`)
  t.equal([...long!.received].length, 64)
  t.equal(cutCharacters('😀'.repeat(65), 64), '😀'.repeat(64))
})

t.test('has the place of every value, and preserves digits and escapes', async (t) => {
  const result = read('{ "a" : [ 1.10 , "\\u0041é" ] , "b" : { } , "currency":-0E+2 }')
  if (result.kind !== 'read') throw new Error('a valid text was refused')
  const { json } = result
  t.equal(json.size, 6)
  t.strictSame(json.children(0), [1, 4, 5])
  t.strictSame(json.children(1), [2, 3])
  t.equal(json.raw(2), '1.10')
  t.equal(json.string(3), 'Aé')
  t.equal(json.raw(5), '-0E+2')
  t.strictSame(
    [0, 1, 3, 5].map((value) => json.path(value)),
    ['', 'a', 'a[1]', 'currency'],
  )
  t.strictSame(
    [1, 4, 5].map((value) => json.nameText(value)),
    ['a', 'b', 'currency'],
  )
})

/** A JSON text with a few bytes changed, cut out or put in. */
const almostJson = fc
  .tuple(
    fc.jsonValue({ maxDepth: 5 }),
    fc.constantFrom(undefined, 1, '\t'),
    fc.array(
      fc.tuple(fc.nat(), fc.nat(2), fc.constantFrom(...'"\\{}[]:,0123456789eE+-.truefalsn \n\u0000\u007f\u00e9')),
      { maxLength: 3 },
    ),
  )
  .map(([value, indent, changes]) => {
    let text = JSON.stringify(value, null, indent)
    for (const [at, cut, put] of changes) {
      const place = at % (text.length + 1)
      text = text.slice(0, place) + put + text.slice(place + cut)
    }
    return text
  })

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

t.test('accepts exactly what JSON.parse accepts, except duplicate names', async () => {
  const property = fc.property(almostJson, (text) => {
    const fault = faultOf(text)
    return fault === null || fault.expected === 'each member name once' ? parses(text) : !parses(text)
  })
  fc.assert(property, { numRuns: 20_000 })
})

t.test('finds back the value that was written', async () => {
  const property = fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 3), (value, indent) => {
    const result = read(JSON.stringify(value, null, indent))
    if (result.kind === 'fault') return false
    const { json } = result
    const build = (at: number): unknown => {
      if (json.kind(at) === 'array') return json.children(at).map(build)
      if (json.kind(at) === 'string') return json.string(at)
      if (json.kind(at) !== 'object') return JSON.parse(json.raw(at))
      return Object.fromEntries(json.children(at).map((child) => [json.nameText(child), build(child)]))
    }
    return JSON.stringify(build(0)) === JSON.stringify(value)
  })
  fc.assert(property, { numRuns: 2000 })
})
