import t from 'tap'
import type { Earning } from '../../../engine/core/base/earning.js'
import type { Benefit } from '../../../engine/core/base/programme.js'
import { calculate, calculateLadder } from '../../../engine/core/calculate.js'
import { compileProgramme } from '../../../engine/core/index.js'
import type { LadderSpent, StoredLadder } from '../../../engine/value/ladder.js'
import {
  type EarnedRow,
  type KeptBasket,
  planReturn,
  type ReturnBasis,
  type ReturnedLines,
  type ReturnPlan,
  refundedBefore,
  returnedWith,
  tooMuchOf,
} from '../../../engine/value/returns.js'
import { Dice } from '../../support/dice.js'
import { aBasket, aBenefit, aMember, aVenue, code, type LineSketch, percent } from '../core/builders.js'
import { aRule, perKrone, perVisit } from '../core/earn/rules.js'

const seed = Number(process.env['SEED'] ?? 20_261_127)
const runs = 60

type Policy = StoredLadder['policy']

const everyOther: Benefit = aBenefit('pair', {
  kind: 'buy_get',
  buy: { quantity: 2 },
  get: { quantity: 1, percentage: percent(100) },
})
const rules = [
  aRule({ ruleId: 'points', per: perKrone, give: 3 }),
  aRule({ ruleId: 'stamps', minimumSpend: { amount: 900 } }),
  aRule({ ruleId: 'capped', maximum: { amount: 2, period: 'basket' } }),
  aRule({ ruleId: 'visit', per: perVisit, give: 5 }),
]

/** A sale of such lines, and a function that prices its kept units anew. */
function aSale(lines: readonly LineSketch[], benefits: readonly Benefit[], policy: Policy) {
  const facts = { member: aMember, venue: aVenue([]), available: {}, discountCode: code, stepsMax: 200_000 }
  const programme = compileProgramme(benefits, rules)
  const { ladder } = calculateLadder(programme, { basket: aBasket(lines), ...facts })
  const { earning } = calculate(programme, { basket: aBasket(lines), ...facts })
  const start: ReturnBasis = {
    ladder: { ...ladder, policy, anew: true, spent: [] },
    ...{ returns: [], used: [], earned: rowsOf(earning) },
  }
  const keep = (returned: readonly number[]): KeptBasket => {
    const kept = lines.flatMap((line, at) => {
      const quantity = Math.round((line.quantity ?? 1) * 1_000) - returned[at]!
      return quantity === 0 ? [] : [{ id: `line-${at}`, product: `product-${at}`, ...line, quantity: quantity / 1_000 }]
    })
    if (kept.length === 0) return { price: 0, counts: new Map(), spent: [] }
    const priced = calculate(programme, { basket: aBasket(kept), ...facts })
    return { price: priced.netAfter, counts: countsOf(priced.earning), spent: [] }
  }
  return { start, keep }
}

function countsOf(earning: Earning | null): ReadonlyMap<string, number> {
  return new Map(earning?.counted.map(({ rule, returned }) => [rule.ruleId, returned]))
}

/** As if the sale had been the member's first. */
function rowsOf(earning: Earning | null): EarnedRow[] {
  return (earning?.counted ?? []).map(({ rule, factor, returned: counted }, at) => {
    const { ruleId, currencyId, give, per, maximum } = rule
    const every = per.kind === 'visit' ? null : per.every
    const given = Math.min(maximum?.amount ?? Number.MAX_SAFE_INTEGER, give * Math.floor(counted / (every ?? 1)))
    return {
      ...{ ruleId, accountId: at, currencyId, give, per: per.kind, every, factor, counted, given },
      ...{ returned: 0, taken: 0, isLimited: maximum !== null, before: '0', total: String(counted * factor) },
      ...{ totalGiven: given, totalTaken: 0 },
    }
  })
}

function after(basis: ReturnBasis, lines: ReturnedLines, plan: ReturnPlan): ReturnBasis {
  const earned = basis.earned.map((row) => {
    const { out, taken } = plan.rules.find(({ ruleId }) => ruleId === row.ruleId) ?? { out: 0, taken: 0 }
    return {
      ...{ ...row, returned: row.returned + out, taken: row.taken + taken },
      ...{ total: String(BigInt(row.total) - BigInt(out * row.factor)), totalTaken: row.totalTaken + taken },
    }
  })
  const givenBack = plan.back.map((row) => ({ ...row, forgiven: 0 }))
  return { ...basis, earned, returns: [...basis.returns, { lines, refund: plan.refund, givenBack }] }
}

