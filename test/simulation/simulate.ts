import { counterKey } from '../../engine/core/base/outcome.js'
import type { AnswerBody, BasketBody, BenefitId, CostedId } from './bodies.js'
import { heal, restartDead, unleash } from './chaos.js'
import { type Checker, createChecker } from './checker.js'
import type { Excuse } from './excuses.js'
import { type RunningGateway, startGateway } from './gateway.js'
import { createPosCallers, type PosCallers } from './pos-callers.js'
import { limitsOf } from './pricing.js'
import { freeOf } from './value-checks.js'
import { accountOf } from './value-functions.js'
import { costs } from './value-programme.js'
import type { Owner } from './virtual-time.js'
import { createWorld, type RunOptions, type World } from './world.js'

/** What one run found. */
export interface Run {
  readonly seed: number
  /** Promises broken, the first ones; empty where all held. */
  readonly violations: readonly string[]
  /** Keys whose answers were allowed to differ, each with why. */
  readonly excused: readonly Excuse[]
  readonly requests: number
  readonly answered: number
  /** Faults that gateways met. */
  readonly faults: number
  readonly events: number
  /** Programme of the virtual world ended at this moment, in milliseconds. */
  readonly endedAtMs: number
}

/** While things go wrong, in virtual milliseconds. */
const chaosMs = 2_500
/** Within this time after all is up again everything must be answered, free and written, in milliseconds (I10, I11, I14). */
const healedMs = 10_000
const lookEveryMs = 250
/** Time for the last baskets, in milliseconds: a POS asks a few times in it. */
const regrantedMs = 10_000
/** After this time a gateway asks the ledger again what a member has, in milliseconds. */
const hintMs = 2_000
/** Units that the last basket wants. */
const wantedMax = 9
/** Pause until somebody starts another gateway in the place of a dead one, in milliseconds. */
const restartMs = 700

/**
 * Runs a few gateways, their stores and their POS callers in virtual time, and breaks what the seed says. The same seed does the
 * same, whatever the machine does.
 */
export async function simulate(seed: number, options: RunOptions = {}): Promise<Run> {
  const checker = createChecker(() => world)
  const world: World = createWorld(seed, options, (tables) => checker.committed(tables))
  try {
    return await runWorld(seed, world, checker)
  } finally {
    world.time.close()
  }
}

async function runWorld(seed: number, world: World, checker: Checker): Promise<Run> {
  const { time, dice } = world
  const start = (place: number) => startGateway(world, place)
  const reach = () => (world.gateways as RunningGateway[]).filter(({ draining }) => !draining)
  for (let place = dice.between(2, 3); place > 0; place -= 1) world.gateways.push(start(world.gateways.length))
  const posCallers = createPosCallers(world, reach, checker)
  posCallers.plan(dice.between(4, 8), chaosMs)
  unleash(world, chaosMs)
  const keeper: Owner = { alive: true, resumesAtMs: 0 }
  const lookAfter = () => {
    restartDead(world, start)
    time.after(restartMs * (0.5 + dice.next()), keeper, lookAfter)
  }
  lookAfter()
  await time.run(time.nowMs + chaosMs)
  heal(world, start)
  await runUntilSettled(world, posCallers)
  checkUnblocked(posCallers, checker)
  checker.finish()
  world.calm = true
  await checkRegranted(world, posCallers, checker)
  const answered = posCallers.errands.filter(({ result }) => result?.kind === 'answered').length
  const { violations, excused } = checker
  const { length: requests } = posCallers.errands
  return {
    seed,
    violations,
    excused,
    requests,
    answered,
    faults: world.faults.length,
    events: time.turn,
    endedAtMs: time.nowMs,
  }
}

/** Ends as soon as all is answered and written, at the latest when the time that the promises give is over. */
async function runUntilSettled(world: World, posCallers: PosCallers): Promise<void> {
  const { time, redis, gateways } = world
  const healedAtMs = time.nowMs
  while (time.nowMs < Math.max(healedAtMs, world.quietAtMs) + healedMs) {
    await time.run(time.nowMs + lookEveryMs)
    const written =
      redis.journalled().length === 0 && (gateways as RunningGateway[]).every(({ journal }) => journal.depth === 0)
    if (written && posCallers.settled()) return
  }
}

/** I11: ten seconds after the last fault every key has its answer. */
function checkUnblocked({ errands }: PosCallers, checker: Checker): void {
  for (const { endpoint, key, result, failures } of errands) {
    if (result === null) checker.fault('I11', `${endpoint} ${key} is blocked, after ${failures} attempts`)
  }
}

/** I10: what the ledger says is left, the next basket that wants it gets. */
async function checkRegranted(world: World, posCallers: PosCallers, checker: Checker): Promise<void> {
  const benefits: readonly (BenefitId | CostedId)[] = ['A', 'B', 'C', 'D', 'E']
  await world.time.run(world.time.nowMs + hintMs)
  const asked = benefits.map((benefit) => {
    const calculationId = posCallers.basketKey()
    const wanted: BasketBody = {
      calculationId,
      supersedes: null,
      venueId: 'v1',
      loyaltyId: 'm1',
      wants: { [benefit]: wantedMax },
    }
    const left = leftOf(world, benefit, wanted)
    return {
      benefit,
      left,
      errand: posCallers.send({ endpoint: 'basket', key: calculationId, bodies: [JSON.stringify(wanted)] }),
    }
  })
  const untilMs = world.time.nowMs + regrantedMs
  while (asked.some(({ errand }) => errand.result === null) && world.time.nowMs < untilMs) {
    await world.time.run(world.time.nowMs + lookEveryMs)
  }
  for (const { benefit, left, errand } of asked) {
    if (errand.result?.kind !== 'answered') {
      checker.fault('I11', `${errand.key} was not answered though nothing was wrong`)
      continue
    }
    const granted = grantedOf(benefit, JSON.parse(Buffer.from(errand.result.body).toString()) as AnswerBody)
    if (granted < left) checker.fault('I10', `${left} units of ${benefit} are left, ${granted} were granted`)
  }
}

function isCosted(benefit: BenefitId | CostedId): benefit is CostedId {
  return benefit in costs
}

function grantedOf(benefit: BenefitId | CostedId, { holds, spends }: AnswerBody): number {
  if (!isCosted(benefit)) return holds[0]?.units ?? 0
  const { currencyId, amount } = costs[benefit]
  return (spends[currencyId] ?? 0) / amount
}

function leftOf(world: World, benefit: BenefitId | CostedId, body: BasketBody): number {
  const { counters, reservations } = world.database.tables
  const nowMs = world.ledgerNowMs()
  if (isCosted(benefit)) {
    if (!world.hasCosts) return 0
    const { currencyId, amount } = costs[benefit]
    const free = freeOf(world.database.tables, accountOf(body.loyaltyId, currencyId), nowMs)
    return Math.min(wantedMax, Math.floor(free / amount))
  }
  return Math.max(
    0,
    Math.min(
      ...limitsOf(benefit, body, world.maxima).map((limit) => {
        const key = counterKey(limit)
        const row = counters.get(key)
        const expired = [...reservations.values()]
          .filter(({ counter, state, heldUntilMs }) => counter === key && state === 'open' && heldUntilMs <= nowMs)
          .reduce((sum, { units }) => sum + units, 0)
        return row === undefined ? limit.maximum : limit.maximum - row.used - row.late - row.open + expired
      }),
    ),
  )
}
