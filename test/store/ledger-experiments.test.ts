import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Experiment } from '../../engine/core/base/programme.js'
import { createArms } from '../../gateway/cache/arms.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import { createPostgresSql } from '../../store/postgres/connection/postgres-sql.js'
import { type Sql, sql } from '../../store/postgres/connection/sql.js'
import { aMember, aRecord, aSale, eventBody, isDue, plenty } from '../support/ledger-builders.js'
import { createPostgresLedger, type Ledger } from '../support/open-ledger.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { type Edit, plantMistake } from './histories/mistakes.js'
import type { Played } from './histories/played.js'
import { aLadder, done, giveBack } from './return-builders.js'
import { aValueCommand } from './value-builders.js'

t.setTimeout(240_000)

const server = await startPostgres()
t.teardown(() => server.stop())
const options = { expiryS: 1_800, idempotencyS: 86_400, readMs: plenty, hangMs: plenty, saleMs: plenty }
const reads = { effect: 'reads', withinMs: plenty } as const
const weekMs = 7 * 86_400_000

async function anEmptyLedger(t: Test): Promise<Lab> {
  const url = await server.createDatabase()
  const ledger = await createPostgresLedger({ url, ...options })
  const database = createPostgresSql(url, 1)
  t.teardown(async () => {
    await database.close()
    await ledger.close()
  })
  return { ledger, database }
}

interface Lab {
  readonly ledger: Ledger
  readonly database: Sql
}

function anExperiment(overrides: Partial<Experiment> = {}): Experiment {
  return {
    ...{ experimentId: 'happy', name: 'Happy hour', metric: 'net', arms: aHoldout(500_000, ['beer']) },
    ...{ from: Date.parse('2026-01-01T00:00:00Z'), until: null },
    ...overrides,
  }
}

function aHoldout(percentage: number, benefitIds: readonly string[] | null): Experiment['arms'] {
  return [
    { armId: 'holdout', percentage, benefitIds: [] },
    { armId: 'open', percentage: 1_000_000 - percentage, benefitIds },
  ]
}

async function publish({ ledger }: Pick<Lab, 'ledger'>, experiments: readonly Experiment[]) {
  const document = JSON.stringify({ once: randomUUID() })
  const programme = { document, benefits: '[]', venues: [], members: [], experiments }
  return await ledger.programmes.publishFile(programme).finally(() => sleep(100)) // `clock` is an estimate
}

async function enrol({ ledger }: Lab): Promise<string> {
  const member = aMember()
  await ledger.members.store(aValueCommand(), [member])
  return member.memberId
}

interface Sold extends Partial<CalculationRecord> {
  readonly paid?: number
  /** The sale's event comes before its calculation. */
  readonly isEarly?: boolean
}

/** Sells a basket of one line, which may be returned. */
async function sell({ ledger }: Lab, memberId: string, { paid = 800, isEarly, ...more }: Sold = {}) {
  const record = aRecord(ledger, { memberId, ...more })
  const sale = aSale(record, { paidTotal: paid })
  if (isEarly === true) await ledger.sales.record(sale, eventBody)
  await ledger.calculations.store([record])
  if (isEarly !== true) await ledger.sales.record(sale, eventBody)
  await ledger.returns.storeLadder(record.calculationId, aLadder([[1_000, paid]], []))
  return record
}

function merge({ ledger }: Lab, from: string, into: string) {
  const members = { from: { memberId: from }, into: { memberId: into } }
  return ledger.members.merge(aValueCommand(), { ...members, venueLimits: [], isDryRun: false })
}

async function sumAll({ ledger }: Lab): Promise<void> {
  for (let idle = 0; idle < 3; ) idle = (await ledger.reports.sum(100)) === 0 ? idle + 1 : 0
}

const inArm = (arm: string, isWithheld = arm === 'holdout', experimentId = 'happy') =>
  JSON.stringify([[experimentId, arm, isWithheld ? 1 : 0]])

