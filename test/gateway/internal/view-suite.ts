import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { ViewService } from '../../../gateway/gen/loyalty/v1/view_service_pb.js'
import type { Served } from './served.js'

const { listViews, storeView, deleteView } = ViewService.method

/** Saved views of the console's lists. */
export function viewSuite(t: Test, served: () => Served): void {
  t.test("a view of a list is its author's, or shared", async (t) => {
    const [support, marketing] = [served().as(t, 'support'), served().as(t, 'marketing')]
    const namesOf = async (client: typeof support) =>
      (await client.ask(listViews, { list: 'sales' })).views.map(({ name }) => name)
    const own = { requestId: randomUUID(), list: 'sales', name: 'Oslo', query: '?venueId=oslo' }
    const all = { ...own, requestId: randomUUID(), name: 'Bergen', shared: true }
    for (const view of [own, own, all]) await support.ask(storeView, view)
    t.same([await namesOf(support), await namesOf(marketing)], [['Bergen', 'Oslo'], ['Bergen']])
    const deletion = () => ({ requestId: randomUUID(), viewId: all.requestId })
    t.match(await marketing.unary(deleteView, deletion()), { code: 5, reason: 'VIEW_NOT_FOUND' })
    t.match(await marketing.unary(deleteView, { ...deletion(), viewId: own.requestId }), { reason: 'VIEW_NOT_FOUND' })
    await support.ask(deleteView, { ...deletion(), viewId: own.requestId })
    t.same(await namesOf(support), ['Bergen'])
    const left = { ...own, requestId: randomUUID() }
    await support.ask(storeView, left)
    const admin = served().admin(t)
    t.same(await namesOf(admin), ['Bergen'])
    for (const { requestId: viewId } of [all, left]) await admin.ask(deleteView, { ...deletion(), viewId })
    t.same(await namesOf(support), [], "an admin deletes any, also a leaver's private one")
    t.match(await support.unary(storeView, { requestId: 'x', list: 'y', query: 'https://elsewhere.example' }), {
      violations: [/^list/, /^request_id/, /^name/, /^query/],
    })
    for (const filter of ['memberId', 'loyaltyId', 'who', 'subj%65ct'])
      t.match(
        await support.unary(storeView, { ...own, requestId: randomUUID(), query: `?venueId=oslo&${filter}=m-anna` }),
        {
          violations: [/^query.*no member/],
        },
      )
    t.match(await support.unary(listViews, {}), { violations: [/^list/] })
    const begin = () => support.unary(storeView, { ...own, requestId: randomUUID() })
    for (let stored = 0; stored < 200; stored += 1) await begin()
    t.match(await begin(), { code: 8, reason: 'TOO_MANY_VIEWS' })
    for (const shared of [false, true]) await marketing.ask(storeView, { ...own, requestId: randomUUID(), shared })
    t.same(await namesOf(marketing), ['Oslo', 'Oslo'], "another's private views leave room")
  })
}
