import { join } from 'node:path'
import { type RunningService, startService, unhurried } from '../../e2e/service.js'
import { sized } from '../../support/sized.js'
import { aGoodBasket } from '../body-row.js'
import { fuzzFrames, fuzzFraming } from './fuzz-connections.js'
import { fuzzJson } from './fuzz-json.js'
import { fuzzSignatures } from './fuzz-signatures.js'
import { type Fuzzer, residentMegabytes, runFuzzer, type Tally } from './fuzzer.js'

export const fuzzers: readonly Fuzzer[] = [fuzzJson, fuzzSignatures, fuzzFraming, fuzzFrames]

interface FuzzResult {
  readonly tally: Tally
  /** Resident memory of the service once it was warm, and at the end, megabytes. */
  readonly megabytesBefore: number
  readonly megabytesAfter: number
}

const token = 'the-token-of-an-admin'
/** Cases before memory is first looked at: everything is loaded and grown to its size by then. */
const warmCases = sized(200, 2_000)

/** A service as `npm start` starts it, embedded. */
export async function startFuzzed(): Promise<RunningService> {
  const programme = join(import.meta.dirname, '..', '..', 'e2e', 'programme.json')
  const env = { ...unhurried, LOYALTY_PROGRAM: programme, LOYALTY_TOKENS: `admin:${token}`, LOYALTY_LOG: 'warn' }
  return await startService({ env })
}

/** Runs one fuzzer against a service; afterwards it must still serve. */
export async function runFuzz(
  service: RunningService,
  fuzzer: Fuzzer,
  seed: number,
  cases: number,
): Promise<FuzzResult> {
  const pid = service.child.pid!
  await runFuzzer(fuzzer, { service, token, seed: seed + 1, cases: Math.min(cases, warmCases) })
  const megabytesBefore = residentMegabytes(pid)
  const tally = await runFuzzer(fuzzer, { service, token, seed, cases })
  const megabytesAfter = residentMegabytes(pid)
  const good = await service.send('/v1/pos/basket', JSON.stringify(aGoodBasket()))
  if (good.status !== 200) tally.fault(-1, `afterwards a right basket is answered ${good.status}`)
  return { tally, megabytesBefore, megabytesAfter }
}
