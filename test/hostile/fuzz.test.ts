import t from 'tap'
import { fuzzers, runFuzz } from './fuzz/run-fuzz.js'

/** A share of what `node dist/test/hostile/fuzz/main.js` runs. */
const cases: Readonly<Record<string, number>> = { json: 2_000, signatures: 3_000, framing: 1_000, frames: 2_000 }
/** How much memory a warm service may still grow. */
const growthMegabytesMax = 200

t.setTimeout(900_000)

for (const fuzzer of fuzzers) {
  t.test(`hostile ${fuzzer.name}: no 500, no crash, no growth`, async (t) => {
    const options = { seed: Number(process.env['SEED'] ?? 1), cases: cases[fuzzer.name]!, from: 0 }
    const { tally, megabytesBefore, megabytesAfter, bugs } = await runFuzz(fuzzer, options)
    t.comment(`${options.cases} cases: ${tally.text()}; ${megabytesBefore} MB before, ${megabytesAfter} MB after`)
    t.same(tally.wrong, [])
    t.same(bugs, [])
    t.ok(megabytesAfter - megabytesBefore < growthMegabytesMax, `${megabytesAfter - megabytesBefore} MB more`)
  })
}
