import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { sql } from '../../store/postgres/connection/sql.js'
import { Dice } from '../support/dice.js'
import type { Ledger } from '../support/open-ledger.js'
import { totals } from './earning-builders.js'
import { aRecord, aSale, eventBody, plenty, type Subject } from './ledger-builders.js'
import {
  aLadder,
  done,
  giveBack,
  type LadderRuleCount,
  publishRules,
  quoteBack,
  type SoldLine,
  sellLines,
} from './return-builders.js'
import { aValueTable } from './value-builders.js'

const seed = Number(process.env['SEED'] ?? 20_261_123)
const runs = Number(process.env['RUNS'] ?? 12)
const salesPerRun = 6
const returnsPerRun = 18

const rules = {
  points: { give: 3, per: { kind: 'amount', every: 70 } },
  stamps: { give: 2, per: { kind: 'units', every: 3 } },
} as const

interface ModelLine {
  readonly quantity: bigint
  readonly net: bigint
  readonly free: bigint
  returned: bigint
  refunded: bigint
}

interface ModelSale {
  readonly lines: readonly ModelLine[]
  readonly factor: bigint
  readonly counted: Readonly<Record<keyof typeof rules, readonly number[]>>
}

/** Ladders and baskets that are stored for returns. */
export async function sweepPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('old sales without a ladder are swept, by one gateway at a time', async (t) => {
    const sold = async (event: Parameters<typeof aSale>[1] = {}) => {
      const record = aRecord(ledger)
      await ledger.calculations.store([record])
      await ledger.sales.record(aSale(record, event), eventBody)
      return record.calculationId
    }
    const [first, cancelled, laddered, last, young] = [
      ...[await sold(), await sold({ status: 'cancelled' }), await sold(), await sold(), await sold()],
    ]
    await ledger.returns.storeLadder(laddered!, aLadder([[1_000, 5]], []))
    for (const [at, id] of [first, cancelled, laddered, last].entries()) {
      await database.run(
        sql`update sale set recorded_at = clock_timestamp() - interval '3 hours' + ${at}::integer * interval '1 minute'
          where calculation_id = ${id!}::uuid`,
        { effect: 'writes', withinMs: plenty },
      )
    }
    const one = await ledger.returns.sweep(2)
    t.match(one, { calculationIds: [first], last: { calculationId: cancelled } })
    t.same(await ledger.returns.sweep(2), { calculationIds: [], last: null }, 'it is leased')
    await ledger.returns.passed(one.last!)
    const two = await ledger.returns.sweep(9)
    t.match(two, { calculationIds: [last], last: { calculationId: last } })
    await ledger.returns.passed(two.last!)
    t.same(await ledger.returns.sweep(9), { calculationIds: [], last: null }, `${young} is too young`)
  })

  await t.test('the basket of a sale that is priced anew stays when its body is dropped', async (t) => {
    const record = aRecord(ledger)
    await ledger.calculations.store([record])
    await ledger.sales.record(aSale(record), eventBody)
    await ledger.returns.storeLadder(record.calculationId, aLadder([[1_000, 100]], []), '{"programmeVersion":7}')
    for (const gone of [
      sql`delete from calculation_body where calculation_id = ${record.calculationId}::uuid`,
      sql`delete from sale where calculation_id = ${record.calculationId}::uuid`,
      sql`delete from calculation where calculation_id = ${record.calculationId}::uuid`,
    ])
      await database.run(gone, { effect: 'writes', withinMs: plenty })
    const kept = { packed: Buffer.from(record.packed), facts: '{"programmeVersion":7}' }
    t.match(await ledger.returns.findBasket(record.calculationId), kept)
    t.equal(
      await ledger.returns.findBasket(
        (await sellLines(ledger, null, { lines: [[1_000, 5]], rules: [] })).calculationId,
      ),
      null,
    )
  })
}

