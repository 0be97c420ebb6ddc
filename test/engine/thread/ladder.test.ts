import t from 'tap'
import { EngineFault, type PricingFacts } from '../../../engine/index.js'
import { createSameThreadEngine } from '../../../engine/thread/same-thread.js'
import { basketBody, bytesOf, calculationId } from '../wire/basket-body.js'

const settings = { linesMax: 200, discountCode: 'THIRD_PARTY_LOYALTY', stepsMax: 10_000 }
const facts: PricingFacts = {
  programmeVersion: 1,
  member: { memberId: 'm', tier: null, segments: [] },
  venue: { venueId: 'venue 1', currency: 'EUR', timeZone: 'Europe/Berlin', products: [] },
  available: {},
}

const off = (percentage: number) =>
  JSON.stringify([{ benefitId: 'off', text: 'Off', reward: { kind: 'line_percentage', percentage } }])

t.test('the ladder is that of the answer that was charged, also if another build answered', async (t) => {
  const engine = createSameThreadEngine(settings)
  await engine.loadProgramme(1, off(10))
  await engine.loadProgramme(2, off(50))
  const read = await engine.readBasket(bytesOf(basketBody(2)), calculationId)
  if (read.kind === 'refused') throw new Error(read.refusal.message)
  const ladderOf = async (programmeVersion: number, paid: Partial<PricingFacts> = {}) => {
    const { answer } = await engine.priceBasket(read.ticket, { ...facts, programmeVersion })
    const text = await engine.ladder(read.ticket, { facts: { ...facts, ...paid }, answer })
    const { lines } = JSON.parse(text) as { lines: { lineId: string; paid: number }[] }
    const { basket } = JSON.parse(Buffer.from(answer).toString())
    const charged = basket.lines.map(({ lineId, totals }: (typeof basket.lines)[number]) => [lineId, totals.net])
    return { ladder: lines.map(({ lineId, paid }) => [lineId, paid]), charged }
  }
  for (const version of [1, 2]) {
    const { ladder, charged } = await ladderOf(version)
    t.same(ladder, charged, `version ${version}`)
  }
  const { ladder } = await ladderOf(2, { paidTotal: 100 })
  t.equal(
    ladder.reduce((sum, [, net]) => sum + Number(net), 0),
    100,
  )
  const sent = await engine.ladder(read.ticket, { facts, answer: null })
  t.equal(JSON.parse(sent).lines.length, 2)
  t.same(await engine.ladder(read.ticket, { facts: { ...facts, member: null }, answer: null }), sent, 'without rules')
  await t.rejects(engine.ladder({ thread: 0, id: 99 }, { facts, answer: null }), EngineFault)
})
