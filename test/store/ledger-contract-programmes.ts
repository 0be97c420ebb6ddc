import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { StoredMember } from '../../store/ledger/members.js'
import type { PublishedProgramme } from '../../store/ledger/programmes.js'
import type { StoredVenue } from '../../store/ledger/venues.js'
import { sql } from '../../store/postgres/connection/sql.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { changesMax } from '../../store/postgres/upkeep/gateways.js'
import { pruneChanges } from '../../store/postgres/upkeep/retention.js'
import { aMember, aVenue, digestOf, plenty, type Subject } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { aValueCommand } from './value-builders.js'

const hostile = 'U+0000 \0, a lone \ud800, a quote \' and a "\\'

/** Programme versions, venues, members and the feed of changes. Runs first: the ledger is empty. */
export async function programmePromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject

  await t.test('an empty ledger has no programme, venue, member or change', async (t) => {
    t.equal(await ledger.programmes.newest(), null)
    t.equal(await ledger.programmes.lookUp(1), null)
    t.equal(await ledger.venues.lookUp('venue-1'), null)
    t.equal(await ledger.members.lookUp('card-1'), null)
    t.same(await ledger.changes.since(0), { revision: 0, changes: [] })
  })

  await t.test(
    'a file is published into an empty ledger once, however it is written, and when it has changed',
    async (t) => {
      const benefits = '[{"benefitId":"a","text":"\\u0000 \\ud800"}]'
      const file = (document: string) => ({ ...aProgramme(), benefits, document })
      t.same(await ledger.programmes.publishFile(file('{"benefits":[1],"venues":[]}')), {
        version: 1,
        published: true,
        because: 'ledger_empty',
        publishedBy: 'start',
      })
      const rewritten = ' { "venues" : [ ], "benefits" : [ 1.0 ] } '
      t.match(await ledger.programmes.publishFile(file(rewritten)), {
        version: 1,
        published: false,
        because: 'file_unchanged',
      })
      t.match(await ledger.programmes.publishFile(file('{"benefits":[2]}')), {
        version: 2,
        published: true,
        because: 'file_changed',
      })
      t.match(await ledger.programmes.publishFile(file(rewritten)), { version: 3, published: true })
      t.same(await ledger.programmes.lookUp(1), { version: 1, benefits })
      t.equal((await ledger.programmes.newest())?.version, 3)
      t.match(await ledger.programmes.publishFile(file('{}'), true), {
        version: 3,
        published: false,
        because: 'not_empty',
      })
    },
  )

  await t.test('what was published or rolled back otherwise outlives a file that has not changed', async (t) => {
    const file = { ...aProgramme(), document: '{"the":"file"}', benefits: '["file"]' }
    const { version } = await ledger.programmes.publishFile(file)
    const call = { digest: digestOf('x'), call: 'test', actor: 'editor' }
    const order = () => ({ ...call, requestId: randomUUID() })
    const other = prepareProgramme({ ...aProgramme(), document: '{"the":"editor"}', benefits: '["editor"]' })
    t.match(await ledger.programmes.publish(order(), other, version), { published: true })
    const unchanged = { published: false, because: 'file_unchanged', publishedBy: 'editor' }
    t.match(await ledger.programmes.publishFile(file), { ...unchanged, version: version + 1 })
    t.match(await ledger.programmes.rollBack(order(), 1, version + 1), { published: true })
    t.match(await ledger.programmes.publishFile(file), { ...unchanged, version: version + 2 })
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => ledger.programmes.publishFile({ ...file, document: '{"the":"new file"}' })),
    )
    t.equal(replies.filter(({ published }) => published).length, 1, 'gateways that start at once publish it once')
    t.match(
      await ledger.programmes.publishFile(file),
      { version: version + 4, because: 'file_changed' },
      'as an older file',
    )
    await ledger.programmes.publish(order(), other, version + 4)
    const same = { ...aProgramme(), document: '{"the":"editor"}', benefits: '["editor"]' }
    t.match(await ledger.programmes.publishFile(same), {
      version: version + 5,
      published: false,
      because: 'file_in_force',
    })
    t.match(await ledger.programmes.publishFile(same), { because: 'file_unchanged' })
  })

  await t.test('each change of a benefit is listed with its version, however the document is written', async (t) => {
    const by = { digest: digestOf('x'), call: 'test', actor: 'editor' }
    const newest = async () => (await ledger.programmes.newest())?.version ?? 0
    const publish = async (benefits: readonly object[], indent = 0) => {
      const document = JSON.stringify({ venues: [], benefits }, null, indent)
      const programme = prepareProgramme({ ...aProgramme(), document, benefits: JSON.stringify(benefits) })
      const reply = await ledger.programmes.publish({ ...by, requestId: randomUUID() }, programme, await newest())
      return reply.kind === 'done' ? reply.version : 0
    }
    const [bun, cake] = [{ benefitId: 'bun' }, { benefitId: 'cake', text: 'Cake' }]
    const first = await publish([bun, cake])
    await publish(
      [
        { ...bun, enabled: false },
        { text: 'Cake', benefitId: 'cake' },
      ],
      2,
    )
    const third = await publish([cake])
    await ledger.programmes.rollBack({ ...by, requestId: randomUUID() }, first, third)
    const said = async (benefitId: string | null, limit = 9) =>
      (await ledger.programmes.listBenefitChanges(benefitId, limit)).map(({ benefitId: id, kind, facts }) => [
        ...[id, kind, facts.version - first],
        facts.publishedBy,
      ])
    t.same(await said('bun'), [
      ['bun', 'added', 3, 'editor'],
      ['bun', 'removed', 2, 'editor'],
      ['bun', 'changed', 1, 'editor'],
      ['bun', 'added', 0, 'editor'],
    ])
    t.same(await said('bun', 1), [['bun', 'added', 3, 'editor']])
    t.same(await said('cake'), [['cake', 'added', 0, 'editor']])
    const last = await said(null)
    const own = last.filter(([id]) => id === 'bun' || id === 'cake')
    t.same(own, [...(await said('bun', 1)), ...(await said('cake'))], 'the last one of each')
    t.same(await said('\0'), [])
  })

  await t.test('gateways that publish one programme at once publish it once', async (t) => {
    const document = '{"at":"once"}'
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => ledger.programmes.publishFile({ ...aProgramme(), document })),
    )
    t.equal(replies.filter(({ published }) => published).length, 1)
    t.equal(new Set(replies.map(({ version }) => version)).size, 1)
  })

  await factPromises(t, subject)
}

