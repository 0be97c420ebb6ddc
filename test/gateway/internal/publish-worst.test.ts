import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { EngineFault } from '../../../engine/index.js'
import { createProgrammeReader } from '../../../gateway/background/programme-reader.js'
import type { WorstSearch } from '../../../gateway/background/worst-search.js'
import { AccessService } from '../../../gateway/gen/loyalty/v1/access_service_pb.js'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { type PublishParts, publishProgramme as publishWith } from '../../../gateway/use-cases/publish-programme.js'
import { lpsFolder } from '../../e2e/run-lps.js'
import { trapped } from '../../engine/worst/searched.js'
import { aGrpcClient } from './grpc-client.js'
import { nameOfToken, type Served, startServed } from './served.js'

// A whole service, on a busy machine.
t.setTimeout(300_000)

const { approveProposal, getProgramme, publishProgramme, proposeProgramme, rollBack } = ProgrammeService.method
const approver = 'token-of-another-one'
const LOYALTY_TOKENS = `marketing:token-of-marketing,admin:token-of-an-admin,marketing:${approver}`
const withBag = trapAlone('free with a bag')
const dearer = trapAlone('two stackables to everything')

/** A few products and the trap's benefits, so that a search is short on a busy machine too. */
function trapAlone(name: string): string {
  const { document, trapIds } = trapped(name, 3)
  const { venues, benefits, ...more } = document as unknown as Shop
  const fewer = venues.map((venue) => ({
    ...venue,
    products: venue.products.filter(({ productId }, at) => at < 4 || productId === 'bag'),
  }))
  return JSON.stringify({
    ...more,
    venues: fewer,
    benefits: benefits.filter(({ benefitId }) => trapIds.includes(benefitId)),
  })
}

interface Shop {
  readonly venues: readonly { readonly products: readonly { readonly productId: string }[] }[]
  readonly benefits: readonly { readonly benefitId: string }[]
}

async function aService(t: Test, mode: string): Promise<Served> {
  const served = await startServed({ LOYALTY_PUBLISH_WORST: mode, LOYALTY_TOKENS })
  t.teardown(() => served.service.stop())
  return served
}

t.test('a publication is refused until each worst basket is acknowledged by its name', async (t) => {
  const served = await aService(t, 'require')
  const admin = served.admin(t)
  t.equal((await admin.ask(AccessService.method.getAccess, {})).worstRequired, true)
  const request = { requestId: randomUUID(), document: withBag, expectedVersion: 1 }
  const refused = await admin.unary(publishProgramme, request)
  t.match(refused, { code: 9, reason: 'WORST_UNACKNOWLEDGED' })
  const names = namesOf(refused)
  t.ok(
    names.some((name) => /^largest_share\/excluded_goods_count\/trap\/\d+-NOK$/.test(name)),
    names.join(),
  )
  t.same(namesOf(await admin.unary(publishProgramme, request)), names, 'the same draft, the same names')
  const allButOne = { ...request, acknowledgements: names.slice(1) }
  t.same(namesOf(await admin.unary(publishProgramme, allButOne)), names.slice(0, 1))
  t.equal((await admin.ask(getProgramme, {})).programme!.version, 1)

  t.test('so is a proposal, and its approval by the approver', async (t) => {
    const proposal = { ...request, requestId: randomUUID() }
    t.match(await admin.unary(proposeProgramme, proposal), { reason: 'WORST_UNACKNOWLEDGED' })
    const { proposalId } = await admin.ask(proposeProgramme, { ...proposal, acknowledgements: names })
    const other = aGrpcClient(t, served.target, approver)
    const approval = { requestId: randomUUID(), proposalId }
    t.same(namesOf(await other.unary(approveProposal, approval)), names)
    t.equal((await other.ask(approveProposal, { ...approval, acknowledgements: names })).version, 2)
    t.match((await admin.ask(getProgramme, {})).programme, { publishedBy: nameOfToken('marketing', approver) })
  })

  t.test('the programme in force and a roll-back are not searched, and lps acknowledges', async (t) => {
    const again = { ...request, requestId: randomUUID(), expectedVersion: 2 }
    t.match(await admin.ask(publishProgramme, again), { published: false, warnings: [] })
    t.equal((await admin.ask(rollBack, { requestId: randomUUID(), version: 1, expectedVersion: 2 })).version, 3)
    const { run, write } = lpsFolder(t)
    const place = ['--internal', served.service.internalUrl, '--token-file', write('tokens', 'admin:token-of-an-admin')]
    const file = write('draft.json', withBag)
    const said = await run('publish', file, ...place)
    t.match(said, { code: 1, err: /WORST_UNACKNOWLEDGED/ })
    for (const name of names) t.match(said.err, `  acknowledgements: ${name}: `)
    const words = names.flatMap((name) => ['--acknowledge', name])
    t.match(await run('publish', file, ...words, ...place), { code: 0, out: /^version 4 is published/ })
    t.match((await run('worst', file, ...place)).out, `named ${names[0]}`)
  })

  t.test('another amount is another name, and a hundred names are the most', async (t) => {
    const other = { ...request, requestId: randomUUID(), expectedVersion: 4, acknowledgements: names }
    t.match(await admin.unary(publishProgramme, { ...other, document: dearer }), { reason: 'WORST_UNACKNOWLEDGED' })
    const many = Array.from({ length: 101 }, String)
    t.match(await admin.unary(publishProgramme, { ...other, acknowledgements: many }), {
      violations: [/^acknowledgements: expected at most 100; received "101"/],
    })
  })

  t.test('of two publications at once one is searched', async (t) => {
    const one = { ...request, document: dearer, expectedVersion: 4 }
    const both = await Promise.all([1, 2].map(() => admin.unary(publishProgramme, { ...one, requestId: randomUUID() })))
    const reasons = both.map((outcome) => (outcome.kind === 'refused' ? outcome.reason : ''))
    t.same(reasons.sort(), ['TOO_MANY_CALLS', 'WORST_UNACKNOWLEDGED'])
  })
})