/** Returns everything in some random parts; the result of each step. */
function returnAll({ start, keep }: ReturnType<typeof aSale>, dice: Dice, check: (basis: ReturnBasis) => void) {
  let basis = start
  for (;;) {
    const returned = returnedWith(basis, [])
    const lines = basis.ladder.lines.flatMap(({ quantity }, at): ReturnedLines => {
      const left = quantity - returned[at]!
      if (left === 0 || dice.chance(0.4)) return []
      return [[at, quantity % 1_000 === 0 ? dice.between(1, left / 1_000) * 1_000 : dice.between(1, left)]]
    })
    if (basis.ladder.lines.every(({ quantity }, at) => returned[at] === quantity)) return basis
    if (lines.length === 0) continue
    basis = after(basis, lines, planReturn(basis, lines, keep(returnedWith(basis, lines))))
    check(basis)
  }
}

t.test(`returns come to what was paid in every split, under both policies, seed ${seed}`, async (t) => {
  const dice = new Dice(seed)
  for (let run = 0; run < runs; run++) {
    const lines = Array.from({ length: dice.between(1, 4) }, () => ({
      price: dice.pick([100, 333, 1_000]),
      quantity: dice.chance(0.2) ? dice.pick([0.5, 1.337]) : dice.between(1, 5),
      own: dice.chance(0.2) ? [dice.between(1, 40)] : [],
    })).map(({ own, ...line }) => ({ ...line, ...(line.quantity >= 1 ? { own } : {}) }))
    const half = aBenefit(
      'half',
      { kind: 'line_percentage', percentage: percent(33) },
      {
        limits: [{ limitId: 'half', scope: 'member', period: 'ever', counts: 'units', maximum: 2 }],
      },
    )
    const benefits = dice.some([
      everyOther,
      half,
      aBenefit('order', { kind: 'order_percentage', percentage: percent(7) }),
    ])
    for (const policy of ['as_paid', 'reprice'] as const) {
      // Discounts of the POS would have to shrink with their line.
      const sale = aSale(policy === 'reprice' ? lines.map(({ own: _, ...line }) => line) : lines, benefits, policy)
      const paid = sale.start.ladder.lines.reduce((sum, line) => sum + line.paid, 0)
      const end = returnAll(sale, dice, (basis) => {
        const returned = returnedWith(basis, [])
        if (refundedBefore(basis) > paid) t.fail(`more than ${paid} is refunded`)
        if (basis.returns.some(({ refund }) => refund < 0)) t.fail('a refund below 0')
        if (policy === 'reprice' && paid - refundedBefore(basis) > sale.keep(returned).price)
          t.fail('what is kept costs more than if it alone had been bought')
      })
      t.equal(refundedBefore(end), paid, `run ${run}, ${policy}`)
      t.same(
        end.earned.filter(({ counted, returned }) => counted !== returned),
        [],
        'nothing is counted any more',
      )
      t.same(
        end.earned.filter(({ given, taken }) => given !== taken),
        [],
        'all that was given is taken back',
      )
    }
  }
})

// Found by others: the refund of 3 for 2 depended on how the POS groups units.
for (const [title, lines] of [
  ['in one line', [{ product: 'x', quantity: 3 }]],
  ['in three lines', [{ product: 'x' }, { product: 'x' }, { product: 'x' }]],
] as const) {
  t.test(`of three for two ${title} the paid ones come back for their price`, async (t) => {
    const refunds = (policy: Policy, benefit: Benefit) => {
      const sale = aSale(lines, [benefit], policy)
      let basis = sale.start
      return [0, 1, 2].map((at) => {
        const returned: ReturnedLines = [[lines.length === 1 ? 0 : at, 1_000]]
        const plan = planReturn(basis, returned, sale.keep(returnedWith(basis, returned)))
        basis = after(basis, returned, plan)
        return plan.refund
      })
    }
    t.same(refunds('as_paid', everyOther), [1_000, 1_000, 0])
    t.same(refunds('reprice', everyOther), [0, 1_000, 1_000])
    const halfOff = aBenefit('pair', {
      kind: 'buy_get',
      buy: { quantity: 2 },
      get: { quantity: 1, percentage: percent(50) },
    })
    t.same(refunds('as_paid', halfOff), [1_000, 1_000, 500])
    t.same(refunds('reprice', halfOff), [500, 1_000, 1_000])
  })
}

