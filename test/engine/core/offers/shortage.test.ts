import t from 'tap'
import { shortage } from '../../../../engine/core/offers/shortage.js'

t.test('a shortage counts what is missing when a unit serves one want only', async (t) => {
  const units = [2, 1, 0]
  const on = (line: number) => units[line]!
  t.equal(shortage([{ lines: [0], quantity: 2 }], on), 0)
  t.equal(
    shortage(
      [
        { lines: [0, 1], quantity: 2 },
        { lines: [0], quantity: 2 },
      ],
      on,
    ),
    1,
  )
  t.equal(
    shortage(
      [
        { lines: [0, 1], quantity: 1 },
        { lines: [0], quantity: 2 },
      ],
      on,
    ),
    0,
    'the first want moves over',
  )
  t.equal(
    shortage(
      [
        { lines: [2], quantity: 3 },
        { lines: [], quantity: 1 },
      ],
      on,
    ),
    4,
  )
})
