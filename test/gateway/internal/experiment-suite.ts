import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { CalculationStatus } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import {
  ExperimentService,
  ExperimentState,
  ExperimentVerdict,
  type GetExperimentResponse,
} from '../../../gateway/gen/loyalty/v1/experiment_service_pb.js'
import { OpeningTerm } from '../../../gateway/gen/loyalty/v1/explanation_pb.js'
import { MemberService } from '../../../gateway/gen/loyalty/v1/member_service_pb.js'
import { RewardService } from '../../../gateway/gen/loyalty/v1/reward_service_pb.js'
import { aBasket, type BasketBody, type BasketBuilder } from '../../e2e/basket.js'
import { aDocument, publish, untilInForce } from './calculation-suite.js'
import { aReturnTable } from './return-suite.js'
import type { Served } from './served.js'

const { getCalculation, simulateBasket, replayCalculation } = CalculationService.method
const { getExperiment, listExperiments } = ExperimentService.method

const free = { kind: 'line_percentage', select: { productIds: ['coffee'] }, percentage: 100 }
const freeCoffee = {
  benefitId: 'experiment-free',
  text: 'Free coffee',
  reward: free,
  costs: { currencyId: 'coffees', amount: 1, per: 'unit', worth: 100 },
}
const measured = ['coffee-10', 'experiment-free']

const jar = { kind: 'line_percentage', select: { productIds: ['jar'] }, percentage: 5 }
const jars = { benefitId: 'experiment-jars', text: 'Jars', reward: jar }
const withBenefits = (document: BasketBody): void => void document['benefits'].push(freeCoffee, jars)
const without = (document: BasketBody): void => {
  document['benefits'].push(jars)
  document['benefits'] = document['benefits'].filter((each: BasketBody) => each['benefitId'] !== 'coffee-10')
}

