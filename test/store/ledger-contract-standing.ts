import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { Dice } from '../support/dice.js'
import {
  aCancellation,
  aMember,
  aRecord,
  aSale,
  aWant,
  eventBody,
  pass,
  plenty,
  type Subject,
} from '../support/ledger-builders.js'
import { aClaim, aLadder, giveBack, publishRules, quoteBack, sellLines } from './return-builders.js'
import {
  anEarning,
  aValueCommand,
  eventsOf,
  gold,
  publishTiers,
  type RuleCount,
  silver,
  star,
} from './value-builders.js'

const terms = { effect: 'writes', withinMs: 10_000 } as const
const day = 86_400_000

/** Tiers that members reach and lose, each change announced once in the transaction of its cause. */
export async function tierEventPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject
  const { enrol, earn, changes, announce, setTier } = aTierTable(subject)

  await t.test('a sale that lifts a member into a tier announces it, the next one does not', async (t) => {
    await publishTiers(ledger, silver, gold)
    const { memberId } = await enrol()
    await earn(memberId, { give: 9 })
    t.same(await changes(memberId), [])
    await earn(memberId, { give: 1 })
    await earn(memberId, { give: 1 })
    t.same(await changes(memberId), [[null, 'silver']])
    await earn(memberId, { give: 89 })
    await announce()
    t.same(await changes(memberId), [
      [null, 'silver'],
      ['silver', 'gold'],
    ])
    const [first] = (await eventsOf(ledger, memberId)).filter(([type]) => type === 'tier.changed')
    const { until, ...body } = first![1] as { until: number }
    t.same(body, { tierId: 'silver', previousTierId: null })
    t.ok(
      until > ledger.clock() + 450 * day && until < ledger.clock() + 465 * day,
      '12 months to count and 3 to keep it',
    )
  })

  await t.test('a return that takes the tier away announces it; a quote does not', async (t) => {
    const { currencyId, named } = await publishRules(ledger, { stamp: { give: 1, per: { kind: 'units', every: 1 } } })
    await publishTiers(ledger, { ...silver, currencyId })
    const { memberId } = await enrol()
    const rules = [{ ...named('stamp'), lines: [0] }]
    const sale = await sellLines(ledger, memberId, { lines: [[10_000, 1_000]], rules })
    t.same(await changes(memberId), [[null, 'silver']])
    t.match(await quoteBack(ledger, sale, [[0, 1_000]]), { kind: 'done' })
    t.same(await changes(memberId), [[null, 'silver']])
    await giveBack(ledger, sale, [[0, 1_000]])
    await giveBack(ledger, sale, [[0, 1_000]])
    t.same(await changes(memberId), [
      [null, 'silver'],
      ['silver', null],
    ])
  })

  await t.test('sales in two currencies at once announce the tier that remains, once', async (t) => {
    await publishTiers(ledger, silver, star)
    const { memberId } = await enrol()
    await Promise.all([
      earn(memberId, { give: 10 }),
      earn(memberId, { ruleId: 'points', currencyId: 'points', give: 5 }),
    ])
    t.equal((await changes(memberId)).at(-1)?.[1], 'star')
    t.ok((await changes(memberId)).length <= 2)
  })

  await t.test('a sale of a calculation that comes later, and one that failed unknown', async (t) => {
    await publishTiers(ledger, silver)
    const [early, failed] = [await enrol(), await enrol()]
    const record = aRecord(ledger, { memberId: early.memberId, earning: anEarning([{ give: 10 }]) })
    await ledger.sales.record(aSale(record), eventBody)
    t.same(await changes(early.memberId), [])
    await ledger.calculations.store([record])
    t.same(await changes(early.memberId), [[null, 'silver']])
    const unknown = aSale(aRecord(ledger), { status: 'failed', loyaltyId: failed.card })
    const counted = { memberId: failed.memberId, earning: anEarning([{ give: 10 }]), isPartial: false }
    await ledger.sales.record(unknown, eventBody, counted)
    t.same(await changes(failed.memberId), [[null, 'silver']])
  })

  await t.test('a claimed sale, and a merge', async (t) => {
    await publishTiers(ledger, silver)
    const [claimer, into] = [await enrol(), await enrol()]
    const nobody = aRecord(ledger, {
      memberId: null,
      status: 'member_not_found',
      loyaltyDiscountTotal: 0,
      netAfter: 1_000,
    })
    await ledger.calculations.store([nobody])
    await ledger.sales.record(aSale(nobody), eventBody)
    const counted = aClaim(anEarning([{ give: 10, all: 1 }]), aLadder([[1_000, 100]], []))
    const claim = {
      member: { memberId: claimer.memberId },
      calculationId: nobody.calculationId,
      counted,
      ...{ isMove: false, isDryRun: false },
    }
    t.match(await ledger.sales.claim(aValueCommand(), claim), { kind: 'done' })
    t.same(await changes(claimer.memberId), [[null, 'silver']])
    const names = { from: { memberId: claimer.memberId }, into: { memberId: into.memberId }, venueLimits: [] }
    await ledger.members.merge(aValueCommand(), { ...names, isDryRun: true })
    t.same(await changes(into.memberId), [])
    await ledger.members.merge(aValueCommand(), { ...names, isDryRun: false })
    t.same(await changes(into.memberId), [[null, 'silver']])
  })

  await t.test('a tier that lapses is announced by the sweep, once', async (t) => {
    await publishTiers(ledger, silver, gold)
    const { memberId } = await enrol()
    await earn(memberId, { give: 100 })
    await letPass(subject, memberId, 13, 10)
    await announce()
    t.same((await changes(memberId)).at(-1), ['gold', 'silver'])
    await announce()
    t.equal((await changes(memberId)).length, 2)
    await letPass(subject, memberId, 16, 0)
    await announce()
    t.same((await changes(memberId)).at(-1), ['silver', null])
    t.equal((await changes(memberId)).length, 3)
  })

  await t.test('a tier that later sales keep is not announced again', async (t) => {
    await publishTiers(ledger, silver)
    const { memberId } = await enrol()
    await earn(memberId, { give: 10 })
    await letPass(subject, memberId, 16, 0)
    await earn(memberId, { give: 10 })
    await announce()
    t.same(await changes(memberId), [[null, 'silver']])
  })

  await t.test('a given tier that is the earned one changes nothing, and the earned one follows its end', async (t) => {
    await publishTiers(ledger, silver, gold)
    const { memberId } = await enrol()
    await earn(memberId, { give: 10 })
    await setTier(memberId, 'silver')
    t.same(await changes(memberId), [[null, 'silver']])
    await setTier(memberId, 'gold')
    await subject.database.run(
      sql`
      with ended as (update given_tier g set until = clock_timestamp() where g.member_id = ${memberId})
      update announced_tier a set lapses_at = clock_timestamp() where a.member_id = ${memberId}`,
      terms,
    )
    await announce()
    t.same((await changes(memberId)).slice(1), [
      ['silver', 'gold'],
      ['gold', 'silver'],
    ])
  })

  await t.test('a programme without tiers stores nothing, and a forgotten member leaves nothing', async (t) => {
    const [plain, gone] = [await enrol(), await enrol()]
    const stored = async (memberId: string) =>
      (await subject.database.run(sql`select 1 from announced_tier where member_id = ${memberId}`, terms)).length
    await publishTiers(ledger)
    await earn(plain.memberId, { give: 100 })
    t.equal(await stored(plain.memberId), 0)
    await publishTiers(ledger, silver)
    await setTier(gone.memberId, 'silver')
    t.equal(await stored(gone.memberId), 1)
    await ledger.members.forget(aValueCommand(), gone.memberId, [])
    t.equal(await stored(gone.memberId), 0)
  })
}

