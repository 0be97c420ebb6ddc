import type { ServiceError } from '@grpc/grpc-js'
import type { Test } from 'tap'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import {
  type FindWorstBasketsResponse,
  WorstObjective,
  WorstReason,
  type WorstReport,
} from '../../../gateway/gen/loyalty/v1/worst_baskets_pb.js'
import type { BasketBody } from '../../e2e/basket.js'
import { aDocument } from './calculation-suite.js'
import type { GrpcClient } from './grpc-client.js'
import type { Served } from './served.js'

const { findWorstBaskets } = ProgrammeService.method

/** ProgrammeService.FindWorstBaskets. */
export function worstSuite(t: Test, served: () => Served): void {
  t.test('a broken guard of a draft is found, with a receipt and what closes it', async (t) => {
    const { report, steps } = await search(served().reader(t), {
      programme: { case: 'draftDocument', value: aDocument(withTrap) },
      objectives: [WorstObjective.GUARDS],
      venueIds: ['venue-2'],
    })
    const [basket] = report.baskets
    t.match(basket, {
      ...{ objective: WorstObjective.GUARDS, reason: WorstReason.GUARD_BROKEN, guardId: 'books', benefitIds: ['trap'] },
      receipt: { currency: 'NOK', lines: [{ quantityThousandths: 1_000n }] },
      remedies: [{ changes: [{ path: 'benefits[trap].reward.select.not', valueJson: JSON.stringify(books) }] }],
    })
    t.equal(basket!.receipt!.before - basket!.receipt!.after, basket!.off)
    t.ok(steps.every((count, at) => at === 0 || count >= steps[at - 1]!))
    t.ok(report.whole)
  })

  t.test('what a search cannot be made of is refused by its field', async (t) => {
    const reader = served().reader(t)
    const draft = { case: 'draftDocument', value: aDocument(() => {}) } as const
    await t.rejects(search(reader, {}), /programme.*draft_document or programme_version/)
    await t.rejects(search(reader, { programme: draft, budgetSteps: 7 }), /budget_steps.*0, or 100 to 1000000/)
    await t.rejects(search(reader, { programme: draft, objectives: [99] }), /objectives\[0\].*largest_share/)
    await t.rejects(search(reader, { programme: draft, venueIds: ['nowhere'] }), /no venue nowhere/)
    await t.rejects(search(reader, { programme: { case: 'programmeVersion', value: 999_999 } }), /no such programme/)
    await t.rejects(search(reader, { programme: { ...draft, value: '{"benefits": 5}' } }), /benefits/)
  })

  t.test('one search runs at a time, and ends with its caller', async (t) => {
    const reader = served().reader(t)
    const request = {
      programme: { case: 'draftDocument' as const, value: aDocument(withTrap) },
      budgetSteps: 1_000_000,
    }
    const first = reader.stream(findWorstBaskets, request)
    first.on('error', () => {})
    await new Promise((resolve) => first.once('data', resolve))
    await t.rejects(search(reader, request), /a search of worst baskets runs already/)
    first.cancel()
    const again = () => search(reader, { ...request, objectives: [WorstObjective.GUARDS], budgetSteps: 100 })
    for (let turn = 0; ; turn++) {
      const isDone = await again().then(
        () => true,
        () => false,
      )
      if (isDone || turn > 100) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    t.ok((await again()).report.steps > 0)
  })
}

const books = { productGroupIds: ['books'] }

function withTrap(document: BasketBody): void {
  document.benefits.push({ benefitId: 'trap', text: 'Trap', reward: { kind: 'order_percentage', percentage: 20 } })
  Object.assign(document, { guards: [{ guardId: 'books', select: books, never: 'discounted' }], venues: [] })
}

function search(client: GrpcClient, request: object): Promise<{ report: WorstReport; steps: number[] }> {
  return new Promise((resolve, reject) => {
    const steps: number[] = []
    let report: WorstReport | undefined
    client
      .stream(findWorstBaskets, request)
      .on('data', ({ event }: FindWorstBasketsResponse) => {
        if (event.case === 'progress') steps.push(event.value.steps)
        if (event.case === 'report') report = event.value
      })
      .on('error', (error: ServiceError) =>
        reject(new Error(decodeURIComponent(`${error.details} ${error.metadata?.get('grpc-status-details-bin')}`))),
      )
      .on('end', () => resolve({ report: report!, steps }))
  })
}
