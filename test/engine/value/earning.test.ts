import t from 'tap'
import { type EarningBasis, type EarningPlan, planEarning, type StoredCount } from '../../../engine/value/earning.js'
import type { StoredLadder } from '../../../engine/value/ladder.js'
import { type EarnedRow, planReturn } from '../../../engine/value/returns.js'
import { Dice } from '../../support/dice.js'

const seed = Number(process.env['SEED'] ?? 20_261_127)
const runs = 100
const hourMs = 3_600_000
const moment = { at: 0, day: '2026-11-27', timeZone: 'UTC' }

/** A rule of units without limits, for the next sale. */
const stamps: StoredCount = {
  ...{ ruleId: 'stamps', currencyId: 'stamps', give: 1, per: 'units', every: 1 },
  ...{ factor: 10_000, sent: 1, returned: 1 },
}

const nothing = { total: '0', version: null, about: null, givenWithin: null, near: null }

function planOne(rule: StoredCount, had: Partial<RuleHistory> = {}, basis: Partial<EarningBasis> = {}) {
  return planEarning({
    ...{ asReturned: true, paid: null, net: null, counted: [], of: '', earning: { ...moment, rules: [rule] } },
    ...{ rules: { [rule.ruleId]: { ...nothing, ...had } }, ...basis },
  }).rules[0]
}

type RuleHistory = NonNullable<EarningBasis['rules']>[string]

t.test(`what stays given depends on what was kept alone, in any order of sales and returns, seed ${seed}`, (t) => {
  const dice = new Dice(seed)
  for (let run = 0; run < runs; run++) {
    const rule = { ...stamps, give: dice.between(1, 3), every: dice.between(1, 7) }
    let sums = { total: '0', totalGiven: 0, totalTaken: 0 }
    const sales: { units: number; row: EarnedRow; gone: number }[] = []
    for (let step = 0; step < 15; step++) {
      const sale = sales.length > 0 ? dice.pick(sales) : null
      if (sale === null || dice.chance(0.6)) {
        const units = dice.between(1, 9)
        const plan = planOne({ ...rule, factor: dice.pick([1, 3_333, 10_000, 15_000]), returned: units }, sums)!
        const given = Number(plan.amount)
        sums = { ...sums, total: sum(plan.before, plan.weighted), totalGiven: sums.totalGiven + given }
        sales.push({ units, gone: 0, row: { ...rule, ...rowOf(plan), ...sums } })
      } else if (sale.gone < sale.units) {
        const back = dice.between(1, sale.units - sale.gone)
        const { rules } = planReturn(
          { ladder: ladderOf(sale.units), returns: [gone(sale.gone)], used: [], earned: [{ ...sale.row, ...sums }] },
          [[0, back * 1_000]],
          null,
        )
        const { out, taken } = rules[0]!
        sums = { ...sums, total: sum(sums.total, -out * sale.row.factor), totalTaken: sums.totalTaken + taken }
        sale.row = { ...sale.row, returned: sale.row.returned + out, taken: sale.row.taken + taken }
        sale.gone += back
      }
      const kept = sales.reduce((all, { units, gone, row }) => all + (units - gone) * row.factor, 0)
      t.equal(sums.total, String(kept), 'the total is what was kept')
      t.equal(sums.totalGiven - sums.totalTaken, rule.give * Math.floor(kept / (rule.every * 10_000)))
    }
  }
  t.end()
})

function sum(total: string, more: string | number): string {
  return String(BigInt(total) + BigInt(more))
}

function rowOf({
  ruleId,
  currencyId,
  counted,
  returned,
  factor,
  isLimited,
  before,
  amount,
}: EarningPlan['rules'][number]) {
  const given = Number(amount)
  return { ...{ ruleId, currencyId, accountId: 1, counted, returned, factor, given, taken: 0 }, isLimited, before }
}

function ladderOf(units: number): StoredLadder {
  return {
    lines: [{ lineId: '', quantity: units * 1_000, paid: units * 100, due: units * 100 }],
    rules: [{ ruleId: 'stamps', per: 'units', onReturn: 'to_zero', capped: false, lines: [0] }],
    ...{ policy: 'as_paid', anew: false, spent: [] },
  }
}

function gone(units: number) {
  return { lines: [[0, units * 1_000]] as const, refund: units * 100, givenBack: [] }
}

t.test('no period gives more than the maximum, and no two counted sales are closer than the cooldown', (t) => {
  const dice = new Dice(seed)
  for (let run = 0; run < runs; run++) {
    const rule = { ...stamps, maximum: { amount: dice.between(1, 9), period: 'ever' }, cooldownMinutes: 120 }
    let [total, given] = ['0', 0]
    const counted: number[] = []
    for (let sale = 0; sale < 12; sale++) {
      const at = dice.between(0, 24) * hourMs
      const near = [counted.filter((other) => other <= at).at(-1), counted.find((other) => other > at)]
      const returned = dice.between(0, 4)
      const basis = { earning: { ...moment, at, rules: [{ ...rule, returned }] } }
      const had = { total, givenWithin: given, near: near.map((other) => other ?? null) }
      const plan = planOne(rule, had, basis)
      const isClose = counted.some((other) => Math.abs(other - at) < 2 * hourMs)
      t.equal(plan === undefined, returned === 0 || isClose, 'exactly the cooldown apart counts')
      if (plan === undefined) continue
      t.ok(plan.isLimited)
      total = sum(total, plan.weighted)
      given += Number(plan.amount)
      counted.push(at)
      counted.sort((a, b) => a - b)
    }
    t.equal(given, Math.min(rule.maximum.amount, Number(total) / 10_000), 'and not less')
  }
  t.end()
})

t.test('where less was paid than the net, a base counts in proportion; units and visits stay', (t) => {
  const less = { paid: 2, net: 3 }
  const count = (per: StoredCount['per'], sent: number) =>
    planOne({ ...stamps, per, sent }, {}, { ...less, asReturned: false })?.counted
  t.same([count('amount', 100), count('units', 100), count('visit', 1)], [66, 100, 1])
  t.equal(count('amount', 1), undefined, 'and nothing is not counted')
  t.end()
})

t.test('a claim counts the units bought, and gives for the units kept, once', (t) => {
  const claim = { ...stamps, sent: 3, all: 5 }
  t.match(planOne(claim, {}, { asReturned: false }), { counted: 5, returned: 2, weighted: '30000', amount: '3' })
  t.equal(planOne(claim, {}, { asReturned: false, counted: ['stamps'] }), undefined)
  t.end()
})
