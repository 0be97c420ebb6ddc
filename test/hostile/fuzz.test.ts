import t from 'tap'
import { firstSeed, sized } from '../support/sized.js'
import { fuzzers, runFuzz } from './fuzz/run-fuzz.js'

const cases: Readonly<Record<string, number>> = {
  json: sized(1_000, 20_000),
  signatures: sized(1_000, 20_000),
  framing: sized(400, 10_000),
  frames: sized(1_000, 20_000),
}
/** Memory a service may still grow by once it is warm: its heap breathes. */
const growthMegabytesMax = 200

t.setTimeout(900_000)

for (const fuzzer of fuzzers) {
  t.test(`hostile ${fuzzer.name}: no 500, no crash, no growth`, async (t) => {
    const options = { seed: firstSeed, cases: cases[fuzzer.name]!, from: 0 }
    const { tally, megabytesBefore, megabytesAfter, bugs } = await runFuzz(fuzzer, options)
    t.comment(`${options.cases} cases: ${tally.text()}; ${megabytesBefore} MB before, ${megabytesAfter} MB after`)
    t.same(tally.wrong, [])
    t.same(bugs, [])
    t.ok(megabytesAfter - megabytesBefore < growthMegabytesMax, `${megabytesAfter - megabytesBefore} MB more`)
  })
}