/** Random sales and returns, in any order and split, against a model that counts the kept units from scratch each time. */
export async function drawnReturnPromises(t: Test, { ledger, database }: Subject): Promise<void> {
  const { currencyId, named } = await publishRules(ledger, rules)
  const value = aValueTable(ledger)
  const ruleIds = { points: named('points').ruleId, stamps: named('stamps').ruleId }

  await t.test(`returns take back what the contract says, in any order and split, seed ${seed}`, async (t) => {
    const dice = new Dice(seed)
    for (let run = 0; run < runs; run++) {
      const memberId = await value.enrol()
      const sales: { readonly model: ModelSale; readonly calculationId: string }[] = []
      for (let step = 0; step < salesPerRun + returnsPerRun; step++) {
        if (sales.length === 0 || (sales.length < salesPerRun && dice.chance(0.4))) {
          sales.push(await sell(ledger, memberId, { dice, named }))
          continue
        }
        const { model, calculationId } = dice.pick(sales)
        const lines = drawReturn(dice, model)
        if (lines.length === 0) continue
        const quoted = done(await quoteBack(ledger, { calculationId }, lines))
        const made = done(await giveBack(ledger, { calculationId }, lines, randomUUID()))
        t.same(
          [made.refund, made.takenBack, made.givenBack],
          [quoted.refund, quoted.takenBack, quoted.givenBack],
          'as quoted',
        )
        t.equal(made.refund, refundOf(model, lines))
      }
      const kept = (rule: keyof typeof rules) => sales.reduce((sum, { model }) => sum + keptOf(model, rule), 0n)
      const stays = (rule: keyof typeof rules) => {
        const { give, per } = rules[rule]
        return BigInt(give) * (kept(rule) / (BigInt(per.every) * 10_000n))
      }
      const found = await totals(database, memberId)
      t.same(found[ruleIds.points]?.[0] ?? '0', String(kept('points')), 'points counted')
      t.same(found[ruleIds.stamps]?.[0] ?? '0', String(kept('stamps')), 'stamps counted')
      const { available, pending, debt } = await value.sums(memberId, currencyId)
      t.equal(BigInt(available + pending - debt), stays('points') + stays('stamps'), 'what stays given')
      for (const { model } of sales) {
        for (const { quantity, net, returned, refunded } of model.lines) {
          t.ok(returned < quantity ? refunded <= net : refunded === net, 'refunds sum to at most what was paid')
        }
      }
    }
  })
}

interface Selling {
  readonly dice: Dice
  readonly named: (rule: keyof typeof rules) => LadderRuleCount
}

async function sell(ledger: Ledger, memberId: string, { dice, named }: Selling) {
  const lines: SoldLine[] = Array.from({ length: dice.between(1, 3) }, () => {
    const units = dice.between(1, 5)
    const isWeighed = dice.chance(0.2)
    const net = dice.between(1, 200)
    return isWeighed ? [units * 1_000 + 1, net, 0] : [units * 1_000, net, units > 1 && dice.chance(0.3) ? 1 : 0]
  })
  const every = lines.map((_, at) => at)
  const whole = every.filter((at) => lines[at]![0] % 1_000 === 0)
  const counted = { points: dice.some(every), stamps: whole.length === 0 ? [] : dice.some(whole) }
  const factor = dice.pick([10_000, 15_000, 3_333])
  const onReturn = 'debt' as const
  const opensAfterDays = dice.pick([0, 0, 1])
  const soldBy = (['points', 'stamps'] as const).map((rule) => {
    return { ...named(rule), factor, onReturn, opensAfterDays, lines: counted[rule] }
  })
  const sold = soldBy.filter((rule) => rule.lines.length > 0)
  const { calculationId } = await sellLines(ledger, memberId, { lines, rules: sold })
  const model: ModelSale = {
    lines: lines.map(([quantity, net, free = 0]) => ({
      ...{ quantity: BigInt(quantity), net: BigInt(net), free: BigInt(free) },
      ...{ returned: 0n, refunded: 0n },
    })),
    factor: BigInt(factor),
    counted,
  }
  return { model, calculationId }
}

function drawReturn(dice: Dice, { lines }: ModelSale): (readonly [number, number])[] {
  return lines.flatMap(({ quantity, returned }, at) => {
    const left = Number(quantity - returned)
    if (left === 0 || dice.chance(0.4)) return []
    const isWhole = quantity % 1_000n === 0n
    return [[at, isWhole ? dice.between(1, left / 1_000) * 1_000 : dice.between(1, left)] as const]
  })
}

function refundOf({ lines }: ModelSale, asked: readonly (readonly [number, number])[]): number {
  let refund = 0n
  for (const [at, quantity] of asked) {
    const line = lines[at]!
    line.returned += BigInt(quantity)
    const due = paidBack(line)
    refund += due - line.refunded
    line.refunded = due
  }
  return Number(refund)
}

/** Units that were given for nothing are returned last, and come to nothing. */
function paidBack({ quantity, net, free, returned }: ModelLine): bigint {
  const paid = quantity - free * 1_000n
  return ((returned < paid ? returned : paid) * net) / paid
}

/** A rule's weighted count of the kept units. */
function keptOf({ lines, factor, counted }: ModelSale, rule: keyof typeof rules): bigint {
  const amounts = counted[rule].map((at) => {
    const { quantity, net, free, returned } = lines[at]!
    if (rule === 'points') return net - paidBack(lines[at]!)
    const left = quantity / 1_000n - free - returned / 1_000n
    return left > 0n ? left : 0n
  })
  return amounts.reduce((sum, amount) => sum + amount, 0n) * factor
}
