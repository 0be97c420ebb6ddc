import t from 'tap'
import { createValueTable } from '../../../gateway/use-cases/value-table.js'
import { anEarning, type RuleCount } from '../../store/value-builders.js'

const nothing = { earning: null, spending: null }

/** Stamps issued by baskets, each counted by one rule. */
function issued(counts: readonly number[], rule: RuleCount): bigint | undefined {
  const table = createValueTable()
  for (const returned of counts)
    table.add(nothing, { earning: anEarning([{ ...rule, sent: 0, returned }]), spending: null })
  return table.rows()[0]?.issuedDraft
}

t.test('remainders of baskets add up before they are divided', (t) => {
  const perFifty: RuleCount = { per: 'amount', every: 5_000 }
  t.equal(issued([3_000, 2_000], perFifty), 1n)
  t.equal(issued([3_000, 1_999], perFifty), 0n)
  t.equal(issued([4_999, 4_999, 4_999], { ...perFifty, give: 3 }), 8n)
  t.equal(issued([1_000, 1_000], { ...perFifty, factor: 25_000 }), 1n)
  t.equal(issued([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], { per: 'units' }), 2n ** 54n - 2n)
  t.end()
})

t.test('a visit gives whole units each time, and a maximum of a basket holds for each', (t) => {
  t.equal(issued([1, 1], { per: 'visit', give: 3, factor: 15_000 }), 8n)
  t.equal(issued([5, 1], { maximum: { amount: 2, period: 'basket' } }), 3n)
  t.equal(issued([5, 1], { maximum: { amount: 2, period: 'day' } }), 6n, 'others are not known')
  t.end()
})

t.test('both sides are summed by currency, whatever only one of them has', (t) => {
  const table = createValueTable()
  const spending = JSON.stringify([{ benefitId: 'b', currencyId: 'old', per: 'unit', amount: 9, times: 2, lines: [] }])
  table.add(
    { earning: anEarning([{ sent: 2 }]), spending },
    { earning: anEarning([{ ruleId: 'x', currencyId: 'new' }]), spending: null },
  )
  table.add(nothing, nothing)
  const zero = { key: '', issuedThen: 0n, issuedDraft: 0n, spentThen: 0n, spentDraft: 0n }
  t.same(table.rows(), [
    { ...zero, currencyId: 'new', issuedDraft: 1n },
    { ...zero, currencyId: 'old', spentThen: 18n },
    { ...zero, currencyId: 'stamps', issuedThen: 2n },
  ])
  t.end()
})

t.test('rows by a key, and by the rule or benefit that moves the value', (t) => {
  const spending = JSON.stringify([
    { benefitId: 'cup', currencyId: 'stamps', per: 'unit', amount: 9, times: 1, lines: [] },
  ])
  const earned = (returned: number) => ({
    earning: anEarning([{ per: 'amount', every: 10, returned, sent: 0 }]),
    spending,
  })
  const [byVenue, bySource] = [createValueTable(), createValueTable('source')]
  for (const [venue, returned] of [
    ['oslo', 15],
    ['bergen', 5],
    ['oslo', 5],
  ] as const) {
    byVenue.add(earned(returned), nothing, venue)
    bySource.add(nothing, earned(returned), venue)
  }
  t.match(byVenue.rows(), [
    { key: 'bergen', currencyId: 'stamps', issuedThen: 0n, spentThen: 9n, issuedDraft: 0n, spentDraft: 0n },
    { key: 'oslo', currencyId: 'stamps', issuedThen: 2n, spentThen: 18n },
  ])
  const [rule, cup] = bySource.rows()
  t.match(cup, { key: 'cup', issuedDraft: 0n, spentDraft: 27n })
  t.match(rule, { issuedDraft: 2n, spentDraft: 0n, issuedThen: 0n })
  t.end()
})
