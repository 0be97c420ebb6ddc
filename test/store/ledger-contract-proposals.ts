import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import type { Command } from '../../store/ledger/calls.js'
import type { PreparedProgramme, PublishedProgramme } from '../../store/ledger/programmes.js'
import { prepareProgramme } from '../../store/postgres/programmes/prepare-programme.js'
import { digestOf, type Subject } from '../support/ledger-builders.js'

/** Proposals that are published at a moment. */
export async function scheduledPromises(t: Test, { ledger }: Subject): Promise<void> {
  const { proposals, programmes } = ledger
  const newest = async () => (await programmes.find(null, false))?.facts.version ?? 0
  await t.test('a scheduled proposal is leased by one gateway, published once, and fails once', async (t) => {
    const schedule = { atMs: Date.now() - 1_000, timeZone: 'Europe/Oslo', acknowledgements: ['meant'] }
    const programme = aProgramme()
    const command = by('anna')
    const terms = { expectedVersion: await newest(), note: '', schedule }
    t.same(await proposals.propose(command, programme, terms), { kind: 'done', proposed: true })
    const proposalId = command.requestId
    const taken = await Promise.all([proposals.takeDue(60_000), proposals.takeDue(60_000)])
    const due = { proposalId, acknowledgements: ['meant'], isOwn: true, baseVersion: terms.expectedVersion }
    t.match(
      taken.toSorted((one) => (one === null ? 1 : -1)),
      [due, null],
    )
    t.match(await proposals.publishDue(proposalId, programme, terms.expectedVersion + 7), { kind: 'version_mismatch' })
    const version = terms.expectedVersion + 1
    const publications = [1, 2].map(() => proposals.publishDue(proposalId, programme, terms.expectedVersion))
    const kinds = (await Promise.all(publications)).map(({ kind }) => kind)
    t.same(kinds.toSorted(), ['done', 'proposal_not_open'])
    t.equal(await newest(), version)
    await proposals.fail(proposalId, 'PROGRAMME_FAULTY', 'too late')
    t.match((await proposals.find(proposalId, false))?.facts, { state: 'approved', version, failure: '' })

    const late = by('anna')
    await proposals.propose(late, aProgramme(), { ...terms, expectedVersion: version })
    t.match(await proposals.takeDue(0), { proposalId: late.requestId })
    t.match(await proposals.takeDue(0), { proposalId: late.requestId }, 'a gateway died, and another one takes it')
    for (const reason of ['first', 'second']) await proposals.fail(late.requestId, 'PROGRAMME_FAULTY', reason)
    t.match((await proposals.find(late.requestId, false))?.facts, { state: 'failed', reason: 'first' })
    const failed = await ledger.events.list({ memberId: '', type: 'publication.failed' }, { after: null, limit: 9 })
    t.equal(failed.filter(({ body }) => body.includes(late.requestId)).length, 1)
    t.equal(await proposals.takeDue(0), null)
  })
}

/** Proposals: published by another person than their author, or declined, once. */
export async function proposalPromises(t: Test, { ledger }: Subject): Promise<void> {
  const { proposals, programmes } = ledger
  const newest = async () => (await programmes.find(null, false))?.facts.version ?? 0
  const propose = async (programme: PreparedProgramme, actor = 'anna') => {
    const command = by(actor)
    const terms = { expectedVersion: await newest(), note: 'a "note"' }
    t.same(await proposals.propose(command, programme, terms), { kind: 'done', proposed: true })
    return { proposalId: command.requestId, command, terms }
  }

  await t.test('who has another label now is still the author', async (t) => {
    const programme = aProgramme()
    const { proposalId } = await propose(programme, 'anna (sub-1)')
    t.same(await proposals.approve(by('anne (sub-1)'), proposalId, programme), { kind: 'own_proposal' })
    t.match(await proposals.approve(by('anna (sub-2)'), proposalId, programme), { kind: 'done' })
  })

  await t.test('a token that has another role now is still the author', async (t) => {
    const programme = aProgramme()
    const { proposalId } = await propose(programme, 'marketing-0a1b2c3d')
    t.same(await proposals.approve(by('admin-0a1b2c3d'), proposalId, programme), { kind: 'own_proposal' })
    t.match(await proposals.approve(by('admin-0a1b2c3e'), proposalId, programme), { kind: 'done' })
  })

  await t.test('of several who approve at once one does', async (t) => {
    const programme = aProgramme()
    const { proposalId } = await propose(programme)
    const replies = await Promise.all(
      ['b', 'c', 'd', 'e'].map((actor) => proposals.approve(by(actor), proposalId, programme)),
    )
    t.equal(replies.filter(({ kind }) => kind === 'done').length, 1)
    t.equal(replies.filter(({ kind }) => kind === 'proposal_not_open').length, 3)
  })

  await t.test('proposals are listed newest first, and found by whom they name', async (t) => {
    const named = aProgramme({ document: '{"members":["card-of-the-proposal"]}' })
    const { proposalId } = await propose(named)
    const all = await proposals.list(null, { after: null, limit: 100 })
    t.equal(all[0]?.proposalId, proposalId)
    const [first, ...rest] = all
    t.same(await proposals.list(null, { after: [first!.proposedAtUs, first!.proposalId], limit: 100 }), rest)
    t.ok((await proposals.list('open', { after: null, limit: 100 })).every(({ state }) => state === 'open'))
    const zero = '00000000-0000-0000-0000-000000000000'
    const naming = []
    for (let after = zero; ; ) {
      const next = await proposals.findNaming(['card-of-the-proposal'], after)
      if (next === null) break
      naming.push(next)
      after = next.proposalId
    }
    t.same(
      naming.map((next) => next.proposalId),
      all.map((facts) => facts.proposalId).sort(),
    )
    t.same(
      naming.filter(({ document }) => document !== null),
      [{ proposalId, document: named.document }],
    )
    await proposals.replaceDocument(proposalId, '{}')
    t.equal((await proposals.find(proposalId, true))?.document, '{}')
    await proposals.decline({ ...by('anna'), reason: 'done' }, proposalId)
  })
}

function by(actor: string): Command {
  return { requestId: randomUUID(), digest: digestOf('proposal'), call: 'test', actor }
}

let documents = 0

function aProgramme(overrides: Partial<PublishedProgramme> = {}): PreparedProgramme {
  documents += 1
  const document = `{"proposal":${documents}}`
  return prepareProgramme({ document, benefits: '[]', venues: [], members: [], ...overrides })
}