/** The sums of an arm, and of those members the sums as they should be: every figure of its rows. */
async function sumsOf(lab: Lab, armId: string, currency = 'EUR', experimentId = 'happy') {
  const found = await lab.ledger.experiments.find(experimentId)
  const figures: Record<string, number> = {}
  for (const sum of found?.sums ?? []) {
    if (sum.armId !== armId || sum.currency !== currency) continue
    for (const [name, amount] of Object.entries(sum.figures)) figures[name] = (figures[name] ?? 0) + Number(amount)
  }
  return Object.fromEntries(Object.entries(figures).filter(([, amount]) => amount !== 0))
}

/** Figures that differ from those of the members, summed anew. */
async function astray({ database }: Pick<Lab, 'database'>): Promise<readonly unknown[]> {
  return await database.run(
    sql`
      select coalesce(k.arm_id, d.arm_id) as arm, coalesce(k.figure, d.figure) as figure, k.amount as says, d.amount as due
      from (
        select s.experiment_id, s.arm_id, s.currency, s.figure, sum(s.amount) as amount from experiment_sum s
        where s.figure not in ('withheld', 'withheldBaskets', 'unpricedBaskets') group by 1, 2, 3, 4
      ) k
      full join (
        select m.experiment_id, m.arm_id, m.currency, f.figure, sum(f.amount) as amount
        from experiment_member m cross join lateral member_figures(m) f group by 1, 2, 3, 4
      ) d on (d.experiment_id, d.arm_id, d.currency, d.figure) = (k.experiment_id, k.arm_id, k.currency, k.figure)
      where coalesce(k.amount, 0) <> coalesce(d.amount, 0)`,
    reads,
  )
}

t.test('from the first basket on all sales of a member count, with a discount or without', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment()])
  const anna = await enrol(lab)
  await sell(lab, anna, { paid: 500 })
  const first = await sell(lab, anna, { paid: 700, gave: '[["beer",300],["cake",40]]', entered: inArm('open') })
  await sumAll(lab)
  await sell(lab, anna, { paid: 900 })
  await sell(lab, anna, { paid: 100, status: 'unchanged' })
  await sell(lab, await enrol(lab), { paid: 4_000 })
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), {
    ...{ members: 1, visits: 3, net: 1_700, discount: 340, given: 300 },
    ...{ metric: 1_700, metricSquared: 1_700 ** 2, givenSquared: 300 ** 2, metricByGiven: 1_700 * 300 },
  })
  t.same(await sumsOf(lab, 'holdout'), {})
  done(await giveBack(lab.ledger, first, [[0, 1_000]]))
  await sumAll(lab)
  t.match(
    await sumsOf(lab, 'open'),
    { visits: 3, net: 1_000, refunded: 700, metricSquared: 1_000 ** 2 },
    'less a return',
  )
  t.equal((await sumsOf(lab, 'open'))['given'], undefined, 'and what was given on it')
  t.same(await astray(lab), [])
})

t.test('a basket that is not sold enters its member, in every arm alike', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment()])
  const [anna, ben] = [await enrol(lab), await enrol(lab)]
  for (const [memberId, arm] of [
    [anna, 'open'],
    [ben, 'holdout'],
  ] as const) {
    await lab.ledger.calculations.store([aRecord(lab.ledger, { memberId, entered: inArm(arm), status: 'unchanged' })])
    await sell(lab, memberId, { paid: 250, status: 'unchanged' })
  }
  await sumAll(lab)
  for (const arm of ['open', 'holdout']) t.match(await sumsOf(lab, arm), { members: 1, visits: 1, net: 250 })
})

