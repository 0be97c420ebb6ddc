import t from 'tap'
import { startPostgres } from '../support/servers/start-postgres.js'
import { isFull } from '../support/sized.js'
import { casesByKind, everyCase } from './cases/every-case.js'
import { runCase } from './run-case.js'

/** One each of gateways, both stores (Redis wiped among them) and POSs. `npm run verify -- faults` runs every case at its full length. */
const short = ['F1', 'F29', 'F40']
/** Kinds that a rig names; all of them otherwise. */
const kinds = process.env['FAULTS']?.split(',') ?? Object.keys(casesByKind)
const chosen = isFull
  ? kinds.flatMap((kind) => casesByKind[kind]!)
  : short.map((id) => everyCase.find((each) => each.id === id)!)
/** Calls a second: few enough for a machine that is busy with something else. */
const rate = 25
/** How much longer than promised such a machine may take. */
const patience = 12
/** Such a machine may take longer for an answer, too: less than the POS wait. */
const env = { LOYALTY_DEADLINE_MS: '1000' }

t.setTimeout(1_800_000)

/** Two gateways of three processes each have more connections than the default allows. */
const postgres = await startPostgres({ settings: { max_connections: '120' } })
t.teardown(() => postgres.stop())

let spent = 0

for (const fault of chosen) {
  t.test(`every invariant holds through ${fault.id}: ${fault.title}`, async (t) => {
    const { violations, missed, attempts, ...counts } = await runCase(fault, {
      postgres,
      seed: 1,
      rate,
      patience,
      full: isFull,
      env,
    })
    t.same(violations, [])
    if (isFull) t.same(missed, [])
    t.ok(attempts > 50, `${attempts} requests were sent`)
    spent += counts.spent
  })
}

t.test('members spent what they had collected meanwhile', (t) => {
  t.ok(spent > 0, `${spent} sales used value`)
  t.end()
})
