import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { counterKey } from '../../engine/core/base/outcome.js'
import type { PublishedLimit } from '../../store/ledger/programmes.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { aRecord, aVenue, aWant, plenty, readState, type Subject } from '../support/ledger-builders.js'
import { aValueCommand } from './value-builders.js'

/** Units taken of limits, and units that a superseding calculation releases. */
export async function limitPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject

  await t.test('an untouched counter is all zero, in the requested order', async (t) => {
    const [left, right] = [aWant({ subject: 'm' }), aWant({ period: '2026-11' })]
    t.same(
      await ledger.counters.lookUp([right, left]),
      [right, left].map(({ limitId, subject, period }) => ({ limitId, subject, period, used: 0, open: 0 })),
    )
    t.same(await ledger.counters.lookUp([]), [])
  })

  await t.test('a confirmation holds units of each of its counters', async (t) => {
    const holds = [aWant({ units: 3 }), aWant({ subject: 'venue-1', period: '2026-W47', units: 2 })]
    t.same(await ledger.calculations.confirm(aRecord(ledger, { holds }), plenty), { kind: 'confirmed' })
    t.match(await ledger.counters.lookUp(holds), [{ open: 3 }, { open: 2 }])
  })

  await t.test('a limit is taken to its last unit and not past it', async (t) => {
    const want = aWant({ units: 2, maximum: 5 })
    t.same(await ledger.calculations.confirm(aRecord(ledger, { holds: [want] }), plenty), { kind: 'confirmed' })
    t.same(await ledger.calculations.confirm(aRecord(ledger, { holds: [want] }), plenty), { kind: 'confirmed' })
    const short = aRecord(ledger, { holds: [want] })
    t.same(await ledger.calculations.confirm(short, plenty), { kind: 'short', left: { [counterKey(want)]: 1 } })
    t.same(await ledger.calculations.findAnswer(short.calculationId), { kind: 'unknown' })
    t.same(await ledger.calculations.confirm({ ...short, holds: [{ ...want, units: 1 }] }, plenty), {
      kind: 'confirmed',
    })
    t.match(await ledger.counters.lookUp([want]), [{ used: 0, open: 5 }])
  })

  await t.test('money is exact as far as integers are', async (t) => {
    const maximum = Number.MAX_SAFE_INTEGER
    const want = aWant({ units: maximum - 2, maximum })
    const first = aRecord(ledger, { holds: [want] })
    t.same(await ledger.calculations.confirm(first, plenty), { kind: 'confirmed' })
    const short = aRecord(ledger, { holds: [{ ...want, units: 3 }] })
    t.same(await ledger.calculations.confirm(short, plenty), { kind: 'short', left: { [counterKey(want)]: 2 } })
    t.match(await ledger.counters.lookUp([want]), [{ open: maximum - 2 }])
  })

  await t.test('with one counter short nothing is taken, and every counter returns its units left', async (t) => {
    const [ample, gone] = [aWant({ maximum: 9 }), aWant({ maximum: 1 })]
    await ledger.calculations.confirm(aRecord(ledger, { holds: [gone] }), plenty)
    const reply = await ledger.calculations.confirm(aRecord(ledger, { holds: [ample, gone] }), plenty)
    t.same(reply, { kind: 'short', left: { [counterKey(ample)]: 9, [counterKey(gone)]: 0 } })
    t.match(await ledger.counters.lookUp([ample, gone]), [{ open: 0 }, { open: 1 }])
  })

  await t.test('a maximum lowered below the held units leaves 0', async (t) => {
    const want = aWant({ units: 4 })
    await ledger.calculations.confirm(aRecord(ledger, { holds: [want] }), plenty)
    const reply = await ledger.calculations.confirm(aRecord(ledger, { holds: [{ ...want, maximum: 2 }] }), plenty)
    t.same(reply, { kind: 'short', left: { [counterKey(want)]: 0 } })
    t.same(await ledger.calculations.confirm(aRecord(ledger, { holds: [{ ...want, maximum: 8 }] }), plenty), {
      kind: 'confirmed',
    })
  })

  await supersedePromises(t, subject)
}

