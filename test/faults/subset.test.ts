import t from 'tap'
import { startPostgres } from '../servers/start-postgres.js'
import { everyCase } from './cases/every-case.js'
import { runCase } from './run-case.js'

/** One fault of each kind; `npm run faults` runs them all, and longer. */
const chosen = [
  'F1',
  'F3',
  'F7',
  'F8b',
  'F8c',
  'F8d',
  'F11',
  'F15',
  'F18',
  'F19',
  'F23',
  'F25',
  'F28',
  'F29',
  'F40',
  'F42',
  'F45',
  'F50',
  'clock-back',
]
/** Calls a second: few enough for a busy machine. */
const rate = 25
/** Factor on promised times, for a busy machine. */
const patience = 12
/** An answer may take longer too, but less than a POS waits. */
const env = { LOYALTY_DEADLINE_MS: '1000' }

t.setTimeout(1_800_000)

const postgres = await startPostgres()
t.teardown(() => postgres.stop())

for (const id of chosen) {
  const fault = everyCase.find((each) => each.id === id)!
  t.test(`every invariant holds through ${id}: ${fault.title}`, async (t) => {
    const { violations, attempts } = await runCase(fault, { postgres, seed: 1, rate, patience, full: false, env })
    t.same(violations, [])
    t.ok(attempts > 50, `${attempts} requests were sent`)
  })
}
