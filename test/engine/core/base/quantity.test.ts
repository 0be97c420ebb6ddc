import t from 'tap'
import { wholeUnits } from '../../../../engine/core/base/money.js'

t.test('a quantity is whole by its value', async (t) => {
  t.equal(wholeUnits(2000), 2)
  t.equal(wholeUnits(2001), 0)
})
