// Runs the long rigs: all of them, named ones, or one share of them. Fails where one of them fails.
import { parseArgs } from 'node:util'
import { nodeOf, rigsNamed, shareOf, shares } from './rigs.mjs'
import { runTests } from './run-tests.mjs'

const help = `npm run verify -- [name ...] [--share today|0..${shares.length - 1}] [--list]
  name     such as faults or faults/redis; none: every rig
  --share  the rigs of one share; today: the one whose turn it is`
/** The processors at the full size. */
const jobs = 2

const { values, positionals } = parseArgs({
  options: { share: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean' } },
  allowPositionals: true,
})
process.exitCode = await main()

async function main() {
  if (values.help) return say(help, 0)
  if (values.list) return list()
  const chosen = chosenRigs()
  if (chosen === null) return say(help, 2)
  const failed = []
  for (const rig of chosen) if (!(await runRig(rig))) failed.push(rig.name)
  return say(
    `${chosen.length - failed.length} of ${chosen.length} rigs passed${failed.map((name) => `; failed: ${name}`).join('')}`,
    failed.length > 0 ? 1 : 0,
  )
}

function chosenRigs() {
  if (values.share !== undefined) {
    const number = values.share === 'today' ? shareOf(Date.now()) : Number(values.share)
    console.log(`share ${number} of 0 to ${shares.length - 1}`)
    return shares[number] ?? null
  }
  if (positionals.length === 0) return shares.flat()
  const found = positionals.map(rigsNamed)
  return found.some((rigs) => rigs.length === 0) ? null : [...new Set(found.flat())]
}

async function runRig({ name, tests, env, runtime }) {
  const began = performance.now()
  const files = tests.map((file) => `dist/${file.replace(/\.ts$/, '.js')}`)
  const node = runtime === undefined ? process.execPath : nodeOf(runtime)
  const ended = await runTests(files, { jobs, node, env: { ...env, FULL: '1' } })
  const failed = ended.filter(({ ok }) => !ok)
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`${failed.length === 0 ? 'ok    ' : 'FAILED'} ${seconds.padStart(6)} s  ${name}`)
  for (const { files, lines } of failed) for (const line of [...files, ...lines]) console.log(`       ${line}`)
  return failed.length === 0
}

function list() {
  for (const [number, rigs] of shares.entries()) {
    const isToday = number === shareOf(Date.now())
    console.log(`share ${number}${isToday ? ', today' : ''}: ${rigs.map(({ name }) => name).join(' ')}`)
  }
  return 0
}

function say(line, code) {
  console.log(line)
  return code
}
