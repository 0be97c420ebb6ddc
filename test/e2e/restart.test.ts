import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { MemberService } from '../../gateway/gen/loyalty/v1/member_service_pb.js'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { nameOfToken, type Served, startServed } from '../gateway/internal/served.js'
import { startPostgres } from '../support/servers/start-postgres.js'
import { until } from '../support/until.js'
import type { BasketBody } from './basket.js'

const run = promisify(execFile)
const lps = join(import.meta.dirname, '..', '..', 'clients', 'lps', 'main.js')
const programme = join(import.meta.dirname, 'programme.json')
const folder = mkdtempSync(join(tmpdir(), 'lps-restart-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
t.setTimeout(600_000)

/** Writes the programme of the tests with another percentage on coffee. */
function write(name: string, percentage: number): string {
  const document = JSON.parse(readFileSync(programme, 'utf8')) as BasketBody
  document['benefits'][0].reward.percentage = percentage
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(document, null, percentage % 4))
  return file
}

/** Runs `lps publish`. */
async function publish({ service, tokens }: Served, file: string): Promise<string> {
  const tokenFile = join(folder, 'tokens')
  writeFileSync(tokenFile, `admin:${tokens.admin}\n`)
  const words = ['publish', file, '--internal', service.internalUrl, '--token-file', tokenFile]
  return (await run(process.execPath, [lps, ...words])).stdout
}

/** The line of the start log that names the version in force. */
function inForce({ service }: Served): Promise<string | undefined> {
  const records = () => service.output.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  return until(
    () => records().find(({ msg }) => /^programme version \d+ is in force/.test(msg))?.msg as string | undefined,
    (line) => line !== undefined,
  )
}

await t.test('a restart keeps published changes, and takes a changed file', async (t) => {
  const postgres = await startPostgres()
  t.teardown(() => postgres.stop())
  const DATABASE_URL = await postgres.createDatabase()
  const file = write('file.json', 10)
  const start = () => startServed({ DATABASE_URL, LOYALTY_PROGRAM: file })
  const first = await start()
  t.match(
    await inForce(first),
    /^programme version 1 is in force: the ledger held none, so LOYALTY_PROGRAM \(.*\) was published$/,
  )
  t.match(await publish(first, write('published.json', 20)), /version 2 is published/)
  const requestId = randomUUID()
  await first.admin(t).ask(MemberService.method.forgetMember, { requestId, loyaltyId: 'never-enrolled' })
  const asked = await first.reader(t).ask(MemberService.method.getForgetting, { requestId })
  await first.service.stop()

  const editor = nameOfToken('admin', first.tokens.admin)
  const second = await start()
  t.match(
    await inForce(second),
    `programme version 2 is in force: published by ${editor}; LOYALTY_PROGRAM (${file}) has not changed`,
  )
  const admin = second.admin(t)
  t.same(await admin.ask(MemberService.method.getForgetting, { requestId }), asked, 'how far a forgetting is stays')
  const rolledBack = { requestId: randomUUID(), version: 1, expectedVersion: 2 }
  await admin.ask(ProgrammeService.method.rollBack, rolledBack)
  t.match(await publish(second, join(folder, 'published.json')), /version 4 is published/)
  await admin.ask(ProgrammeService.method.rollBack, { ...rolledBack, requestId: randomUUID(), expectedVersion: 4 })
  await second.service.stop()

  write('file.json', 30)
  const both = await Promise.all([start(), start()])
  t.teardown(() => Promise.all(both.map(({ service }) => service.stop())))
  const lines = await Promise.all(both.map(inForce))
  t.equal(
    lines.filter((line) => line?.includes('was published, for it has changed')).length,
    1,
    'two gateways publish it once',
  )
  t.equal(lines.filter((line) => line?.startsWith('programme version 6 is in force')).length, 2)
})
