import type { Test } from 'tap'
import { accessSuite } from './access-suite.js'
import { asIfSuite } from './as-if-suite.js'
import { draftsSuite, sharedSuite } from './drafts-suite.js'
import { releaseSuite } from './release-suite.js'
import { reportSuite } from './report-suite.js'
import { searchSuite } from './search-suite.js'
import type { Served } from './served.js'
import { viewSuite } from './view-suite.js'

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
