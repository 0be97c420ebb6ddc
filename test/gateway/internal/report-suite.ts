import type { Test } from 'tap'
import { Discrepancy } from '../../../gateway/gen/loyalty/v1/enums_pb.js'
import { LimitService } from '../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { ReportService, SumsBy, type WatchTodayResponse } from '../../../gateway/gen/loyalty/v1/report_service_pb.js'
import { watchersMax } from '../../../gateway/internal/watching.js'
import { aBasket, aSale } from '../../e2e/basket.js'
import { until } from '../../support/until.js'
import type { GrpcClient } from './grpc-client.js'
import type { Served } from './served.js'

const { reportSums, reportTraffic, watchToday } = ReportService.method

const oslo = { venueId: 'venue-2', baxId: 'bax-3', cashRegisterId: 'register-1', channel: 'pos' }

/** Sums of sales, and today's figures. */
export function reportSuite(t: Test, served: () => Served): void {
  const today = () => new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Oslo' }).format()
  const sell = async (charged: Record<string, unknown> = { paidTotal: 405, loyaltyDiscountTotal: 45 }) => {
    const coffee = aBasket('anna', oslo).with({ currency: 'NOK' }).line({ productId: 'coffee', unitPrice: 450 })
    await served().send('/v1/pos/sale', JSON.stringify(aSale(await served().applied(coffee), charged)))
  }

  t.test('a sale is in the sums at once', async (t) => {
    const reader = served().reader(t)
    const day = today()
    const request = { fromDay: day, untilDay: day, by: [SumsBy.BENEFIT, SumsBy.VENUE], venueId: 'venue-2' }
    const before = await reader.ask(reportSums, request)
    await sell()
    await sell({ status: 'cancelled', transactionId: null })
    const after = await reader.ask(reportSums, request)
    if (day !== today()) return t.comment('a day ended meanwhile')
    const [was] = before.benefits
    t.match(after.benefits, [
      {
        ...{ benefitId: 'coffee-10', venueId: 'venue-2', day: '', currency: 'NOK' },
        calculations: (was?.calculations ?? 0n) + 2n,
        redemptions: (was?.redemptions ?? 0n) + 1n,
        discount: (was?.discount ?? 0n) + 45n,
        paid: (was?.paid ?? 0n) + 405n,
      },
    ])
    const [sold] = before.sales
    t.match(after.sales, [
      {
        ...{ venueId: 'venue-2', day: '', currency: 'NOK' },
        sales: (sold?.sales ?? 0n) + 1n,
        memberSales: (sold?.memberSales ?? 0n) + 1n,
        cancelled: (sold?.cancelled ?? 0n) + 1n,
      },
    ])
    const one = await reader.ask(reportSums, { ...request, by: [SumsBy.DAY], benefitId: 'coffee-10' })
    t.match(one.benefits, [{ benefitId: '', venueId: '', day }])
    t.same(one.sales, [], 'sums of sales are not of a benefit')
    t.same((await reader.ask(reportSums, { ...request, fromDay: '2020-01-01', untilDay: '2020-12-31' })).benefits, [])
  })

  t.test('members that got a benefit are counted once, some seconds later', async (t) => {
    const reader = served().reader(t)
    await sell()
    await sell()
    const day = today()
    const ask = async (more: object) => {
      const { reach, reachSince } = await reader.ask(reportSums, { fromDay: day, untilDay: day, ...more })
      t.ok(reachSince)
      return reach
    }
    const reach = await until(
      () => ask({ by: [SumsBy.BENEFIT] }),
      (found) => found.some(({ benefitId, members }) => benefitId === 'coffee-10' && members > 0n),
    )
    t.ok(reach.every(({ benefitId }) => benefitId !== ''))
    t.match(await ask({ benefitId: 'coffee-10', by: [SumsBy.DAY] }), [{ benefitId: '', day, members: 1n }])
    const top = await reader.ask(ReportService.method.reportTopMembers, { benefitId: 'coffee-10', membersMax: 1 })
    const [most] = top.members
    t.match(most, { lastDay: day })
    t.ok(most!.redemptions > 0n)
    t.equal(top.redemptions, most!.redemptions + top.others, 'the rows and the others add up')
    t.match(await reader.unary(ReportService.method.reportTopMembers, { membersMax: 101 }), {
      violations: [/^benefit_id: /, /^members_max: /],
    })
    const [any] = await ask({})
    t.ok(any!.members >= 1n)
    t.same(await ask({ venueId: 'venue-2' }), [], 'not by venue')
    t.same(await ask({ by: [SumsBy.VENUE] }), [])
    t.same(await ask({ fromDay: '2020-01-01' }), [], 'not for years')
  })

  t.test('traffic of the last day is there minute by minute, soon after each is over', async (t) => {
    const reader = served().reader(t)
    const { steps, all, hour, now, until, ...bounds } = await reader.ask(reportTraffic, {
      minutes: 100,
      stepMinutes: 30,
    })
    t.equal(steps.length, 4)
    t.same(
      steps.map(({ from }) => Number(until!.seconds - from!.seconds) / 60),
      [100, 90, 60, 30],
    )
    t.equal(all!.seconds, 6_000)
    t.equal(hour!.seconds, 3_600)
    t.equal(now!.seconds, 60)
    t.match(bounds, { p95MaxMs: 150, p99MaxMs: 250 })
    t.equal(
      steps.reduce((sum, { traffic }) => sum + traffic!.baskets, 0n),
      all!.baskets,
    )
    t.equal((await reader.ask(reportTraffic, {})).steps.length, 144)
    t.match(await reader.unary(reportTraffic, { minutes: 2_881, stepMinutes: -1 }), {
      code: 3,
      violations: [/^minutes: /, /^step_minutes: /],
    })
  })

  t.test('what is wrong with a request is said', async (t) => {
    const reader = served().reader(t)
    const refused = async (more: object) => {
      const outcome = await reader.unary(reportSums, { fromDay: '2026-01-01', untilDay: '2026-12-31', ...more })
      return outcome.kind === 'refused' ? outcome.violations.map((each) => each.split(':')[0]) : []
    }
    t.same(await refused({ fromDay: '2026-02-30', untilDay: '' }), ['from_day', 'until_day'])
    t.same(await refused({ fromDay: '2027-01-01' }), ['until_day'])
    t.same(await refused({ fromDay: '2010-01-01' }), ['until_day'])
    t.same(await refused({ by: [SumsBy.UNSPECIFIED, SumsBy.DAY, SumsBy.DAY, 9] }), ['by[0]', 'by[2]', 'by[3]'])
    t.same(await refused({ venueId: 'a\nb' }), ['venue_id'])
    t.same(await refused({}), [])
  })

  t.test('today shows what sold, what was answered, what runs out and what disagrees', async (t) => {
    const reader = served().reader(t)
    const limitId = 'cake-member'
    t.ok((await reader.ask(LimitService.method.listLimits, { limitId })).counters)
    const seen = watch(t, reader, 'venue-2')
    await seen.next()
    await sell({ paidTotal: 406, loyaltyDiscountTotal: 46 })
    const untilMs = performance.now() + 20_000
    for (;;) {
      const now = await seen.next()
      const isSeen = now.discrepancies.some(({ discrepancy }) => discrepancy === Discrepancy.PAID_TOTAL_MISMATCH)
      if (!isSeen && performance.now() < untilMs) continue
      t.ok(isSeen)
      t.equal(now.disagreeingSales, 1n)
      t.match(now.benefits, [{ benefitId: 'coffee-10', currency: 'NOK' }])
      t.match(now.venues, [{ venueId: 'venue-2', currency: 'NOK' }])
      t.equal(now.totals.length, 1)
      t.ok(now.programmeVersion >= 1)
      break
    }
  })

  t.test('a limit of which 80 % is taken is shown, one of a member never', async (t) => {
    const reader = served().reader(t)
    const taken = async () => (await watchedOnce(t, reader)).limits.find(({ limitId }) => limitId === 'juice-budget')
    const has = async () => (await reader.ask(LimitService.method.getLimit, { limitId: 'juice-budget' })).counter!
    for (let { used, open, late } = await has(); used + open + late < 800n; { used, open, late } = await has()) {
      if (used + open + late === 0n) t.equal(await taken(), undefined, 'none is taken')
      await served().applied(aBasket('ben').line({ productId: 'juice', unitPrice: 700 }))
    }
    // Watchers of all venues share messages for a second.
    const full = await until(taken, (found) => found !== undefined)
    t.match(full, { subject: '', period: '', taken: 800n, maximum: 1_000n })
    await served()
      .applied(aBasket('ben').line({ productId: 'cake', unitPrice: 900 }))
      .catch(() => null)
    const shown = (await watchedOnce(t, reader)).limits
    t.notOk(shown.some(({ limitId }) => limitId === 'cake-member'))
  })

  t.test('a watcher that has gone leaves its place to another', async (t) => {
    const reader = served().reader(t)
    for (let count = 0; count <= watchersMax; count += 1) t.ok((await watchedOnce(t, reader)).programmeVersion >= 1)
  })
}

/** The first message of a watch of every venue, which ends with it. */
async function watchedOnce(t: Test, reader: GrpcClient): Promise<WatchTodayResponse> {
  const watched = watch(t, reader, '')
  const now = await watched.next()
  watched.end()
  return now
}

/** The messages of a watch, one by one. */
function watch(t: Test, reader: GrpcClient, venueId: string): { next(): Promise<WatchTodayResponse>; end(): void } {
  const call = reader.stream(watchToday, { venueId })
  t.teardown(() => call.cancel())
  call.on('error', () => {})
  const messages = call[Symbol.asyncIterator]() as AsyncIterator<WatchTodayResponse>
  return { next: async () => (await messages.next()).value, end: () => call.cancel() }
}
