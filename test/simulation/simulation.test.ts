import t from 'tap'
import { sized } from '../support/sized.js'
import type { Excuse } from './excuses.js'
import { type Mistake, mistakes } from './mistakes.js'
import { simulate } from './simulate.js'

/** Longer than it takes, however busy the machine is. */
const timeoutMs = 1_800_000
const seeds = sized(200, 5_000)
/** Seeds within which a planted mistake must have shown itself. */
const plantedSeedsMax = 2_000

/** Which promise of reliability.md each mistake breaks, and a seed that has shown it: that one is tried first. */
const broken: Readonly<Record<Mistake, { readonly promise: RegExp; readonly seed: number }>> = {
  no_conditional_update: { promise: /^I1 |^I3/, seed: 21 },
  trust_cache_counters: { promise: /^I1 |^I3/, seed: 2 },
  trust_cache_no: { promise: /^I10/, seed: 2 },
  release_before_commit: { promise: /^I3/, seed: 860 },
  supersede_separately: { promise: /^I1 |^I2/, seed: 1 },
  superseded_not_awaited: { promise: /^I2/, seed: 69 },
  no_unique_key: { promise: /^I1 |^I7/, seed: 1 },
  key_not_claimed: { promise: /^I6|^I7/, seed: 121 },
  forget_before_ledger: { promise: /^I6/, seed: 113 },
  copy_dropped_early: { promise: /^I6/, seed: 7 },
  in_doubt_recalculated: { promise: /^I6|^I7/, seed: 58 },
  remember_before_commit: { promise: /^I6|^I7/, seed: 1 },
  answer_before_commit: { promise: /^I6/, seed: 1 },
  sale_settled_twice: { promise: /^I1 I2/, seed: 2 },
  sale_answered_early: { promise: /^I5/, seed: 1 },
  sale_not_joined: { promise: /^I2/, seed: 2 },
  late_sale_as_timely: { promise: /^I1 |^I3/, seed: 7 },
  no_lock_order: { promise: /^I11.*deadlock/, seed: 50 },
  withdraw_replayed: { promise: /^I6|^I7/, seed: 174 },
  body_not_compared: { promise: /^I8/, seed: 2 },
  busy_as_outage: { promise: /^I10/, seed: 7 },
  call_without_timer: { promise: /^I11/, seed: 7 },
  hold_without_look: { promise: /^I17/, seed: 12 },
  basket_makes_debt: { promise: /^I17.*made a debt/, seed: 10 },
  account_not_locked: { promise: /^I17/, seed: 41 },
  hold_released_after_use: { promise: /^I15.*is released/, seed: 4 },
  superseded_keeps_hold: { promise: /^I15/, seed: 2 },
  hint_decides: { promise: /^I15|^I6/, seed: 1 },
  failed_sale_spends: { promise: /^I15/, seed: 17 },
  late_use_forgiven: { promise: /^I17/, seed: 202 },
  sale_earns_twice: { promise: /^I16/, seed: 3 },
}

t.setTimeout(timeoutMs)

t.test(
  `no promise is broken by ${seeds} seeds of kills, pauses, lost and stale stores and impatient POS callers`,
  async (t) => {
    const sums = { requests: 0, answered: 0, faults: 0 }
    const excused: Excuse[] = []
    const violations: string[] = []
    for (let seed = 1; seed <= seeds; seed += 1) {
      const run = await simulate(seed)
      for (const name of ['requests', 'answered', 'faults'] as const) sums[name] += run[name]
      excused.push(...run.excused)
      for (const violation of run.violations) violations.push(`seed ${seed}: ${violation}`)
    }
    t.same(violations, [], 'run.js --seeds 1 --from SEED --trace shows every event of a seed')
    t.ok(sums.faults > seeds, 'enough went wrong')
    t.ok(sums.answered > 0.8 * sums.requests, 'and most was answered all the same')
    t.ok(excused.length < 0.01 * sums.answered, 'answers that may differ are rare')
    t.comment(`${JSON.stringify(sums)}, ${excused.length} keys with two answers where nobody could know`)
  },
)

for (const mistake of mistakes) {
  t.test(`the mistake ${mistake} does not go unseen`, async (t) => {
    const { promise, seed } = broken[mistake]
    const others = Array.from({ length: plantedSeedsMax }, (_, at) => at + 1)
    for (const each of [seed, ...others]) {
      const { violations } = await simulate(each, { planted: [mistake] })
      if (!violations.some((violation) => promise.test(violation))) continue
      t.pass(`seen in seed ${each}`)
      return
    }
    t.fail(`not seen in ${plantedSeedsMax} seeds`)
  })
}

t.test('a seed does the same again, also after others have run', async (t) => {
  const received: string[][] = [[], []]
  for (const lines of received) {
    for (const seed of [7, 8, 9])
      lines.push(JSON.stringify(await simulate(seed, { trace: (line) => void lines.push(line) })))
  }
  t.ok(received[0]!.length > 100)
  t.same(received[0], received[1])
})
