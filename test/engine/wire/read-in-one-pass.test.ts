import t from 'tap'
import { readBasket } from '../../../engine/wire/read-basket.js'
import { readJson } from '../../../engine/wire/read-json.js'
import { requestNames } from '../../../engine/wire/request-rules.js'
import { fc } from '../../support/seeded.js'
import { basketBody, bytesOf, calculationId } from './basket-body.js'
import { fullBody } from './full-body.js'

function read(body: unknown) {
  return readBasket(bytesOf(body), calculationId, 200)
}

function refusedField(body: unknown): string | null {
  const reading = read(body)
  return reading.kind === 'refused' ? reading.refusal.details.field : null
}

/** The same value in another spelling; each number drawn makes one choice. */
function respelt(value: unknown, draw: () => number): string {
  const space = () => ['', '', ' ', '\r\n\t'][draw() % 4]!
  const text = (each: string) =>
    draw() % 4 === 0
      ? `"\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}${JSON.stringify(each.slice(1)).slice(1)}`
      : JSON.stringify(each)
  const write = (each: unknown): string => {
    if (typeof each === 'string' && each !== '') return text(each)
    if (each === null || typeof each !== 'object') return JSON.stringify(each)
    const isArray = Array.isArray(each)
    const members = Object.entries(each).map(([name, inner]) =>
      isArray ? write(inner) : `${text(name)}${space()}:${space()}${write(inner)}`,
    )
    for (let last = members.length - 1; !isArray && last > 0; last--) {
      const other = draw() % (last + 1)
      ;[members[last], members[other]] = [members[other]!, members[last]!]
    }
    const inside = members.map((member) => space() + member + space()).join(',')
    return isArray ? `[${inside}]` : `{${inside}}`
  }
  return space() + write(value) + space()
}

t.test('reads the same basket whatever the order, escapes and white space of its members', async () => {
  const bodies = [
    fullBody(),
    basketBody(4),
    { ...basketBody(3), totalsOfPos: 1, line: {}, totals2: [{ gross: 1 }, { gros: 2 }] },
  ]
  const property = fc.property(fc.constantFrom(...bodies), fc.infiniteStream(fc.nat(1000)), (body, choices) => {
    const again = read(respelt(body, () => choices.next().value))
    const first = read(body)
    if (again.kind === 'refused' || first.kind === 'refused') return false
    return JSON.stringify(again.basket) === JSON.stringify(first.basket) && again.facts.baxId === first.facts.baxId
  })
  fc.assert(property, { numRuns: 500 })
})

t.test('tells names apart that begin or end alike', async (t) => {
  const kindOf = (text: string) => readJson(Buffer.from(text), requestNames).kind
  for (const text of ['[{"ab":1,"abc":2},{"ab":1,"ab":2}]', '[{"abcdef":1,"abcdeg":2},{"abcdef":1,"abcdef":2}]']) {
    t.equal(kindOf(text), 'fault', text)
  }
  for (const text of [
    '[{"ab":1,"abc":2},{"abc":1,"ab":2}]',
    '[{"abcd":1,"abce":2},{"abce":1,"abcd":2,"abcdabcd":3}]',
  ]) {
    t.equal(kindOf(text), 'read', text)
  }
  for (const end of ['{"abcdef', '{"abcdef"', '{"abcdef":', '{"abcde\\f":1', '{"abcdef:1}']) {
    t.equal(kindOf(`[{"abcdef":1},${end}`), 'fault', end)
  }
})

t.test(
  'reports what is not JSON first, then a name that repeats, then the first value that does not fit',
  async (t) => {
    const misfit = JSON.stringify({ ...basketBody(), currency: 1, requestedAt: 2 })
    t.equal(refusedField(misfit), 'currency')
    const repeated = misfit.replace('"posOrder"', '"posX":{"a":1,"a":2},"posOrder"')
    t.equal(refusedField(repeated), 'posX.a')
    t.equal(refusedField(`${repeated.slice(0, -1)},"totals":0}`), 'totals', 'an outer object before those inside')
    t.equal(refusedField(`${repeated}x`), 'body')
  },
)

t.test('reads a text larger than the room it keeps, and small ones after it', async (t) => {
  const large = read(basketBody(12_000))
  const small = read(fullBody())
  if (large.kind === 'refused' || small.kind === 'refused') throw new Error('a valid basket was refused')
  t.equal(large.arithmetic, null)
  t.strictSame(large.basket.lines.at(-1)!.lineId, 'line 12000')
  t.strictSame(large.lineFields.at(-1)!.string(0), 'line 12000', 'its fields stay its own')
  t.equal(small.basket.lines[1]!.totals.net, 150)
})
