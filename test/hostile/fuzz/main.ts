import { parseArgs } from 'node:util'
import { fuzzers, runFuzz } from './run-fuzz.js'

const { values, positionals } = parseArgs({
  options: { cases: { type: 'string' }, seed: { type: 'string' }, from: { type: 'string' } },
  allowPositionals: true,
})
const options = {
  cases: Number(values.cases ?? 200_000),
  seed: Number(values.seed ?? 1),
  from: Number(values.from ?? 0),
}
/** Faults printed at most. */
const linesMax = 20
const chosen = fuzzers.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

for (const fuzzer of chosen) {
  const { tally, megabytesBefore, megabytesHalfway, megabytesAfter, bugs, seconds } = await runFuzz(fuzzer, options)
  const memory = `resident ${megabytesBefore} MB before, ${megabytesHalfway} MB halfway, ${megabytesAfter} MB after`
  const cases = `${options.cases} cases from ${options.from}, seed ${options.seed}`
  console.log(
    `${fuzzer.name}: ${cases}, ${seconds} s; ${tally.text()}; ${memory}; wrong ${tally.wrongCount}, bugs ${bugs.length}`,
  )
  for (const line of [...tally.wrong, ...bugs].slice(0, linesMax)) console.log(`  ${line}`)
  if (tally.wrongCount + bugs.length > 0) process.exitCode = 1
}