function aTierTable({ ledger }: Subject) {
  return {
    async enrol() {
      const member = aMember()
      await ledger.members.store(aValueCommand(), [member])
      return { memberId: member.memberId, card: member.loyaltyIds[0]! }
    },
    async earn(memberId: string, ...rules: readonly RuleCount[]) {
      const record = aRecord(ledger, { memberId, loyaltyId: null, earning: anEarning(rules) })
      await ledger.calculations.store([record])
      await ledger.sales.record(aSale(record), eventBody)
    },
    /** From which tier to which. */
    async changes(memberId: string): Promise<readonly (readonly [string | null, string | null])[]> {
      return (await eventsOf(ledger, memberId))
        .filter(([type]) => type === 'tier.changed')
        .map(([, body]) => body as { previousTierId: string | null; tierId: string | null })
        .map(({ previousTierId, tierId }) => [previousTierId, tierId])
    },
    async announce() {
      while ((await ledger.value.announce(100)) > 0);
    },
    setTier: (memberId: string, tierId: string) =>
      ledger.members.setTier(
        { ...aValueCommand(), requestId: randomUUID() },
        { member: { memberId }, given: { tierId, until: Math.floor(ledger.clock()) + day }, reason: 'match' },
      ),
  }
}

/** Makes a member's earning, and the announced tier, older. */
async function letPass({ database }: Subject, memberId: string, months: number, days: number): Promise<void> {
  await database.run(
    sql`
      with aged as (
        update earned e
        set recorded_at = clock_timestamp() - make_interval(months => ${months}::integer, days => ${days}::integer)
        from account a where a.member_id = ${memberId} and a.account_id = e.account_id
      )
      update announced_tier a set lapses_at = clock_timestamp() where a.member_id = ${memberId}`,
    terms,
  )
}

