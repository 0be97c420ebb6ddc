import { join } from 'node:path'
import { startService, unhurried } from '../../e2e/service.js'
import { sized } from '../../support/sized.js'
import { aGoodBasket } from '../body-row.js'
import { fuzzFrames } from './fuzz-frames.js'
import { fuzzFraming } from './fuzz-framing.js'
import { fuzzJson } from './fuzz-json.js'
import { fuzzSignatures } from './fuzz-signatures.js'
import { type Fuzzer, residentMegabytes, runFuzzer, type Tally } from './fuzzer.js'

export const fuzzers: readonly Fuzzer[] = [fuzzJson, fuzzSignatures, fuzzFraming, fuzzFrames]

export interface FuzzOptions {
  readonly seed: number
  readonly cases: number
  readonly from: number
}

export interface FuzzResult {
  readonly tally: Tally
  /** Resident memory of the service once it was warm, after half of the cases, and at the end, megabytes. */
  readonly megabytesBefore: number
  readonly megabytesHalfway: number
  readonly megabytesAfter: number
  /** Bugs in the service's log. */
  readonly bugs: readonly string[]
  readonly seconds: number
}

const token = 'the-token-of-an-admin'
/** Cases before memory is first looked at: everything is loaded and grown to its size by then. */
const warmCases = sized(500, 2_000)

/** Runs one fuzzer against a service as `npm start` starts it, embedded; afterwards it must still serve. */
export async function runFuzz(fuzzer: Fuzzer, { seed, cases, from }: FuzzOptions): Promise<FuzzResult> {
  const programme = join(import.meta.dirname, '..', '..', 'e2e', 'programme.json')
  const env = { ...unhurried, LOYALTY_PROGRAM: programme, LOYALTY_TOKENS: `admin:${token}`, LOYALTY_LOG: 'warn' }
  const service = await startService({ env })
  try {
    const pid = service.child.pid!
    await runFuzzer(fuzzer, { service, token, seed: seed + 1, cases: Math.min(cases, warmCases), from: 0 })
    const megabytesBefore = residentMegabytes(pid)
    const startedAt = performance.now()
    const half = Math.floor(cases / 2)
    const tally = await runFuzzer(fuzzer, { service, token, seed, cases: half, from })
    const megabytesHalfway = residentMegabytes(pid)
    await runFuzzer(fuzzer, { service, token, seed, cases: cases - half, from: from + half }, tally)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const megabytesAfter = residentMegabytes(pid)
    const good = await service.send('/v1/pos/basket', JSON.stringify(aGoodBasket()))
    if (good.status !== 200) tally.fault(-1, `afterwards a right basket is answered ${good.status}`)
    const bugs = service.output.filter((line) => /"level":(50|60)/.test(line))
    return { tally, megabytesBefore, megabytesHalfway, megabytesAfter, bugs, seconds }
  } finally {
    await service.stop()
  }
}
