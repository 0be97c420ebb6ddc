import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import { Dice } from '../support/dice.js'
import { aMemberId, anEarning, holdings, type RuleCount, totals } from './earning-builders.js'
import { EarningModel } from './earning-model.js'
import { aRecord, aSale, eventBody } from './ledger-builders.js'
import type { Subject } from './ledger-subject.js'

const salesPerRun = 120
const members = 3
const seed = Number(process.env['SEED'] ?? 1)

type Rule = RuleCount & { readonly ruleId: string; readonly currencyId: string }

const rules: readonly Rule[] = [
  { ruleId: 'spend', currencyId: 'points', per: 'amount', give: 3, every: 50 },
  { ruleId: 'cups', currencyId: 'stamps', per: 'units', every: 4 },
  { ruleId: 'visits', currencyId: 'points', per: 'visit', give: 5, maximum: { amount: 12, period: 'day' } },
  { ruleId: 'cool', currencyId: 'stamps', per: 'units', cooldownMinutes: 300 },
  { ruleId: 'week', currencyId: 'points', per: 'amount', every: 7, maximum: { amount: 40, period: 'week' } },
  { ruleId: 'month', currencyId: 'bonus', per: 'amount', every: 9, maximum: { amount: 60, period: 'month' } },
  { ruleId: 'basket', currencyId: 'bonus', per: 'units', give: 2, maximum: { amount: 5, period: 'basket' } },
]
const statuses: readonly SaleEvent['status'][] = [
  'applied',
  'applied',
  'applied',
  'unchanged',
  'failed',
  'cancelled',
  'member_not_found',
]

/** Random sales, in any order with their calculations and more than once, earn what a model of the contract says. */
export async function earnedSalesPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test(`random sales earn what the contract says, seed ${seed}`, async (t) => {
    const dice = new Dice(seed)
    const models = Array.from({ length: members }, () => ({ memberId: aMemberId(), model: new EarningModel() }))
    for (let sale = 0; sale < salesPerRun; sale++) {
      const { memberId, model } = dice.pick(models)
      const { at, counted } = drawSale(dice)
      const status = dice.pick(statuses)
      const record = aRecord(ledger, { memberId, earning: anEarning(counted, { at }) })
      const event = aSale(record, { status, paidTotal: status === 'applied' ? record.netAfter : record.netBefore })
      const isEarly = status !== 'failed' && dice.chance(0.2)
      if (isEarly) await ledger.sales.record(event, eventBody)
      await ledger.calculations.store([record])
      if (!isEarly) {
        const quoted = (await ledger.calculations.find(record.calculationId))!.due
        await ledger.sales.record(event, eventBody)
        const { given, due } = (await ledger.calculations.find(record.calculationId))!
        t.equal(due, null, 'it was sold')
        if (status === 'applied') t.same(quoted, given)
      }
      if (dice.chance(0.2)) await ledger.sales.record(event, eventBody)
      if (status === 'cancelled' || status === 'member_not_found') continue
      model.sell(
        counted.map((rule) => ({ ...rule, count: status === 'applied' ? rule.returned : rule.sent })),
        at,
      )
    }
    for (const { memberId, model } of models) {
      t.same(await totals(database, memberId), model.totals())
      t.same(withoutZeros(await holdings(database, memberId)), withoutZeros(model.holdings()))
    }
  })
}

function withoutZeros(amounts: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount > 0))
}

function drawSale(dice: Dice) {
  const day = String(dice.between(1, 30)).padStart(2, '0')
  const at = `2026-${dice.pick(['10', '11'])}-${day}T${String(dice.between(10, 20))}:00:00Z`
  const counted = rules
    .filter(() => dice.chance(0.6))
    .map((rule) => ({
      ...rule,
      factor: dice.pick([10_000, 15_000, 3_333]),
      sent: rule.per === 'visit' ? 1 : dice.between(0, 60),
      returned: rule.per === 'visit' ? dice.between(0, 1) : dice.between(0, 60),
    }))
  return { at, counted }
}