/** Venues, members, and notices of their changes. */
async function factPromises(t: Test, subject: Subject): Promise<void> {
  const { ledger } = subject

  await t.test('venues and members come back as they were published, hostile texts too', async (t) => {
    const product = {
      productId: 'p',
      name: hostile,
      unitPrice: Number.MAX_SAFE_INTEGER,
      productGroupId: null,
      productMasterId: null,
      ean: null,
      noDiscount: false,
      noPercentageDiscount: true,
    }
    const venue = aVenue({ name: hostile, products: [product], baxIds: ['b2', 'b1'] })
    const member = aMember({ loyaltyIds: ['z', 'ü', '\u{1f600}'], tier: hostile, segments: ['s'], blocked: true })
    await publish(ledger, [venue], [member])
    t.same(await ledger.venues.lookUp(venue.venueId), { ...venue, baxIds: ['b1', 'b2'] })
    for (const loyaltyId of member.loyaltyIds) t.same(await ledger.members.lookUp(loyaltyId), member)
    t.equal(await ledger.members.lookUp('U'), null)
    t.equal(await ledger.members.lookUp('\0'), null)
    t.equal(await ledger.venues.lookUp('\ud800'), null)
  })

  await t.test(
    'a baxId and a loyaltyId belong to whoever named them last, and both sides are notified as changed',
    async (t) => {
      const [from, to] = [aVenue({ baxIds: ['moving', 'staying'] }), aVenue({ baxIds: ['own'] })]
      const [giver, taker] = [aMember({ loyaltyIds: ['given', 'kept'] }), aMember({ loyaltyIds: ['taken'] })]
      await publish(ledger, [from, to], [giver, taker])
      const { revision } = await ledger.changes.since(0)
      await publish(ledger, [{ ...to, baxIds: ['moving'] }], [{ ...taker, loyaltyIds: ['given'] }])
      t.same((await ledger.venues.lookUp(from.venueId))?.baxIds, ['staying'])
      t.same((await ledger.venues.lookUp(to.venueId))?.baxIds, ['moving'])
      t.same((await ledger.members.lookUp('given'))?.memberId, taker.memberId)
      t.same((await ledger.members.lookUp('kept'))?.loyaltyIds, ['kept'])
      t.equal(await ledger.members.lookUp('taken'), null)
      const { changes } = await ledger.changes.since(revision)
      const idsOf = (kind: string) => (changes ?? []).filter((change) => change.kind === kind).map(({ id }) => id)
      t.same(idsOf('venue').sort(), [from.venueId, to.venueId].sort())
      t.same(idsOf('member').sort(), ['given', 'kept', 'taken'])
      t.equal(idsOf('programme').length, 1)
    },
  )

  await t.test('a publication leaves a venue as it was set since where its document does not change it', async (t) => {
    const venue = aVenue({ baxIds: [] })
    const set = { ...venue, name: 'Set since' }
    const name = async () => (await ledger.venues.lookUp(venue.venueId))?.name
    await publish(ledger, [venue], [])
    t.match(await ledger.venues.store(aValueCommand(), set), { kind: 'done' })
    await publish(ledger, [venue], [])
    t.equal(await name(), set.name)
    await publish(ledger, [{ ...venue, name: 'Published' }], [])
    t.equal(await name(), 'Published')
    await ledger.venues.store(aValueCommand(), set)
    await publish(ledger, [], [])
    t.equal(await name(), set.name, 'not named')
    await publish(ledger, [{ ...venue, name: 'Published' }], [])
    t.equal(await name(), 'Published', 'named anew')
    const first = (await ledger.programmes.find(null, false))!.facts.version
    await publish(ledger, [{ ...venue, name: 'Published later' }], [], '["later"]')
    await ledger.venues.store(aValueCommand(), set)
    t.match(await ledger.programmes.rollBack(aValueCommand(), first, first + 1), { kind: 'done', version: first + 2 })
    await publish(ledger, [{ ...venue, name: 'Published' }], [])
    t.equal(await name(), set.name, 'as the version has it that was rolled back to')
  })

  await t.test(
    'a venue that a publication leaves alone gets back a baxId that it takes from another, and no other',
    async (t) => {
      const [taker, giver] = [aVenue({ baxIds: ['own-1'] }), aVenue({ baxIds: ['own-2', 'ended'] })]
      await publish(ledger, [taker, giver], [])
      await ledger.venues.store(aValueCommand(), { ...taker, baxIds: ['own-1', 'own-2'] })
      await ledger.venues.store(aValueCommand(), { ...giver, name: 'Set since', baxIds: [] })
      await publish(ledger, [{ ...taker, name: 'New' }, giver], [])
      t.match(await ledger.venues.lookUp(taker.venueId), { name: 'New', baxIds: ['own-1'] })
      t.match(await ledger.venues.lookUp(giver.venueId), { name: 'Set since', baxIds: ['own-2'] })
    },
  )

  await changePromises(t, subject)
}