/** Units that a superseding calculation releases. */
async function supersedePromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('a basket never competes with itself: superseded units are free for it', async (t) => {
    const want = aWant({ units: 2, maximum: 3 })
    const other = aWant()
    const old = aRecord(ledger, { holds: [want, other] })
    await ledger.calculations.confirm(old, plenty)
    const supersedesCalculationId = old.calculationId
    const reply = await ledger.calculations.confirm(
      aRecord(ledger, { supersedesCalculationId, holds: [{ ...want, units: 4 }] }),
      plenty,
    )
    t.same(reply, { kind: 'short', left: { [counterKey(want)]: 3 } }, 'short, and what it would release counts as left')
    t.equal(await readState(database, old.calculationId), 'open')
    const fresh = aRecord(ledger, { supersedesCalculationId, holds: [{ ...want, units: 3 }] })
    t.same(await ledger.calculations.confirm(fresh, plenty), { kind: 'confirmed' })
    t.equal(await readState(database, old.calculationId), 'superseded')
    t.match(await ledger.counters.lookUp([want, other]), [{ open: 3 }, { open: 0 }])
  })

  await t.test('a superseded calculation stays superseded when its successor is withdrawn', async (t) => {
    const old = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(old, plenty)
    const fresh = aRecord(ledger, { supersedesCalculationId: old.calculationId })
    await ledger.calculations.confirm(fresh, plenty)
    t.equal(await ledger.calculations.withdraw(fresh.calculationId), 'withdrawn')
    t.equal(await readState(database, old.calculationId), 'superseded')
    t.match(await ledger.counters.lookUp(old.holds), [{ open: 0 }])
    t.same(
      await ledger.calculations.confirm(fresh, plenty),
      { kind: 'confirmed' },
      'its repeat releases nothing and goes on',
    )
  })

  await t.test('a calculation of another venue, or a missing one, is not superseded', async (t) => {
    const old = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(old, plenty)
    const elsewhere = aRecord(ledger, { supersedesCalculationId: old.calculationId, venueId: 'venue-2' })
    t.same(await ledger.calculations.confirm(elsewhere, plenty), { kind: 'confirmed' })
    await ledger.calculations.store([
      aRecord(ledger, { supersedesCalculationId: old.calculationId, venueId: 'venue-3' }),
    ])
    t.equal(await readState(database, old.calculationId), 'open')
    t.match(await ledger.counters.lookUp(old.holds), [{ open: 1 }])
    const nowhere = aRecord(ledger, { supersedesCalculationId: randomUUID() })
    t.same(await ledger.calculations.confirm(nowhere, plenty), { kind: 'confirmed' })
  })

  await t.test('a journalled calculation releases the units of those it supersedes', async (t) => {
    const old = aRecord(ledger, { holds: [aWant()] })
    await ledger.calculations.confirm(old, plenty)
    await ledger.calculations.store([aRecord(ledger, { supersedesCalculationId: old.calculationId })])
    t.equal(await readState(database, old.calculationId), 'superseded')
    t.match(await ledger.counters.lookUp(old.holds), [{ open: 0 }])
  })

  await t.test('a calculation stored after its successor is superseded at once', async (t) => {
    for (const together of [true, false]) {
      const kept = aRecord(ledger)
      const confirmed = aRecord(ledger, { holds: [aWant()] })
      const later = [kept, confirmed].map(({ calculationId }) =>
        aRecord(ledger, { supersedesCalculationId: calculationId, answeredAt: ledger.clock() }),
      )
      await ledger.calculations.store(together ? [...later, kept] : later)
      await ledger.calculations.store([kept])
      await ledger.calculations.confirm(confirmed, plenty)
      t.equal(await readState(database, kept.calculationId), 'superseded')
      t.equal(await readState(database, confirmed.calculationId), 'superseded')
      t.match(await ledger.counters.lookUp(confirmed.holds), [{ open: 0 }])
    }
  })
}