t.test('what a member paid in the 8 weeks before its entry is known of one that came before them', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment()])
  const [anna, ben] = [await enrol(lab), await enrol(lab)]
  const now = lab.ledger.clock()
  await sell(lab, anna, { paid: 3_000, answeredAt: now - 9 * weekMs })
  await sell(lab, anna, { paid: 600, answeredAt: now - 7 * weekMs })
  const back = await sell(lab, anna, { paid: 50, answeredAt: now - weekMs })
  done(await giveBack(lab.ledger, back, [[0, 1_000]]))
  await sell(lab, ben, { paid: 900, answeredAt: now - 7 * weekMs })
  for (const memberId of [anna, ben]) await sell(lab, memberId, { paid: 10, entered: inArm('open') })
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), {
    members: 2,
    past: 1,
    spend: 600,
    spendSquared: 360_000,
    metricBySpend: 6_000,
    net: 20,
  })
})

t.test('sales in another currency are visits without money, repeated and cancelled ones nothing', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment({ metric: 'visits' })])
  const anna = await enrol(lab)
  const first = await sell(lab, anna, { paid: 100, entered: inArm('holdout') })
  await sell(lab, anna, { paid: 7_000, currency: 'NOK' })
  const again = aRecord(lab.ledger, { memberId: anna })
  await lab.ledger.calculations.store([again])
  const { transactionId } = aSale(first)
  await lab.ledger.sales.record(aSale(again, { paidTotal: 100, transactionId }), eventBody)
  await sell(lab, anna, { isEarly: true, paid: 20 })
  await sumAll(lab)
  t.match(await sumsOf(lab, 'holdout'), { members: 1, visits: 3, net: 120, metric: 3, metricSquared: 9 })
  t.same(await sumsOf(lab, 'holdout', 'NOK'), {})
  t.same(await astray(lab), [])
})

t.test('an experiment has the sales between its begin and its end, with their returns', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment()])
  const anna = await enrol(lab)
  const within = await sell(lab, anna, { paid: 500, entered: inArm('open') })
  await publish(lab, [])
  await sell(lab, anna, { paid: 300 })
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), { net: 500 })
  await publish(lab, [anExperiment()])
  await sell(lab, anna, { paid: 40 })
  done(await giveBack(lab.ledger, within, [[0, 1_000]]))
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), { net: 40, refunded: 500, visits: 2 })
})

t.test('a running experiment is not changed by a programme, but ended', async (t) => {
  const lab = await anEmptyLedger(t)
  const later = Date.parse('2099-01-01T00:00:00Z')
  await publish(lab, [anExperiment({ until: later }), anExperiment({ experimentId: 'planned', from: later })])
  const faultsOf = async (experiment: Partial<Experiment>) => {
    const reply = await publish(lab, [anExperiment({ until: later, ...experiment })])
    return 'faults' in reply ? reply.faults.map(({ path }) => path) : []
  }
  t.same(await faultsOf({ metric: 'visits' }), ['experiments[0]'])
  t.same(await faultsOf({ until: null }), ['experiments[0].until'])
  t.same(await faultsOf({ arms: anExperiment().arms.toReversed() }), ['experiments[0]'])
  t.same(await faultsOf({ experimentId: 'planned', metric: 'visits' }), [], 'one that has not begun')
  t.same(await faultsOf({ until: later - 1, name: 'New name' }), [], 'an earlier end, and another name')
  t.same(await faultsOf({ until: Date.parse('2026-02-01T00:00:00Z') }), [], 'an end that has passed')
  const ended = await lab.ledger.experiments.find('happy')
  t.ok(ended!.endsAt! <= lab.ledger.clock(), 'ends it now')
})

t.test('a member is in the same arm in SQL and in the gateway', async (t) => {
  const lab = await anEmptyLedger(t)
  const arms = [1, 249_999, 250_000, 500_000].map((percentage, at) => ({
    armId: `arm-${at}`,
    percentage,
    benefitIds: ['beer'],
  }))
  const experiment = anExperiment({ experimentId: 'b\u00f8ker', arms })
  await publish(lab, [experiment])
  const { key } = (await lab.ledger.programmes.newest())!
  const assigned = createArms([experiment], key)
  const members = Array.from({ length: 500 }, (_, at) => `member-\u00e6-${at}`)
  const rows = await lab.database.run<{ member: string; arm: string }>(
    sql`
      select m.id as member, experiment_arm(e, m.id) as arm
      from experiment e, json_array_elements_text(${JSON.stringify(members)}::text::json) m (id)`,
    reads,
  )
  t.same(
    rows.map(({ arm }) => arm),
    members.map((member) => assigned.of(member)!['b\u00f8ker']),
  )
  t.equal(new Set(rows.map(({ arm }) => arm)).size, 3)
})

