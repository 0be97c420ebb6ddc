import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { engineVersion } from '../../../engine/index.js'
import { CalculationService } from '../../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import type { CalculationRecord } from '../../../store/ledger/calculations.js'
import { createPostgresLedger } from '../../../store/postgres/create-postgres-ledger.js'
import { startPostgres } from '../../support/servers/start-postgres.js'
import { startServed } from './served.js'

t.setTimeout(300_000)

type Bytes = 'digest' | 'packed' | 'explanation'
type StoredRecord = Omit<CalculationRecord, Bytes> &
  Readonly<Record<Bytes, string>> & { readonly engineVersion: number }

/** The sample programme of their day, and rows of `calculation` that services with engines 1 and 2 wrote for `npm run demo`; bytes in base64. */
interface EarlierEngines {
  readonly document: object
  readonly calculations: readonly StoredRecord[]
}

const earlier = JSON.parse(readFileSync(join(import.meta.dirname, 'earlier-engines.json'), 'utf8')) as EarlierEngines

t.test('calculations that earlier engines stored are replayed to the same value', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lps-earlier-'))
  const programme = join(folder, 'programme.json')
  writeFileSync(programme, JSON.stringify(earlier.document))
  const postgres = await startPostgres()
  const url = await postgres.createDatabase()
  const served = await startServed({ DATABASE_URL: url, LOYALTY_PROGRAM: programme })
  const ledger = await createPostgresLedger({
    url,
    expiryS: 1_800,
    idempotencyS: 86_400,
    readMs: 10_000,
    saleMs: 10_000,
  })
  t.teardown(async () => {
    await ledger.close()
    await served.service.stop()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  await ledger.calculations.store(earlier.calculations.map((stored) => recordOf(stored, ledger.clock())))
  const reader = served.reader(t)
  for (const { calculationId, engineVersion: stored, status } of earlier.calculations) {
    const replay = await reader.ask(CalculationService.method.replayCalculation, { calculationId })
    const expected = { same: true, storedEngineVersion: stored, engineVersion }
    t.match(replay, expected, `engine ${stored}, ${status}, ${calculationId}`)
  }
  t.same([...new Set(earlier.calculations.map((each) => each.engineVersion))], [1, 2])
})

function recordOf({ digest, packed, explanation, ...record }: StoredRecord, answeredAt: number): CalculationRecord {
  const bytes = (text: string) => Buffer.from(text, 'base64')
  return {
    ...record,
    digest: bytes(digest),
    packed: bytes(packed),
    explanation: bytes(explanation),
    gap: 0,
    earning: null,
    gave: null,
    holds: [],
    answeredAt,
  }
}
