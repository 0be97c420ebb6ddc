import type { Test } from 'tap'
import { auditSuite, reasonSuite } from './audit-suite.js'
import { calculationSuite, manyCalculationsSuite, simulationSuite } from './calculation-suite.js'
import { asIfSuite, closedSuite } from './closed-suite.js'
import { draftsSuite, sharedSuite } from './drafts-suite.js'
import { earningSuite } from './earning-suite.js'
import { eventSuite } from './event-suite.js'
import { exportSuite, forgetSuite } from './forget-suite.js'
import { limitSuite } from './limit-suite.js'
import { memberSuite } from './member-suite.js'
import { mergingSuite } from './merging-suite.js'
import { posReturnSuite } from './pos-return-suite.js'
import { posRefusalSuite, posSuite } from './pos-suite.js'
import { programmeSuite } from './programme-suite.js'
import { releaseSuite } from './release-suite.js'
import { reportSuite } from './report-suite.js'
import { returnSuite } from './return-suite.js'
import { rewardSuite } from './reward-suite.js'
import { saleSuite } from './sale-suite.js'
import { searchSuite } from './search-suite.js'
import type { Served } from './served.js'
import { shadowSuite } from './shadow-suite.js'
import { spendingSuite } from './spending-suite.js'
import { accessSuite, systemSuite, viewSuite } from './system-suite.js'
import { tierSuite } from './tier-suite.js'
import { timelineSuite } from './timeline-suite.js'
import { valueSuite } from './value-suite.js'
import { priceListSuite, venueSuite } from './venue-suite.js'
import { forgedTokensSuite, reflectionSuite, wireSuite } from './wire-suite.js'
import { worstSuite } from './worst-suite.js'

/** Every internal service, for any stores; in this order, on one service. */
export function servicesSuite(t: Test, served: () => Served): void {
  t.test('limits', async (t) => limitSuite(t, served))
  t.test('members', async (t) => memberSuite(t, served))
  t.test('reasons', async (t) => reasonSuite(t, served))
  t.test('member value', async (t) => valueSuite(t, served))
  t.test('rewards', async (t) => rewardSuite(t, served))
  t.test('events', async (t) => eventSuite(t, served))
  t.test('forgetting', async (t) => forgetSuite(t, served))
  t.test('exported members', async (t) => exportSuite(t, served))
  t.test('venues', async (t) => venueSuite(t, served))
  t.test('price lists', async (t) => priceListSuite(t, served))
  t.test('audit records', async (t) => auditSuite(t, served))
  t.test('what runs', async (t) => systemSuite(t, served))
  t.test('programmes', async (t) => programmeSuite(t, served))
  t.test('reflection', async (t) => reflectionSuite(t, served))
  t.test('calculations', async (t) => calculationSuite(t, served))
  t.test('simulated baskets', async (t) => simulationSuite(t, served))
  t.test('many calculations', async (t) => manyCalculationsSuite(t, served))
  t.test('POS callers', async (t) => posSuite(t, served))
  t.test('refusals of POS callers', async (t) => posRefusalSuite(t, served))
  t.test('sales', async (t) => saleSuite(t, served))
  t.test('earning', async (t) => earningSuite(t, served))
  t.test('benefits that were not open', async (t) => closedSuite(t, served))
  t.test('spending', async (t) => spendingSuite(t, served))
  t.test('timelines', async (t) => timelineSuite(t, served))
  t.test('returns', async (t) => returnSuite(t, served))
  t.test('returns of a POS', async (t) => posReturnSuite(t, served))
  t.test('merged members, claims and rewards', async (t) => mergingSuite(t, served))
  t.test('shadow runs', async (t) => shadowSuite(t, served))
  t.test('worst baskets', async (t) => worstSuite(t, served))
  t.test('tiers', async (t) => tierSuite(t, served))
  t.test('forged page tokens', async (t) => forgedTokensSuite(t, served))
  t.test('on the wire', async (t) => wireSuite(t, served))
}

/** Calls of the console to the internal services, over gRPC. */
export function consoleSuite(t: Test, served: () => Served): void {
  t.test('roles', async (t) => accessSuite(t, served))
  t.test('search', async (t) => searchSuite(t, served))
  t.test('release', async (t) => releaseSuite(t, served))
  t.test('reports', async (t) => reportSuite(t, served))
  t.test('as if', async (t) => asIfSuite(t, served))
  t.test('drafts', async (t) => draftsSuite(t, served))
  t.test('shared drafts', async (t) => sharedSuite(t, served))
  t.test('views', async (t) => viewSuite(t, served))
}