t.test('a merged member goes on in the arm of the survivor; seen in two arms it is left out', async (t) => {
  const lab = await anEmptyLedger(t)
  const experiment = anExperiment()
  await publish(lab, [experiment])
  const arms = createArms([experiment], (await lab.ledger.programmes.newest())!.key)
  const enrolIn = async (arm: string): Promise<string> => {
    const member = await enrol(lab)
    return arms.of(member)!['happy'] === arm ? member : await enrolIn(arm)
  }
  const shop = async (member: string, paid: number) => {
    const arm = arms.of(member)!['happy']!
    return await sell(lab, member, { paid, entered: inArm(arm), gave: arm === 'open' ? '[["beer",7]]' : null })
  }
  const open = await Promise.all([1, 2, 3, 4].map(() => enrolIn('open')))
  const held = await Promise.all([1, 2].map(() => enrolIn('holdout')))
  for (const [at, member] of open.slice(0, 3).entries()) await shop(member, 100 * (at + 1))
  for (const member of held) await shop(member, 50)
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), { members: 3, net: 600, metricSquared: 140_000 })

  t.match(await merge(lab, open[0]!, open[1]!), { kind: 'done' })
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), { members: 2, net: 600, metricSquared: 180_000, given: 21 }, 'the same arm')
  t.match(await merge(lab, open[2]!, open[3]!), { kind: 'done' })
  await shop(open[3]!, 1_000)
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), { members: 2, net: 1_600 }, 'one that had not entered takes its place')
  t.match(await merge(lab, open[1]!, held[0]!), { kind: 'done' })
  await shop(held[0]!, 5_000)
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), { members: 1, net: 1_300 })
  t.match(await sumsOf(lab, 'holdout'), { members: 1, net: 50, withheldBaskets: 2 })
  t.equal((await lab.ledger.experiments.find('happy'))!.leftOut, 1)
  t.match(await merge(lab, held[1]!, await enrolIn('open')), { kind: 'done' })
  t.same(
    [(await sumsOf(lab, 'holdout'))['members'], (await lab.ledger.experiments.find('happy'))!.leftOut],
    [undefined, 2],
    'into a member that would be in the other arm',
  )
  t.same(await astray(lab), [])
})

t.test('a member merged into one of a global holdout is left out of other experiments', async (t) => {
  const lab = await anEmptyLedger(t)
  const global = { experimentId: 'global-holdout-5', name: 'Global holdout', from: null, arms: aHoldout(50_000, null) }
  const experiments = [anExperiment(), anExperiment(global)]
  await publish(lab, experiments)
  const { key } = (await lab.ledger.programmes.newest())!
  const [all, alone] = [createArms(experiments, key), createArms([anExperiment()], key)]
  let survivor = await enrol(lab)
  while (all.of(survivor)!['global-holdout-5'] !== 'holdout') survivor = await enrol(lab)
  const anna = await enrol(lab)
  await sell(lab, anna, { entered: inArm(alone.of(survivor)!['happy']!) })
  await sumAll(lab)
  await merge(lab, anna, survivor)
  t.equal((await lab.ledger.experiments.find('happy'))!.leftOut, 1)
  t.same(await astray(lab), [])
})