t.test('of two coffees, one free, the paid one takes its stamp along, the free one nothing', async (t) => {
  const free = aBenefit(
    'free',
    { kind: 'line_percentage', percentage: percent(100) },
    {
      limits: [{ limitId: 'free', scope: 'member', period: 'ever', counts: 'units', maximum: 1 }],
    },
  )
  const { start } = aSale([{ price: 4_000, quantity: 2 }], [free], 'as_paid')
  const one = planReturn(start, [[0, 1_000]], null)
  const two = planReturn(after(start, [[0, 1_000]], one), [[0, 1_000]], null)
  t.match([one.refund, two.refund], [4_000, 0])
  t.match(
    one.rules.find(({ ruleId }) => ruleId === 'stamps'),
    { out: 1 },
  )
  t.same(two.rules, [])
})

t.test('of a rule with a maximum stays what the kept basket would be given', async (t) => {
  const sale = aSale([{ price: 1_000, quantity: 5 }], [], 'reprice')
  const plan = planReturn(sale.start, [[0, 2_000]], sale.keep([2_000]))
  t.notOk(
    plan.takes.some(({ accountId }) => sale.start.earned[accountId]?.ruleId === 'capped'),
    'three units are two stamps',
  )
  const most = planReturn(sale.start, [[0, 4_000]], sale.keep([4_000]))
  t.same(
    most.rules.find(({ ruleId }) => ruleId === 'capped'),
    { ruleId: 'capped', out: 4, taken: 1 },
  )
})

t.test('of a benefit on the order come back as many payments as whole ones lie in the returned share', async (t) => {
  const line = (paid: number, quantity = 1_000) => ({ lineId: '', quantity, paid, due: paid })
  const spent: LadderSpent = {
    ...{ benefitId: 'points', currencyId: 'points', per: 'times', amount: 10, times: 3 },
    lines: [
      { at: 0, units: 3, amount: 200 },
      { at: 1, units: 1, amount: 100 },
    ],
  }
  const ladder: StoredLadder = {
    ...{ lines: [line(700, 3_000), line(300)], rules: [], spent: [spent], policy: 'as_paid', anew: false },
  }
  let basis: ReturnBasis = { ladder, returns: [], earned: [], used: [{ currencyId: 'points', amount: 30 }] }
  const back: number[] = []
  for (const at of [0, 0, 1, 0]) {
    const plan = planReturn(basis, [[at, 1_000]], null)
    back.push(plan.back[0]?.amount ?? 0)
    basis = after(basis, [[at, 1_000]], plan)
  }
  t.same(back, [0, 10, 10, 10], '67, 133, 233 and 300 of 300')
})

t.test(
  'what a basket kept spends stays spent, and so does what added lines cost until they are returned',
  async (t) => {
    const line = (paid: number) => ({ lineId: '', quantity: 1_000, paid, due: paid })
    const cost = (benefitId: string, at: number): LadderSpent => {
      return { benefitId, currencyId: 'points', per: 'unit', amount: 10, times: 1, lines: [{ at, units: 1 }] }
    }
    const ladder: StoredLadder = {
      lines: [line(500), line(400), { ...line(0), added: true }],
      ...{ rules: [], spent: [cost('off', 0), cost('gift', 2)], policy: 'reprice', anew: true },
    }
    const start: ReturnBasis = { ladder, returns: [], earned: [], used: [{ currencyId: 'points', amount: 20 }] }
    const kept = (amount: number): KeptBasket => {
      return {
        price: 400,
        counts: new Map(),
        spent: amount === 0 ? [] : [{ benefitId: 'off', currencyId: 'points', amount }],
      }
    }
    t.same(planReturn(start, [[1, 1_000]], kept(10)).back, [])
    t.same(planReturn(start, [[0, 1_000]], kept(0)).back, [{ currencyId: 'points', amount: 10, before: 0 }])
    t.same(planReturn(start, [[2, 1_000]], kept(10)).back, [{ currencyId: 'points', amount: 10, before: 0 }])
  },
)