async function changePromises(t: Test, { ledger, database }: Subject): Promise<void> {
  await t.test('publishing what is there already tells only of the programme', async (t) => {
    const [venue, member] = [aVenue(), aMember()]
    await publish(ledger, [venue], [member])
    const { revision } = await ledger.changes.since(0)
    await publish(ledger, [venue], [member])
    const { revision: now, changes } = await ledger.changes.since(revision)
    t.match(changes, [{ kind: 'programme' }])
    t.equal(changes?.length, 1)
    await publish(ledger, [{ ...venue, name: 'New' }], [{ ...member, tier: 'gold' }])
    t.match((await ledger.changes.since(now)).changes, [
      { kind: 'programme' },
      { kind: 'venue', id: venue.venueId },
      { kind: 'member', id: member.loyaltyIds[0] },
    ])
  })

  await t.test('whoever is too far behind, or ahead, is notified to start anew', async (t) => {
    const { revision } = await ledger.changes.since(0)
    t.same((await ledger.changes.since(revision)).changes, [])
    t.equal((await ledger.changes.since(revision + 1)).changes, null)
    const loyaltyIds = Array.from({ length: changesMax + 1 }, (_, at) => `many-${at}`)
    await publish(ledger, [], [aMember({ loyaltyIds })])
    t.equal((await ledger.changes.since(revision)).changes, null)
    t.equal((await ledger.changes.since(revision + 2)).changes?.length, changesMax)
    await database.run(sql`update change set changed_at = changed_at - interval '1 year'`, {
      effect: 'writes',
      withinMs: plenty,
    })
    await pruneChanges(database)
    const pruned = await ledger.changes.since(revision + 2)
    t.equal(pruned.changes, null)
    t.same((await ledger.changes.since(pruned.revision)).changes, [])
  })
}

let documents = 0

/** Publishes a new document. */
function publish(
  ledger: Ledger,
  venues: readonly StoredVenue[],
  members: readonly StoredMember[],
  benefits = aProgramme().benefits,
) {
  documents += 1
  return ledger.programmes.publishFile({
    ...aProgramme(),
    document: `{"number":${documents}}`,
    benefits,
    venues,
    members,
  })
}

function aProgramme(): PublishedProgramme {
  return { document: '{}', benefits: '[]', venues: [], members: [] }
}
