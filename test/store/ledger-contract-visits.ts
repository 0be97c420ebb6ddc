import type { Test } from 'tap'
import type { SaleEvent } from '../../engine/index.js'
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
} from './ledger-builders.js'
import { aValueCommand } from './value-builders.js'

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
    t.equal(await visitsOf(ids.memberId), 1, 'nobody knows whose they are')
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
    await ledger.sales.record(aSale(aRecord(ledger), { status: 'failed', loyaltyId: 'nobody-s' }), eventBody, 'unknown')
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
