import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { createProgrammeReader } from '../../../gateway/background/programme-reader.js'
import { forgetMembers } from '../../../gateway/use-cases/forget-members.js'
import { StoreFault } from '../../../store/fault.js'
import type { Command } from '../../../store/ledger/calls.js'
import { prepareProgramme } from '../../../store/postgres/programmes/prepare-programme.js'
import { aMember, aRecord, aSale, digestOf, eventBody } from '../../support/ledger-builders.js'
import type { Ledger } from '../../support/open-ledger.js'
import { createEmbeddedLedger, createPostgresLedger } from '../../support/open-ledger.js'
import { startPostgres } from '../../support/servers/start-postgres.js'

t.setTimeout(120_000)

const limits = { expiryS: 1_800, idempotencyS: 86_400, readMs: 10_000, saleMs: 10_000 }

t.test('what a forgotten member leaves behind, embedded', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lps-forget-'))
  const ledger = await createEmbeddedLedger({ folder, ...limits })
  t.teardown(async () => {
    await ledger.close()
    rmSync(folder, { recursive: true, force: true })
  })
  await promises(t, ledger)
})

t.test('what a forgotten member leaves behind, on Postgres', async (t) => {
  const server = await startPostgres()
  const ledger = await createPostgresLedger({ url: await server.createDatabase(), ...limits })
  t.teardown(async () => {
    await ledger.close()
    await server.stop()
  })
  await promises(t, ledger)
})

const aCommand = (): Command => ({ requestId: randomUUID(), digest: digestOf('x'), call: 'test', actor: 'test' })

