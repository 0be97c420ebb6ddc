import t from 'tap'
import type { PricingEngine } from '../../../engine/index.js'
import { createLookupCache } from '../../../gateway/cache/lookup-cache.js'
import { StoreFault } from '../../../store/fault.js'
import type { Ledger } from '../../support/open-ledger.js'

/** A cache over a ledger whose newest version is `published`, with a warm-up that the test ends. */
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
      newest: async () => ({ version: scene.published, benefits: '[]', key: null }),
    },
  } as unknown as Ledger
  const engine = {
    loadProgramme: async () => ({ freeProductIds: [], limits: [], needsHints: false, costed: [], experiments: [] }),
  } as unknown as PricingEngine
  const warmUp = ({ version }: { readonly version: number }) => {
    scene.warmedUp.push(version)
    return new Promise<void>((resolve) => {
      scene.endWarmUp = resolve
      if (version === 1) resolve()
    })
  }
  const facts = await createLookupCache({ posLedger: ledger, engine, warmUp, environment: 'production' })
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
    loadProgramme: async () => ({ freeProductIds: [], limits: [], needsHints: false, costed: [], experiments: [] }),
  } as unknown as PricingEngine
  const facts = await createLookupCache({
    posLedger: ledger,
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

/** A cache whose ledger has a card of Anna, and counts its questions. */
async function factsOfAnna() {
  const asked: string[] = []
  const scene = { needsHints: true, version: 1, revision: 1, stamps: 10, blocked: false, fault: null as Error | null }
  const stored = () => ({ memberId: 'anna', tier: null, segments: [], blocked: scene.blocked })
  async function answer<T>(what: string, found: T): Promise<T> {
    asked.push(what)
    if (scene.fault !== null) throw scene.fault
    return found
  }
  const ledger = {
    changes: {
      since: async (revision: number) => ({
        revision: scene.revision,
        changes:
          revision < scene.revision
            ? [
                { kind: 'programme', id: '' },
                { kind: 'member', id: 'card-1' },
              ]
            : [],
      }),
    },
    programmes: { newest: async () => ({ version: scene.version, benefits: '[]' }) },
    members: {
      lookUp: (loyaltyId: string) => answer('member', { ...stored(), loyaltyIds: [loyaltyId] }),
      lookUpWithHints: () =>
        answer('hinted', { ...stored(), hints: { balances: { stamps: scene.stamps }, visits: 3, tier: 'gold' } }),
    },
    venues: { lookUp: async () => null },
  } as unknown as Ledger
  const engine = {
    loadProgramme: async () => ({
      freeProductIds: [],
      limits: [],
      needsHints: scene.needsHints,
      costed: [],
      experiments: [],
    }),
  } as unknown as PricingEngine
  const facts = await createLookupCache({
    posLedger: ledger,
    engine,
    warmUp: async () => {},
    environment: 'production',
  })
  const anna = async (always?: boolean) => (await facts.findMember('card-1', always)).member
  return { asked, scene, facts, anna }
}

const plain = { memberId: 'anna', tier: null, segments: [] }

t.test('what a member has is asked for in every call, at once and in one question', async (t) => {
  const { asked, scene, facts, anna } = await factsOfAnna()
  const finding = facts.findMember('card-1')
  t.same(asked, ['hinted'], 'before anything is awaited')
  t.same((await finding).member, { ...plain, tier: 'gold', balances: { stamps: 10 }, visits: 3 })
  const first = anna()
  scene.stamps = 0
  t.match(
    [await anna(), await first],
    [{ balances: { stamps: 0 } }, { balances: { stamps: 10 } }],
    'none joins another',
  )
  scene.blocked = true
  t.equal(await anna(), null, 'blocking is not waited for')
  t.equal(asked.length, 4)
})

t.test('a programme without need of it takes members from the cache', async (t) => {
  const { asked, scene, facts, anna } = await factsOfAnna()
  await anna()
  Object.assign(scene, { needsHints: false, version: 2, revision: 2 })
  await facts.refresh()
  asked.length = 0
  t.same([await anna(), await anna()], [plain, plain])
  t.same(asked, ['member'])
  t.match(await anna(true), { tier: 'gold', visits: 3 }, 'asked for all the same')
})

t.test('without the ledger a member that is at hand has no balances, visits or earned tier', async (t) => {
  const { scene, anna } = await factsOfAnna()
  const fault = new StoreFault('ledger', 'unreachable')
  scene.fault = fault
  await t.rejects(anna(), fault, 'none is at hand')
  scene.fault = null
  await anna()
  scene.fault = fault
  t.same(await anna(), plain)
  scene.fault = new StoreFault('ledger', 'busy')
  await t.rejects(anna(), { name: 'StoreFault', kind: 'busy' }, 'a busy ledger can still be asked')
  scene.fault = new Error('a bug')
  await t.rejects(anna(), { message: 'a bug' })
})