/** Which limits may count money. */
export async function currencyPromises(t: Test, { ledger }: Subject): Promise<void> {
  await t.test('money is counted at venues of one currency, those included that are stored already', async (t) => {
    const [stored, added] = [`venue-${randomUUID()}`, `venue-${randomUUID()}`]
    const venueOf = (venueId: string, currency: string) => {
      return aVenue({ venueId, currency, baxIds: [`bax-${venueId}`], name: '"currency":"USD" \\ \0' })
    }
    await ledger.venues.store(aValueCommand(), venueOf(stored, 'NOK'))
    const file = (venueIds: readonly string[] | null, currency = 'SEK') => ({
      document: `{"once":"${randomUUID()}"}`,
      benefits: '[]',
      venues: [venueOf(added, currency)],
      members: [],
      limits: [aBudget(`budget-${randomUUID()}`, venueIds)],
    })
    const expected = 'no amount, since the benefit is open at venues of several currencies (NOK, SEK)'
    const faults = [{ path: 'benefits[4].limits[1].counts', expected, received: '"amount"' }]
    const faultsOf = (...file_: Parameters<typeof file>) =>
      ledger.programmes.findFaults(prepareProgramme(file(...file_)))
    t.same(await faultsOf([stored, added]), faults)
    t.match(await faultsOf(null), [{ path: 'benefits[4].limits[1].counts' }], 'open everywhere')
    for (const venueIds of [[stored], [added], ['elsewhere']]) t.same(await faultsOf(venueIds), [])
    t.same(await faultsOf([stored, added], 'NOK'), [])
    t.match(await ledger.programmes.publishFile(file([stored, added])), { because: 'faulty', published: false, faults })
    const { version } = (await ledger.programmes.newest())!
    const mixed = prepareProgramme(file([stored, added]))
    t.same(await ledger.programmes.publish(aValueCommand(), mixed, version), { kind: 'faulty', faults })
    t.match(await ledger.programmes.publish(aValueCommand(), prepareProgramme(file([added])), version), {
      published: true,
    })
    t.same(await faultsOf([stored, added], 'NOK'), [], 'the venues of a document replace those that are stored')
  })

  await t.test('a venue keeps the currency of a budget that others share, and a roll back looks again', async (t) => {
    const [one, other] = [`venue-${randomUUID()}`, `venue-${randomUUID()}`]
    const put = (venueId: string, currency: string) =>
      ledger.venues.store(aValueCommand(), aVenue({ venueId, currency, baxIds: [`bax-${venueId}`] }))
    const versionOf = async () => (await ledger.programmes.newest())!.version
    const publish = async (...limits: readonly PublishedLimit[]) => {
      const programme = { document: `{"once":"${randomUUID()}"}`, benefits: JSON.stringify([randomUUID()]) }
      const prepared = prepareProgramme({ ...programme, venues: [], members: [], limits })
      t.match(await ledger.programmes.publish(aValueCommand(), prepared, await versionOf()), { published: true })
      return await versionOf()
    }
    for (const venueId of [one, other]) t.match(await put(venueId, 'NOK'), { created: true })
    const budget = await publish(aBudget(`budget-${randomUUID()}`, [one, other]))
    const refused = { kind: 'mixed_money', path: 'benefits[4].limits[1].counts', currencies: ['NOK'] }
    t.same(await put(other, 'SEK'), refused)
    t.match(await ledger.venues.find(other), { currency: 'NOK' })
    t.match(await put(`venue-${randomUUID()}`, 'SEK'), { created: true }, 'not of the benefit')
    await publish()
    t.match(await put(other, 'SEK'), { changed: true }, 'the budget is over')
    t.match(await ledger.programmes.rollBack(aValueCommand(), budget, await versionOf()), {
      kind: 'faulty',
      faults: [{ path: refused.path, expected: /several currencies \(NOK, SEK\)/, received: '"amount"' }],
    })
    t.not(await versionOf(), budget)
    await put(other, 'NOK')
    t.match(await ledger.programmes.rollBack(aValueCommand(), budget, await versionOf()), { published: true })
    t.same(await put(other, 'SEK'), refused, 'it is in force again')
    await publish()
  })

  await t.test('the count of a limit is fixed once published', async (t) => {
    const limitId = `limit-${randomUUID()}`
    const file = (counts: PublishedLimit['counts']) => ({
      ...{ document: `{"once":"${randomUUID()}"}`, benefits: '[]', venues: [], members: [] },
      limits: [{ path: 'benefits[0].limits[0].counts', limitId, counts, venueIds: [] }],
    })
    const path = 'benefits[0].limits[0].counts'
    t.same(await ledger.programmes.findFaults(prepareProgramme(file('units'))), [])
    t.match(await ledger.programmes.publishFile(file('units')), { published: true })
    t.match(await ledger.programmes.publishFile(file('units')), { published: true })
    for (const counts of ['amount', 'baskets'] as const) {
      const faults = [{ path, expected: '"units", as published before', received: `"${counts}"` }]
      t.same(await ledger.programmes.findFaults(prepareProgramme(file(counts))), faults)
      t.match(await ledger.programmes.publishFile(file(counts)), { because: 'faulty', faults })
    }
  })
}

/** A limit of money. */
function aBudget(limitId: string, venueIds: readonly string[] | null): PublishedLimit {
  return { path: 'benefits[4].limits[1].counts', limitId, counts: 'amount', venueIds }
}
