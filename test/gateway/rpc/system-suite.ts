import { hostname } from 'node:os'
import type { Test } from 'tap'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { CacheReach, SystemService } from '../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { type Served, within2s } from './served.js'

/** What runs, as a reader sees it. */
export function systemSuite(t: Test, served: () => Served): void {
  t.test('the gateway that answers is on its own list', async (t) => {
    const reader = served().reader(t)
    const own = async () => {
      const { gateways } = await reader.ask(SystemService.method.listGateways, {})
      return gateways.filter(({ host }) => host === hostname())
    }
    await within2s(t, async () => (await own()).length > 0, 'it has reported')
    const { programme } = await reader.ask(ProgrammeService.method.getProgramme, { version: 0, withoutDocument: true })
    const [gateway, ...others] = await own()
    t.same(others, [])
    t.match(gateway, { nodeVersion: process.versions.node, processes: 1, processesWanted: 1, silent: false })
    t.match(gateway!.version, /^\d+\.\d+\.\d+/)
    t.ok(gateway!.programmeVersion >= 1 && gateway!.programmeVersion <= programme!.version)
    t.ok([CacheReach.UP, CacheReach.ABSENT].includes(gateway!.cache))
    t.ok(gateway!.startedAt!.seconds <= gateway!.seenAt!.seconds)
  })
}
