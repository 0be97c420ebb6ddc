import type { Test } from 'tap'
import { accessSuite } from './access-suite.js'
import type { Served } from './served.js'

/** What a console asks of the internal services, over gRPC. */
export function consoleSuite(t: Test, served: () => Served): void {
  t.test('roles', async (t) => accessSuite(t, served))
}