t.test('with warn it is published, and each worst basket is a warning', async (t) => {
  const served = await aService(t, 'warn')
  const request = { requestId: randomUUID(), document: withBag, expectedVersion: 1 }
  const { version, warnings } = await served.admin(t).ask(publishProgramme, request)
  t.equal(version, 2)
  const worst = warnings.filter(({ word }) => word === 'worst_basket')
  t.match(worst[0], { path: /^benefits\[\d+\]$/, message: /NOK off, by trap: goods without discounts count as bought/ })
})

t.test('with warn a search that does not end, or loses its thread, stops no publication', async (t) => {
  const programmeReader = createProgrammeReader()
  t.teardown(() => programmeReader.close())
  const neverEnds: WorstSearch['run'] = (_purpose, _task, { signal }) =>
    new Promise((_, reject) => {
      if (signal.aborted) reject(signal.reason)
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  const loses: WorstSearch['run'] = () => Promise.reject(new EngineFault('thread_lost'))
  // Timers of AbortSignal.timeout keep no process alive.
  const awake = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(awake))
  const adminLedger = {
    clock: Date.now,
    programmes: {
      find: async () => null,
      newest: async () => null,
      findCardsOfOthers: async () => ({ count: 0, cards: [] }),
    },
    venues: { list: async () => [] },
    members: { findForgotten: async () => ({ memberIds: [], loyaltyIds: [] }) },
  }
  const publish = (run: WorstSearch['run'], publishWorst: string, signal: AbortSignal) => {
    const facts = { findVenue: async () => null }
    const parts = { adminLedger, facts, programmeReader, publishWorst, worstSearch: { run } } as unknown as PublishParts
    const publication = { document: withBag, acknowledgements: [], signal }
    return publishWith(parts, publication, async () => ({ kind: 'sent' }), 50)
  }
  for (const run of [neverEnds, loses]) {
    const reply = await publish(run, 'warn', AbortSignal.timeout(10_000))
    t.equal(reply.kind, 'sent')
    const { warnings } = reply as typeof reply & { readonly warnings: readonly object[] }
    t.match(warnings.at(-1), { path: 'benefits', word: 'worst_basket', message: /did not end/ })
  }
  await t.rejects(publish(neverEnds, 'warn', AbortSignal.timeout(10)), 'a cancelled call sends nothing')
  await t.rejects(publish(neverEnds, 'require', AbortSignal.timeout(10)))
  await t.rejects(publish(loses, 'require', AbortSignal.timeout(10_000)))
})

function namesOf(outcome: object): string[] {
  const { violations = [] } = outcome as { readonly violations?: readonly string[] }
  return violations.map((each) => /^acknowledgements: (.*?): /.exec(each)![1]!)
}