t.test('a forgotten member stays in the sums without its name', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment()])
  const anna = await enrol(lab)
  const sold = await sell(lab, anna, { paid: 500, entered: inArm('open') })
  await sumAll(lab)
  t.match(await lab.ledger.experiments.findOfMember(anna), [{ experimentId: 'happy', armId: 'open' }])
  await lab.ledger.members.forget(aValueCommand(), anna, [])
  done(await giveBack(lab.ledger, sold, [[0, 1_000]]))
  await sumAll(lab)
  t.match(await sumsOf(lab, 'open'), { members: 1, net: 500 })
  const rows = await lab.database.run<{ id: string }>(sql`select member_id as id from experiment_member`, reads)
  t.match(rows, [{ id: /^forgotten-/ }])
  t.same(await astray(lab), [])
})

t.test('what withheld baskets would have got counts once', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment()])
  const anna = await enrol(lab)
  await sell(lab, anna, { entered: inArm('holdout') })
  await sell(lab, anna, { entered: inArm('holdout') })
  await sell(lab, anna, { entered: inArm('holdout', false) })
  await sumAll(lab)
  t.match(await lab.ledger.experiments.find('happy'), { waiting: [{ armId: 'holdout', currency: 'EUR', baskets: 2 }] })
  t.ok(await isDue(lab.ledger, 'withheld'))
  const leased = await lab.ledger.experiments.leaseWithheld(10)
  t.equal(leased.length, 2)
  t.same(await lab.ledger.experiments.leaseWithheld(10), [])
  t.notOk(await isDue(lab.ledger, 'withheld'))
  for (const amount of [90, 5]) await lab.ledger.experiments.priceWithheld(leased[0]!, amount)
  await lab.ledger.experiments.priceWithheld(leased[1]!, null)
  t.match(await sumsOf(lab, 'holdout'), { withheld: 90, withheldBaskets: 2, unpricedBaskets: 1 })
  t.same((await lab.ledger.experiments.find('happy'))!.waiting, [])
})

/** A history by which a mistake shows: members of both arms, sales with and without a discount, and a return. */
async function isAsSold(lab: Lab): Promise<boolean> {
  const anna = await enrol(lab)
  const before = await sumsOf(lab, 'open')
  await sell(lab, anna, { paid: 100, entered: inArm('open'), status: 'unchanged' })
  const second = await sell(lab, anna, { paid: 300, gave: '[["beer",20]]', entered: inArm('open') })
  done(await giveBack(lab.ledger, second, [[0, 1_000]]))
  await sumAll(lab)
  const after = await sumsOf(lab, 'open')
  const gained = (figure: string) => (after[figure] ?? 0) - (before[figure] ?? 0)
  return gained('members') === 1 && gained('net') === 100 && gained('visits') === 2 && (await astray(lab)).length === 0
}

const mistakes: Readonly<Record<string, readonly Edit[]>> = {
  'a member enters only with a discount': [
    ['enter_experiments', 'c.member_id is not null', 'c.member_id is not null and c.gave is not null'],
  ],
  'sales count only with a discount': [
    ['counts_in', 'select is_visit(p_sale)', 'select p_calculation.gave is not null'],
  ],
  'returns are dropped': [['make_return', 'where m.member_id = c.member_id', 'where false']],
  'squares are of sales, not of members': [
    ['member_figures', "('metricSquared', m.y * m.y)", "('metricSquared', m.y)"],
  ],
  'a return is a visit less': [['changed_by', 'v_gains.visits := p_visits', 'v_gains.visits := 2 * p_visits - 1']],
}

t.test('planted mistakes show', async (t) => {
  const lab = await anEmptyLedger(t)
  await publish(lab, [anExperiment()])
  t.ok(await isAsSold(lab))
  for (const [title, edits] of Object.entries(mistakes)) {
    const repair = await plantMistake(lab as unknown as Played, edits)
    const isSquares = title.startsWith('squares')
    const asSold = await isAsSold(lab)
    const squares = (await sumsOf(lab, 'open'))['metricSquared']
    t.notOk(isSquares ? squares === 20_000 : asSold, title)
    await repair()
  }
})