const seed = Number(process.env['SEED'] ?? 1)
const salesPerRun = 80

/** How many sales of a member were recorded. */
export async function visitPromises(t: Test, { ledger, hasty }: Subject): Promise<void> {
  const enrol = async () => {
    const member = aMember()
    await ledger.members.store(aValueCommand(), [member])
    return { memberId: member.memberId, loyaltyId: member.loyaltyIds[0]! }
  }
  const visitsOf = async (memberId: string) => (await ledger.members.findStanding(memberId)).visits

  await t.test('an applied, unchanged or failed sale is a visit, once; others are none', async (t) => {
    const ids = await enrol()
    const counts: readonly (readonly [SaleEvent['status'], number])[] = [
      ['applied', 1],
      ['unchanged', 2],
      ['failed', 3],
      ['member_not_found', 3],
    ]
    for (const [status, visits] of counts) {
      const record = aRecord(ledger, ids)
      await ledger.calculations.store([record])
      for (const times of [1, 2]) {
        await ledger.sales.record(aSale(record, { status }), eventBody)
        t.equal(await visitsOf(ids.memberId), visits, `${status} ${times}`)
      }
    }
    const abandoned = aRecord(ledger, ids)
    await ledger.calculations.store([abandoned])
    await ledger.sales.record(aCancellation(abandoned), eventBody)
    t.equal(await visitsOf(ids.memberId), 3)
  })

  await t.test('the last visit is when the newest sale was made, and no later than it was recorded', async (t) => {
    const [ids, other] = [await enrol(), await enrol()]
    const last = async (memberId: string) => {
      const { lastVisitAt } = await ledger.members.findHints(memberId)
      return lastVisitAt === null ? null : new Date(lastVisitAt).toISOString()
    }
    const sell = async (of: typeof ids, occurredAt: string, status: SaleEvent['status'] = 'applied') => {
      const record = aRecord(ledger, of)
      await ledger.calculations.store([record])
      await ledger.sales.record(aSale(record, { occurredAt, status }), eventBody)
    }
    t.equal(await last(ids.memberId), null)
    await sell(ids, '2026-06-15T10:00:00+02:00')
    t.equal(await last(ids.memberId), '2026-06-15T08:00:00.000Z')
    await sell(ids, '2026-06-14T10:00:00Z')
    await sell(ids, '2026-06-16T10:00:00Z', 'member_not_found')
    t.equal(await last(ids.memberId), '2026-06-15T08:00:00.000Z', 'neither an earlier one nor one that is no visit')
    await sell(other, '2026-06-17T10:00:00Z')
    const [from, into] = [other, ids].map(({ memberId }) => ({ memberId }))
    await ledger.members.merge(aValueCommand(), { from: from!, into: into!, venueLimits: [], isDryRun: false })
    t.equal(await last(ids.memberId), '2026-06-17T10:00:00.000Z')
    for (const occurredAt of ['9999-12-31T10:00:00Z', '0000-01-01T00:00:00Z']) {
      await sell(ids, occurredAt)
      const at = Date.parse((await last(ids.memberId))!)
      t.ok(Math.abs(at - ledger.clock()) < plenty, `${occurredAt}: ${new Date(at).toISOString()}`)
    }
  })

  await t.test('a late sale is a visit, and so is one that came before its calculation', async (t) => {
    const ids = await enrol()
    const late = aRecord(ledger, ids)
    await hasty.calculations.store([late])
    await pass(ledger, 1_100)
    await ledger.sales.record(aSale(late), eventBody)
    t.equal(await visitsOf(ids.memberId), 1)
    const early = [aRecord(ledger, ids), aRecord(ledger, { ...ids, holds: [aWant()] })] as const
    for (const record of early) await ledger.sales.record(aSale(record), eventBody)
    t.equal(await visitsOf(ids.memberId), 1, 'their member is not known')
    await ledger.calculations.store([early[0]])
    t.equal(await visitsOf(ids.memberId), 2)
    await ledger.calculations.confirm(early[1], plenty)
    t.equal(await visitsOf(ids.memberId), 3)
  })

  await t.test('a sale that failed for an unknown calculation is a visit of its member, once', async (t) => {
    const ids = await enrol()
    const record = aRecord(ledger, ids)
    await ledger.sales.record(aSale(record, { status: 'failed' }), eventBody, 'unknown')
    t.equal(await visitsOf(ids.memberId), 1)
    await ledger.calculations.store([record])
    t.equal(await visitsOf(ids.memberId), 1)
    const nameless = aRecord(ledger, ids)
    await ledger.sales.record(aSale(nameless, { status: 'failed', loyaltyId: null }), eventBody, 'unknown')
    t.equal(await visitsOf(ids.memberId), 1)
    await ledger.calculations.store([nameless])
    t.equal(await visitsOf(ids.memberId), 2)
    await ledger.sales.record(
      aSale(aRecord(ledger), { status: 'failed', loyaltyId: 'unknown-card' }),
      eventBody,
      'unknown',
    )
  })

  await t.test(`random sales in any order count as a model does, seed ${seed}`, async (t) => {
    const dice = new Dice(seed)
    const members = await Promise.all([enrol(), enrol(), enrol()])
    const counted = new Map(members.map(({ memberId }) => [memberId, 0]))
    const batches: ReturnType<typeof aRecord>[][] = [[], []]
    for (let sale = 0; sale < salesPerRun; sale += 1) {
      const ids = dice.pick(members)
      const status = dice.pick(['applied', 'unchanged', 'failed', 'cancelled', 'member_not_found'] as const)
      const record = aRecord(ledger, ids)
      const isEarly = dice.chance(0.5)
      if (!isEarly) await ledger.calculations.store([record])
      await ledger.sales.record(aSale(record, { status }), eventBody, 'unknown')
      if (isEarly) dice.pick(batches).push(record)
      const isVisit = status !== 'cancelled' && status !== 'member_not_found'
      if (isVisit) counted.set(ids.memberId, counted.get(ids.memberId)! + 1)
    }
    await Promise.all(batches.map((records) => ledger.calculations.store(records)))
    for (const [memberId, visits] of counted) t.equal(await visitsOf(memberId), visits)
  })
}