t.test('more than is left is refused at its place', async (t) => {
  const { start } = aSale([{ quantity: 2 }, { quantity: 1 }], [], 'reprice')
  const basis: ReturnBasis = { ...start, returns: [{ lines: [[0, 1_000]], refund: 0, givenBack: [] }] }
  t.equal(
    tooMuchOf(basis, [
      [0, 1_000],
      [1, 1_000],
    ]),
    null,
  )
  t.same(
    tooMuchOf(basis, [
      [1, 1_000],
      [0, 2_000],
    ]),
    { kind: 'too_much', place: 1, left: 1_000 },
  )
})

const splits = 20_000

t.test(`${splits} splits refund what the contract says, line by line, seed ${seed}`, async (t) => {
  const dice = new Dice(seed)
  const faults: string[] = []
  for (let made = 0; made < splits; ) {
    const policy = dice.pick(['as_paid', 'reprice'] as const)
    const sold = Array.from({ length: dice.between(1, 4) }, () => aSoldLine(dice))
    let basis: ReturnBasis = {
      ladder: {
        lines: sold.map(({ line }, at) => ({ ...line, lineId: `${at}` })),
        rules: [],
        policy,
        anew: true,
        spent: [],
      },
      ...{ returns: [], earned: [], used: [] },
    }
    const paid = sold.reduce((sum, { line }) => sum + line.paid, 0)
    let most = 0
    for (let isAll = false; !isAll; made++) {
      const before = returnedWith(basis, [])
      const lines = sold.flatMap(({ line, step }, at): ReturnedLines => {
        const left = (line.quantity - before[at]!) / step
        const quantity = left === 0 ? 0 : dice.between(0, left) * step
        return quantity === 0 ? [] : [[at, quantity]]
      })
      if (lines.length === 0) continue
      const returned = returnedWith(basis, lines)
      isAll = sold.every(({ line }, at) => returned[at] === line.quantity)
      const price = isAll ? 0 : dice.between(0, paid)
      const plan = planReturn(basis, lines, { price, counts: new Map(), spent: [] })
      const each = lines.map(([at]) => sold[at]!.paidFor(returned[at]!) - sold[at]!.paidFor(before[at]!))
      const due = policy === 'reprice' ? paid - price : most + each.reduce((sum, own) => sum + own, 0)
      const wanted = Math.max(0, due - most)
      most = Math.max(most, due)
      const shared = plan.lineRefunds.reduce((sum, own) => sum + own, 0)
      if (plan.refund !== wanted || shared !== wanted || plan.lineRefunds.some((own) => own < 0))
        faults.push(`${JSON.stringify({ policy, sold, lines, plan })}: ${wanted}`)
      if (policy === 'as_paid' && String(plan.lineRefunds) !== String(each)) faults.push(`lines: ${each}`)
      basis = after(basis, lines, plan)
    }
    if (refundedBefore(basis) !== paid) faults.push(`all comes to ${refundedBefore(basis)} of ${paid}`)
  }
  t.same(faults.slice(0, 3), [])
})

/** A line in which some units are free and are returned last, and what its first thousandths were paid (page 4, section 5). */
function aSoldLine(dice: Dice) {
  const isWeighed = dice.chance(0.2)
  const units = dice.between(1, 6)
  const free = isWeighed || dice.chance(0.6) ? 0 : dice.between(0, units - 1)
  const paid = dice.pick([dice.between(0, 20), dice.between(0, 100_000)])
  const quantity = isWeighed ? dice.between(1, 5_000) * 2 + 1 : units * 1_000
  const charged = quantity - free * 1_000
  const kinds = [
    { units: units - free, taken: 0, benefitId: '', free: false },
    { units: free, taken: 600 * free, benefitId: 'gift', free: true },
  ]
  const line = { quantity, paid, due: paid, ...(free === 0 ? {} : { hold: 600 * units, kinds }) }
  return {
    line,
    step: isWeighed ? 1 : 1_000,
    paidFor: (k: number) => Math.floor((Math.min(k, charged) * paid) / charged),
  }
}
