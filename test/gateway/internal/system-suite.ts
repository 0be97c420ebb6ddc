import { hostname } from 'node:os'
import type { Test } from 'tap'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { CacheReach, SystemService } from '../../../gateway/gen/loyalty/v1/system_service_pb.js'
import { type Served, within2s } from './served.js'

/** Running gateways and stores, for a reader. */
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
    t.match(gateway!.version, /^\d+\.\d+\.\d+$/)
    t.match(gateway!.commit, /^([0-9a-f]{12}(-dirty)?|unknown)$/)
    t.ok(gateway!.programmeVersion >= 1 && gateway!.programmeVersion <= programme!.version)
    t.ok([CacheReach.UP, CacheReach.ABSENT].includes(gateway!.cache))
    t.ok(gateway!.startedAt!.seconds <= gateway!.seenAt!.seconds)
  })

  t.test('the stores say what they are', async (t) => {
    const { ledger, cache, journal } = await served().reader(t).ask(SystemService.method.getStores, {})
    t.match(ledger, { up: true, version: /^\d+\.\d+/ })
    t.ok(ledger!.bytes > 1_000_000n && ledger!.answerMs > 0)
    t.ok(journal!.entries >= 0n && journal!.oldestMs >= 0)
    t.equal(cache === undefined, ledger!.embedded, 'a test service has both servers or none')
    if (cache !== undefined) t.match(cache, { up: true, version: /^\d+\.\d+/ })
  })

  t.test('settings are for admins, without secrets', async (t) => {
    const { settings } = await served().admin(t).ask(SystemService.method.listSettings, {})
    const shown = (name: string) => settings.find((setting) => setting.name === name)
    t.match(shown('LOYALTY_TOKENS'), { value: 'set', secret: true })
    t.match(shown('LOYALTY_DEADLINE_MS'), { value: '10000', default: '450', secret: false })
    t.match(shown('LOYALTY_CORS_ORIGINS'), { value: '' })
    for (const token of Object.values(served().tokens)) t.notOk(JSON.stringify(settings).includes(token))
    for (const role of ['reader', 'support', 'marketing'] as const)
      t.match(await served().as(t, role).unary(SystemService.method.listSettings, {}), { code: 7 }, role)
  })
}
