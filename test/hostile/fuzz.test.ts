import t from 'tap'
import { firstSeed, sized } from '../support/sized.js'
import { fuzzers, runFuzz, startFuzzed } from './fuzz/run-fuzz.js'

const cases: Readonly<Record<string, number>> = {
  json: sized(700, 20_000),
  signatures: sized(500, 20_000),
  framing: sized(300, 10_000),
  frames: sized(500, 20_000),
}
/** Memory a service may still grow by once it is warm: its heap breathes. */
const growthMegabytesMax = 200

t.setTimeout(900_000)

const service = await startFuzzed()
t.teardown(() => service.stop())

for (const fuzzer of fuzzers) {
  t.test(`hostile ${fuzzer.name}: no 500, no crash, no growth`, async (t) => {
    const many = cases[fuzzer.name]!
    const { tally, megabytesBefore, megabytesAfter } = await runFuzz(service, fuzzer, firstSeed, many)
    t.comment(`${many} cases: ${tally.text()}; ${megabytesBefore} MB before, ${megabytesAfter} MB after`)
    t.same(tally.wrong, [])
    t.same(
      service.output.filter((line) => /"level":(50|60)/.test(line)),
      [],
    )
    t.ok(megabytesAfter - megabytesBefore < growthMegabytesMax, `${megabytesAfter - megabytesBefore} MB more`)
  })
}
