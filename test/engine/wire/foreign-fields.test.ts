import t from 'tap'
import { fc } from '../../support/seeded.js'
import { outcomeAsSent } from './a-calculation.js'
import { basketBody } from './basket-body.js'
import { basketText, changeLine, discounted, read } from './written-basket.js'

/** Any JSON value with names and numbers that a careless reader would change. */
const foreign = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .constantFrom(
        '1.10',
        '1e2',
        '-0',
        '12345678901234567890',
        '1E400',
        '5e-324',
        '"\\u0061\\ud800"',
        '"é😀\\/"',
        'null',
        'true',
        '""',
      )
      .map((raw) => ({ raw })),
    fc.string({ unit: 'binary' }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(fc.constantFrom('__proto__', 'constructor', 'amount', 'totals', 'lineId'), fc.string()),
      tie('value'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
})).value

/** JSON in which `{ raw }` is replaced by its own text. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Object.hasOwn(value, 'raw')) return String((value as { raw: string }).raw)
  return `{${Object.entries(value)
    .map(([name, each]) => `${JSON.stringify(name)} :${written(each)}`)
    .join(',')}}`
}

t.test('lets any foreign field through an edit, digit for digit', async () => {
  const property = fc.property(
    foreign,
    foreign,
    fc.constantFrom('\u2603', 'a', '__proto__', 'toString'),
    (top, inLine, name) => {
      const field = (value: unknown) => `${JSON.stringify(name)}:${written(value)},`
      const request = read(
        JSON.stringify(basketBody(2))
          .replace('"lineId":"line 1"', (found) => field(inLine) + found)
          .replace('"gross":200', (found) => field(inLine) + found)
          .replace('"currency"', (found) => field(top) + found),
      )
      const outcome = outcomeAsSent(request.basket)
      const edited = basketText(
        request,
        changeLine(changeLine(outcome, 0, discounted(outcome.lines[0]!, 3)), 1, discounted(outcome.lines[1]!, 3)),
      )
      const found = edited.split(field(inLine)).length - 1
      return edited.includes(`${field(top)}"currency"`) && found >= 2
    },
  )
  fc.assert(property, { numRuns: 1000 })
})
