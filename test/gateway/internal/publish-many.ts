import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import postgres from 'postgres'
import { ProgrammeService } from '../../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { aBasket } from '../../e2e/basket.js'
import { type GrpcClient, openGrpcClient } from './grpc-client.js'
import { openLoop, startMeasured } from './load.js'
import { e2eProgramme } from './served.js'

/**
 * Publishes version after version while a POS sells, and checks every calculation against the version it names: `node
 * dist/test/gateway/internal/publish-many.js --versions 200 --seconds 60 --rate 200`. Exits with 1 where a basket got an error, a
 * calculation disagrees with its version, or a version came into force later than 2 s after it was published.
 */
const { values } = parseArgs({
  options: {
    versions: { type: 'string', default: '200' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
})
const versions = Number(values.versions)
const seconds = Number(values.seconds)
const unitPrice = 1_000_000
const inForceMs = 2_000
/** Time for calculations to reach the ledger. */
const journalledMs = 5_000

/** The version from the price of its coffee: version n takes off n cents; the first one, the file as it is, 10 %. */
const versionOfNet = (net: number) => (net === unitPrice * 0.9 ? 1 : unitPrice - net)

function documentOf(version: number): string {
  const document = JSON.parse(readFileSync(e2eProgramme, 'utf8'))
  document.benefits[0].reward = {
    kind: 'line_amount',
    select: { productIds: ['coffee'] },
    amount: version,
    per: 'line',
  }
  return JSON.stringify(document)
}

const { served, databaseUrl, stop } = await startMeasured('real')
const client = openGrpcClient(served.target, served.tokens.admin)
const publishedAt = new Map<number, number>()
const answered: { readonly calculationId: string; readonly version: number; readonly sentAt: number }[] = []
let refused = 0

async function publishAll(client: GrpcClient): Promise<void> {
  const startedAt = performance.now()
  for (let version = 2; version <= versions + 1; version += 1) {
    const dueAt = startedAt + ((version - 2) * seconds * 1_000) / versions
    await sleep(Math.max(0, dueAt - performance.now()))
    const request = { requestId: randomUUID(), document: documentOf(version), expectedVersion: version - 1 }
    await client.ask(ProgrammeService.method.publishProgramme, request)
    publishedAt.set(version, performance.now())
  }
}

async function sell(): Promise<string> {
  const basket = aBasket('ben').line({ productId: 'coffee', unitPrice })
  const sentAt = performance.now()
  const { status, json } = await served.service.send('/v1/pos/basket', basket.text())
  if (status !== 200) return String(status)
  if (json.status === 'applied') {
    const version = versionOfNet(json.basket.totals.net)
    answered.push({ calculationId: json.calculationId, version, sentAt })
  }
  return json.status
}

/** Answers by a version that had been replaced for more than 2 s when the basket was sent. */
function outdated(): number {
  return answered.filter(({ version, sentAt }) => {
    const replacedAt = publishedAt.get(version + 1)
    return replacedAt !== undefined && sentAt > replacedAt + inForceMs
  }).length
}

/** Calculations whose stored version differs from the one of their answer. */
async function inconsistent(): Promise<{ readonly stored: number; readonly wrong: number }> {
  const sql = postgres(databaseUrl!, { max: 1 })
  await sleep(journalledMs)
  const rows = await sql`select calculation_id::text as id, programme_version as version from calculation`
  await sql.end()
  const stored = new Map(rows.map(({ id, version }) => [id, version]))
  const wrong = answered.filter(({ calculationId, version }) => stored.get(calculationId) !== version)
  return { stored: stored.size, wrong: wrong.length }
}

const publishing = publishAll(client).catch((error: Error) => {
  console.log(error.message)
  refused += 1
})
const loop = await openLoop({ rate: Number(values.rate), seconds, seed: Number(values.seed) }, sell)
await publishing
const { stored, wrong } = await inconsistent()
console.log(loop.text)
console.log(`${publishedAt.size} versions published; ${answered.length} priced, ${stored} stored`)
console.log(
  `${wrong} calculations disagree with their version, ${outdated()} priced later than 2 s after their version ended`,
)
client.close()
await stop()
const failed =
  refused > 0 || wrong > 0 || outdated() > 0 || [...loop.outcomes.keys()].some((word) => word !== 'applied')
process.exitCode = failed ? 1 : 0