async function promises(t: Test, ledger: Ledger): Promise<void> {
  const programmeReader = createProgrammeReader()
  t.teardown(() => programmeReader.close())
  const parts = { adminLedger: ledger, cache: null, facts: { limits: new Map() }, keptRequests: null, programmeReader }

  await t.test('programmes lose its name, and every other byte of them stays', async (t) => {
    const member = aMember({ memberId: 'the "first" member' })
    const id = JSON.stringify(member.memberId)
    const benefit = (ids: string) => `{"benefitId":${id},"audience":{"memberIds":[${ids}]},"worth":1.10}`
    const document = (ids: string, card: string) =>
      `{ "members":[{"memberId":${ids},"loyaltyIds":[${card}],"tier":"x"},{"memberId":"kept","loyaltyIds":["k"]}],"benefits":[${benefit(`"kept", ${ids}`)}]}`
    const published = document(id, JSON.stringify(member.loyaltyIds[0]))
    const { version } = await ledger.programmes.publishFile({
      document: published,
      benefits: `[${benefit(id)}]`,
      venues: [],
      members: [member],
    })
    const proposed = prepareProgramme({ document: document(id, '"x"'), benefits: '[]', venues: [], members: [] })
    const proposal = aCommand()
    await ledger.proposals.propose(proposal, proposed, { expectedVersion: version, note: '' })
    const drafts = ['', `// by hand, for ${member.memberId}\n`].map((comment) => ({
      ...{ draftId: randomUUID(), name: '', baseVersion: version },
      document: comment + document(id, '"x"'),
    }))
    for (const draft of drafts) await ledger.drafts.store(aCommand(), draft, { expected: 0, max: 100 })
    t.equal((await ledger.members.forget(aCommand(), member.memberId, [])).kind, 'done')
    await forgetMembers(parts, 3_600_000)
    t.equal((await ledger.programmes.find(version, true))?.document, published, 'not before its time')
    const findNaming: typeof ledger.drafts.findNaming = async (ids, after) => {
      const found = await ledger.drafts.findNaming(ids, after)
      const draft = drafts.find(({ draftId }) => draftId === found?.draftId)
      if (draft !== undefined)
        await ledger.drafts.store(aCommand(), { ...draft, document: `${draft.document}\n` }, { expected: 1, max: 100 })
      return found
    }
    const stored = { ...parts, adminLedger: { ...ledger, drafts: { ...ledger.drafts, findNaming } } }
    await forgetMembers(stored, 0)
    const found = (await ledger.programmes.find(version, true))!.document
    const [name] = /forgotten-[0-9a-f-]{36}/.exec(found)!
    t.equal(found, document(`"${name}"`, `"${name}"`))
    const hidden = (await ledger.proposals.find(proposal.requestId, true))!.document
    t.equal(hidden, found, 'a proposal that names it, too, by the same name')
    const [plain, commented] = await Promise.all(drafts.map(({ draftId }) => ledger.drafts.find(draftId, true)))
    t.equal(plain!.document, `${found}\n`, 'a draft that names it, too, also where it was stored meanwhile')
    t.notOk(commented!.document.includes(member.memberId) || commented!.document.includes(id), 'one with comments')
    t.match(commented!.document, `// by hand, for ${name}\n`)
    t.equal(commented!.facts.revision, 3, 'who has it open must read it anew')
    const { benefits } = (await ledger.programmes.lookUp(version))!
    t.equal(benefits, `[${benefit(`"${name}"`)}]`)
    t.equal(await ledger.members.findErasure(0), null)
    await forgetMembers(parts, 0)
    t.equal((await ledger.programmes.find(version, true))!.document, found, 'a second time changes nothing')
  })

  await t.test(
    'a calculation that was under way is found when it has arrived, and one of a later member is not touched',
    async (t) => {
      const member = aMember()
      const [loyaltyId] = member.loyaltyIds as [string]
      await ledger.programmes.publishFile({
        document: `"${randomUUID()}"`,
        benefits: '[]',
        venues: [],
        members: [member],
      })
      t.equal((await ledger.members.forget(aCommand(), member.memberId, [])).kind, 'done')
      const late = aRecord(ledger, { memberId: member.memberId, loyaltyId })
      const answeredAt = ledger.clock() + 120_000
      const later = aRecord(ledger, { memberId: 'another', loyaltyId, answeredAt })
      await ledger.calculations.store([late, later])
      await ledger.sales.record(aSale(late), eventBody)
      await forgetMembers(parts, 0)
      t.equal((await ledger.calculations.findAnswer(late.calculationId)).kind, 'outlived', 'its body is gone')
      t.equal((await ledger.calculations.findAnswer(later.calculationId)).kind, 'stored')
      const sale = await ledger.sales.record(aSale(late), eventBody)
      t.equal(sale.kind === 'stored' && Buffer.from(sale.body).toString(), '{}')
    },
  )

  await t.test('it waits while the journal holds calculations of before', async (t) => {
    const member = aMember()
    await ledger.programmes.publishFile({
      document: `"${randomUUID()}"`,
      benefits: '[]',
      venues: [],
      members: [member],
    })
    await ledger.members.forget(aCommand(), member.memberId, [])
    const journal = { entries: 1, oldestMs: 90_000 }
    const behind = { ...parts, cache: { journalDepth: async () => journal } }
    await forgetMembers(behind, 0)
    t.match(await ledger.members.findErasure(0), { memberId: member.memberId, loyaltyIds: member.loyaltyIds })
    journal.oldestMs = 100
    const dropAll = () => Promise.reject(new StoreFault('cache', 'unreachable'))
    await t.rejects(forgetMembers({ ...behind, keptRequests: { dropAll } }, 0), StoreFault)
    t.match(await ledger.members.findErasure(0), { memberId: member.memberId }, 'and until kept requests are gone')
    await forgetMembers(behind, 0)
    t.equal(await ledger.members.findErasure(0), null)
  })

  await t.test('a loyalty id that another member has in a programme goes alone', async (t) => {
    const [stranger, kept] = [`card-${randomUUID()}`, `card-${randomUUID()}`]
    const document = (card: string) => `{"members":[{"memberId":"m","loyaltyIds":["${card}", "${kept}"]}]}`
    const file = { document: document(stranger), benefits: '[]', venues: [], members: [] }
    const { version } = await ledger.programmes.publishFile(file)
    await ledger.members.forgetLoyaltyId(aCommand(), stranger, [])
    await forgetMembers(parts, 0)
    const found = (await ledger.programmes.find(version, true))!.document
    t.equal(found, document(/forgotten-[0-9a-f-]{36}/.exec(found)![0]))
  })

  await t.test('a venue that is called like a member keeps its counters', async (t) => {
    const member = aMember()
    const hold = (limitId: string) => ({ limitId, subject: member.memberId, period: '', units: 1, maximum: 5 })
    await ledger.programmes.publishFile({
      document: `"${randomUUID()}"`,
      benefits: '[]',
      venues: [],
      members: [member],
    })
    const holds = [hold('of-members'), hold('of-venues')]
    t.equal(
      (await ledger.calculations.confirm(aRecord(ledger, { memberId: member.memberId, holds }), 10_000)).kind,
      'confirmed',
    )
    t.match(await ledger.members.forget(aCommand(), member.memberId, ['of-venues']), { kind: 'done', counters: 1 })
    const filter = { limitId: '', subject: member.memberId, period: '' }
    const left = await ledger.counters.list(filter, { after: null, limit: 10 })
    t.match(left, [{ limitId: 'of-venues', open: 1 }])
    t.equal(left.length, 1)
  })
}