/** Experiments on one service, from the programme to the answer. */
export function experimentSuite(t: Test, served: () => Served): void {
  const { sell } = aReturnTable(t, served)
  const experimentId = `happy-${randomUUID()}`
  const experiment = {
    ...{ experimentId, name: 'Happy hour', benefitIds: measured, holdout: 50 },
    ...{ from: '2026-01-01T00:00:00Z', metric: 'net', by: 'member' },
  }
  const withExperiment = (more: BasketBody = {}) =>
    aDocument((document) => {
      withBenefits(document)
      document['experiments'] = [{ ...experiment, ...more }]
    })
  const coffee = (card: string) => aBasket(card).line({ productId: 'coffee', unitPrice: 450 })
  const answerTo = async (basket: BasketBuilder) => {
    const { text, json } = await served().send('/v1/pos/basket', basket.text())
    return { text: text.replaceAll(String(basket.body()['calculationId']), 'id'), json }
  }
  const statusOf = async (card: string) => String((await answerTo(coffee(card))).json['status'])

  /** Cards of members in the holdout and of others, two for each member. */
  async function bothArms(t: Test) {
    const members = Array.from({ length: 24 }, () => {
      return { memberId: `member-${randomUUID()}`, loyaltyIds: [`card-${randomUUID()}`, `card-${randomUUID()}`] }
    })
    await served().admin(t).ask(MemberService.method.upsertMembers, { requestId: randomUUID(), members })
    const statuses = new Map<string, (typeof members)[number][]>([
      ['unchanged', []],
      ['applied', []],
    ])
    for (const member of members) statuses.get(await statusOf(member.loyaltyIds[0]!))!.push(member)
    const [held, open] = [statuses.get('unchanged')!, statuses.get('applied')!]
    t.ok(held.length > 0 && open.length > 0, 'both arms have members')
    return { held, open }
  }

  async function armsWhen(t: Test, holds: (answer: GetExperimentResponse) => boolean) {
    for (;;) {
      const answer = await served().reader(t).ask(getExperiment, { experimentId })
      if (holds(answer)) return answer
    }
  }
  const armOf = ({ answers }: GetExperimentResponse, armId: string) =>
    answers.flatMap(({ arms }) => arms).find((arm) => arm.armId === armId)

  t.test('members of a holdout go without, and nothing on the wire tells', async (t) => {
    const [reader, admin] = [served().reader(t), served().admin(t)]
    await untilInForce(reader, await publish(admin, withExperiment()))
    const { held, open } = await bothArms(t)
    for (const { loyaltyIds } of [...held, ...open]) {
      t.equal(await statusOf(loyaltyIds[1]!), await statusOf(loyaltyIds[0]!), 'its arm is the same with every card')
    }
    const [anna, ben] = [held[0]!, open[0]!]
    const mixed = (card: string) => coffee(card).line({ productId: 'jar', unitPrice: 900 })
    const cards = [anna.loyaltyIds[0]!]
    const baskets = (card: string) => [coffee(card), mixed(card), aBasket(card).line({ productId: 'x', unitPrice: 9 })]
    const sent = cards.flatMap(baskets)
    const withheld = []
    for (const basket of sent) withheld.push((await answerTo(basket)).text)

    const { calculationId } = sent[0]!.body()
    const stored = await reader.ask(getCalculation, { calculationId })
    t.match(
      stored.closed?.benefits.filter(({ benefitId }) => benefitId === 'coffee-10'),
      [{ terms: [OpeningTerm.EXPERIMENT], withheldBy: [{ name: 'Happy hour', armId: 'holdout' }] }],
      'support sees the holdout',
    )
    t.match(await reader.ask(replayCalculation, { calculationId }), { same: true })
    t.match(await reader.ask(simulateBasket, { bodyJson: coffee(cards[0]!).text() }), {
      status: CalculationStatus.APPLIED,
    })
    const rewardsOf = async (memberId: string) => {
      const member = { by: { case: 'memberId', value: memberId } } as const
      const { rewards } = await reader.ask(RewardService.method.listRewards, { member, venueId: 'venue-1' })
      return rewards.map(({ benefitId }) => benefitId)
    }
    t.notOk((await rewardsOf(anna.memberId)).includes('experiment-free'), 'what is withheld is no reward')
    t.ok((await rewardsOf(ben.memberId)).includes('experiment-free'))

    await untilInForce(reader, await publish(admin, aDocument(without)))
    const plain = []
    for (const basket of sent) plain.push((await answerTo(basket.with({ calculationId: randomUUID() }))).text)
    t.same(withheld, plain, 'byte for byte as without the benefits')
  })

  t.test('an experiment is answered from its sales', async (t) => {
    const [reader, admin] = [served().reader(t), served().admin(t)]
    await untilInForce(reader, await publish(admin, withExperiment()))
    const { held, open } = await bothArms(t)
    const before = await armsWhen(t, (answer) => (armOf(answer, 'open')?.members ?? 0n) > 0n)
    for (const { loyaltyIds } of [held[0]!, open[0]!]) {
      await sell(coffee(loyaltyIds[0]!).body())
      await sell(aBasket(loyaltyIds[1]!).line({ productId: 'bag', unitPrice: 1_000 }).body())
    }
    const gained = (answer: GetExperimentResponse, arm: string, figure: 'visits' | 'net' | 'given' | 'withheld') =>
      (armOf(answer, arm)?.[figure] ?? 0n) - (armOf(before, arm)?.[figure] ?? 0n)
    const answer = await armsWhen(
      t,
      (answer) =>
        ['holdout', 'open'].every((arm) => gained(answer, arm, 'visits') === 2n) &&
        gained(answer, 'holdout', 'withheld') > 0n,
    )
    t.equal(gained(answer, 'open', 'net'), 405n + 1_000n)
    t.equal(gained(answer, 'holdout', 'net'), 450n + 1_000n)
    t.equal(gained(answer, 'open', 'given'), 45n)
    t.equal(gained(answer, 'holdout', 'given'), 0n)
    t.equal(gained(answer, 'holdout', 'withheld'), 45n, 'what the withheld basket would have got')
    t.match(armOf(answer, 'holdout'), { withheldBaskets: 2n }, 'also one in which it would give nothing')
    t.match(answer.experiment, { name: 'Happy hour', state: ExperimentState.RUNNING })
    t.match(answer.answers[0]!.comparisons, [{ armId: 'open', verdict: ExperimentVerdict.TOO_LITTLE }])
    t.match(answer.answers[0]!.split, { broken: false })
    const listed = await reader.ask(listExperiments, {})
    t.ok(listed.experiments.some((each) => each.experimentId === experimentId))

    const exported = served()
      .as(t, 'support')
      .stream(MemberService.method.exportMember, { member: { by: { case: 'memberId', value: held[0]!.memberId } } })
    let json = ''
    for await (const part of exported) json += (part as { json: string }).json
    t.match(JSON.parse(json), { experiments: [{ experimentId, name: 'Happy hour', armId: 'holdout' }] })
  })

  t.test('a running experiment is only ended', async (t) => {
    const [reader, admin] = [served().reader(t), served().admin(t)]
    await untilInForce(reader, await publish(admin, withExperiment()))
    await t.rejects(publish(admin, withExperiment({ holdout: 20 })), { message: /PROGRAMME_FAULTY/ })
    await untilInForce(reader, await publish(admin, aDocument()))
    t.match(await reader.ask(getExperiment, { experimentId }), { experiment: { state: ExperimentState.ENDED } })
    t.match(await reader.unary(getExperiment, { experimentId: 'none' }), { reason: 'EXPERIMENT_NOT_FOUND' })
    t.match(await reader.unary(getExperiment, { experimentId: '' }), { reason: 'INVALID_REQUEST' })
  })
}
