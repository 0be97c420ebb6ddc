import t from 'tap'
import type { PricingEngine } from '../../../engine/index.js'
import { createFacts } from '../../../gateway/cache/facts.js'
import type { Ledger } from '../../../store/ledger.js'

/** Facts over a ledger whose newest version is `published`, with a warm-up that the test ends. */
async function someFacts() {
  const scene = { published: 1, warmedUp: [] as number[], endWarmUp: () => {} }
  const ledger = {
    changes: {
      since: async (revision: number) => {
        const isNews = revision < scene.published
        return {
          revision: scene.published,
          changes: isNews ? [{ kind: 'programme', id: String(scene.published) }] : [],
        }
      },
    },
    programmes: {
      newest: async () => ({ version: scene.published, benefits: '[]' }),
    },
  } as unknown as Ledger
  const engine = {
    loadProgramme: async () => ({ freeProductIds: [], limits: [], needsHints: false, costed: [] }),
  } as unknown as PricingEngine
  const warmUp = ({ version }: { readonly version: number }) => {
    scene.warmedUp.push(version)
    return new Promise<void>((resolve) => {
      scene.endWarmUp = resolve
      if (version === 1) resolve()
    })
  }
  const facts = await createFacts({ ledger, engine, warmUp, environment: 'production' })
  const versionInForce = async () => (await facts.findMember(null)).programmeVersion
  return { scene, facts, versionInForce }
}

t.test('a published programme is warmed up before it prices for POS callers', async (t) => {
  const { scene, facts, versionInForce } = await someFacts()
  t.equal(await versionInForce(), 1)
  scene.published = 2
  const refreshed = facts.refresh()
  while (scene.warmedUp.length < 2) await new Promise((resolve) => setImmediate(resolve))
  t.equal(await versionInForce(), 1, 'POS callers go on with the one before')
  scene.endWarmUp()
  await refreshed
  t.equal(await versionInForce(), 2)
  await facts.refresh()
  t.same(scene.warmedUp, [1, 2], 'each once')
})

t.test('a change without an id affects every member', async (t) => {
  const found: string[] = []
  const changes = { revision: 1, id: 'a' }
  const ledger = {
    changes: {
      since: async (revision: number) => ({
        revision: changes.revision,
        changes: revision < changes.revision ? [{ kind: 'member', id: changes.id }] : [],
      }),
    },
    programmes: {
      newest: async () => ({ version: 1, benefits: '[]' }),
    },
    members: {
      lookUp: async (loyaltyId: string) => {
        found.push(loyaltyId)
        return null
      },
    },
  } as unknown as Ledger
  const engine = {
    loadProgramme: async () => ({ freeProductIds: [], limits: [], needsHints: false, costed: [] }),
  } as unknown as PricingEngine
  const facts = await createFacts({
    ledger,
    engine,
    warmUp: async () => {},
    environment: 'production',
  })
  const lookUp = () => Promise.all(['a', 'b'].map((loyaltyId) => facts.findMember(loyaltyId)))
  await lookUp()
  await lookUp()
  t.same(found.splice(0), ['a', 'b'], 'each is looked up once')
  for (const [id, again] of [
    ['a', ['a']],
    ['', ['a', 'b']],
  ] as const) {
    Object.assign(changes, { id, revision: changes.revision + 1 })
    await facts.refresh()
    await lookUp()
    t.same(found.splice(0), again)
  }
})

t.test('hints are asked for where the programme in force needs them, in the turn of the member', async (t) => {
  const asked: string[] = []
  const programme = { needsHints: true, version: 1 }
  const ledger = {
    changes: {
      since: async (revision: number) => ({
        revision: programme.version,
        changes: revision < programme.version ? [{ kind: 'programme', id: '' }] : [],
      }),
    },
    programmes: { newest: async () => ({ version: programme.version, benefits: '[]' }) },
    members: {
      async lookUp(loyaltyId: string) {
        asked.push('member')
        return { memberId: 'anna', loyaltyIds: [loyaltyId], tier: null, segments: [], blocked: loyaltyId === 'blocked' }
      },
      async findHints() {
        asked.push('hints')
        return { memberId: 'anna', balances: { stamps: 10 }, visits: 3, tier: 'gold' }
      },
    },
  } as unknown as Ledger
  const engine = {
    loadProgramme: async () => ({ freeProductIds: [], limits: [], needsHints: programme.needsHints, costed: [] }),
  } as unknown as PricingEngine
  const facts = await createFacts({ ledger, engine, warmUp: async () => {}, environment: 'production' })
  const finding = facts.findMember('card-1')
  t.same(asked, ['member', 'hints'], 'both before anything is awaited')
  const { member } = await finding
  t.same(member, { memberId: 'anna', tier: 'gold', segments: [], balances: { stamps: 10 }, visits: 3 })
  t.equal((await facts.findMember('card-1')).member, member)
  t.equal((await facts.findMember('blocked')).member, null)
  asked.length = 0
  facts.forgetHints('anna')
  t.same((await facts.findMember('card-1')).member, member)
  t.same(asked, ['hints'])
  Object.assign(programme, { needsHints: false, version: 2 })
  await facts.refresh()
  asked.length = 0
  t.same((await facts.findMember('card-1')).member, { memberId: 'anna', tier: null, segments: [] })
  t.same(asked, [])
  t.match((await facts.findMember('card-1', true)).member, { tier: 'gold', visits: 3 }, 'asked for all the same')
})
