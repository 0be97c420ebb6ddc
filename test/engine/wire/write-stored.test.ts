import t from 'tap'
import type { Spent } from '../../../engine/core/base/outcome.js'
import { spendingFromText, textOfSpending } from '../../../engine/wire/write-stored.js'

t.test('spending is written as compact JSON and read back, nothing as null', async (t) => {
  const lines = [{ lineId: 'a "1"', units: 2 }]
  const coffee: Spent = { benefitId: 'coffee', currencyId: 'stamps', per: 'unit', amount: 10, times: 2, lines }
  const text = textOfSpending([coffee])
  t.equal(
    text,
    '[{"benefitId":"coffee","currencyId":"stamps","per":"unit","amount":10,"times":2,"lines":[{"lineId":"a \\"1\\"","units":2}]}]',
  )
  t.same(spendingFromText(text), [coffee])
  t.equal(textOfSpending([]), null)
  t.same(spendingFromText(null), [])
})
