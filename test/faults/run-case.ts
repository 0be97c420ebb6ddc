import { setTimeout as sleep } from 'node:timers/promises'
import { Dice } from '../support/dice.js'
import type { PostgresServer } from '../support/servers/start-postgres.js'
import type { RedisOptions } from '../support/servers/start-redis.js'
import { readAftermath } from './aftermath.js'
import { check, isAtRest } from './check.js'
import { type CounterClient, createCounterClient } from './counter-client.js'
import type { Evidence, Violation } from './evidence.js'
import { answered, finalAnswer } from './history.js'
import { importOpening, readLedgerRows, recountValue } from './ledger-rows.js'
import { maxima as programmeMaxima } from './programmes.js'
import { type Share, startTraffic, usualShare } from './traffic.js'
import { probeLimits, watchLimits } from './watch-limits.js'
import { openWorld, type World } from './world.js'

/** One row of the fault matrix (reliability.md): what is broken, and how, during traffic. */
export interface FaultCase {
  /** Such as `F7`. */
  readonly id: string
  readonly title: string
  readonly redis?: RedisOptions
  /** A Redis Cluster of three masters and three replicas, and a balancer before the gateways. */
  readonly cluster?: { readonly nodeTimeoutMs: number }
  /** Default 2. */
  readonly gateways?: number
  readonly env?: Readonly<Record<string, string>>
  /** Factor on the usual traffic; default 1. */
  readonly load?: number
  readonly share?: Share
  /** Replies of Postgres can be cut short (`World.behind`). */
  readonly cutsReplies?: true
  /** The case has its own Postgres, whose clock it sets. */
  readonly clockSteps?: 'server' | 'functions'
  /**
   * Redis forgets or refuses writes. Where the ledger is also too slow for a look-up, two stores fail at once, and a key may get a
   * second answer without limited benefits. Such keys are counted and excused.
   */
  readonly cacheFails?: true
  /** Maxima of another programme that the case publishes: the greatest of each limit, and the last ones. */
  readonly maxima?: { readonly greatest: ReadonlyMap<string, number>; readonly last: ReadonlyMap<string, number> }
  /** Breaks things and repairs them; resolves to unmet expectations beyond the invariants. */
  run(stage: Stage): Promise<readonly string[]> | Promise<void>
}

/** Tools of a case. */
export interface Stage {
  readonly world: World
  readonly client: CounterClient
  readonly dice: Dice
  /** True for every case and place; false for the part that a daily test has time for. */
  readonly full: boolean
}

export interface CaseOptions {
  readonly postgres: PostgresServer
  readonly seed: number
  /** Calls a second. */
  readonly rate: number
  /** Factor on promised times, for a busy machine. */
  readonly patience: number
  readonly full: boolean
  /** Settings of every gateway, before those of the case. */
  readonly env?: Readonly<Record<string, string>>
}

/** The outcome of a case. */
export interface CaseReport {
  readonly id: string
  readonly title: string
  readonly calls: number
  readonly attempts: number
  readonly answers200: number
  readonly sales200: number
  readonly distinctAnswersMax: number
  /** Calculations whose sale used value, and what rules gave for sales. */
  readonly spent: number
  readonly earned: number
  readonly skipped: number
  readonly violations: readonly Violation[]
  /** Keys with two answers where both stores had failed. */
  readonly excused: number
  /** Unmet expectations beyond the invariants. */
  readonly missed: readonly string[]
  /** Per gateway: why it answered 503, where its log shows it. */
  readonly causes: readonly ReadonlyMap<string, number>[]
  readonly seconds: number
}

/** Time in which everything is settled and every journal empty after the last repair, in milliseconds (I11, I14). */
const settledWithinMs = 10_000
/** Traffic before the fault and after it. */
const calmMs = 800

/** Runs one case with traffic around it, then checks every invariant. */
export async function runCase(fault: FaultCase, options: CaseOptions): Promise<CaseReport> {
  const began = performance.now()
  const dice = new Dice(options.seed)
  const world = await openWorld({ ...options, ...fault, env: { ...options.env, ...fault.env }, dice })
  const client = createCounterClient(world.doors, dice)
  try {
    const { missed, evidence, skipped } = await perform(fault, options, { world, client, dice, full: options.full })
    const { id, title } = fault
    const { violations, excused } = judge(check(evidence), evidence, fault)
    const seconds = (performance.now() - began) / 1000
    const causes = world.gateways.map((slot) => slot.causes())
    return { id, title, ...countsOf(evidence), skipped, violations, excused, missed, causes, seconds }
  } finally {
    await client.close()
    await world.close()
  }
}

async function perform(fault: FaultCase, { rate, patience }: CaseOptions, stage: Stage) {
  const { world, client, dice } = stage
  const { greatest, last } = fault.maxima ?? { greatest: programmeMaxima, last: programmeMaxima }
  await importOpening(world.databaseUrl)
  const watch = watchLimits(world, greatest)
  const traffic = startTraffic(client, dice, rate * (fault.load ?? 1), fault.share ?? usualShare)
  let missed: readonly string[] = []
  try {
    await sleep(calmMs)
    missed = (await fault.run(stage)) ?? []
    world.heal()
    await sleep(calmMs)
  } catch (error) {
    // Calls and looks that go on would keep the process from ending.
    client.giveUpAt(0)
    await watch.stop()
    throw error
  } finally {
    traffic.stop()
  }
  await settle(client, settledWithinMs * patience)
  const probes = await probeLimits(world, client, { maxima: last, withinMs: settledWithinMs * patience })
  const sightings = await watch.stop()
  await client.close()
  const aftermath = await readAftermath(world, settledWithinMs * patience, isAtRest)
  const evidence: Evidence = {
    history: client.history,
    rows: await readLedgerRows(world.sql),
    maxima: greatest,
    expiryMs: Number(world.env['LOYALTY_EXPIRY_S']) * 1000,
    ledgerSteps: world.ledgerSteps,
    sightings,
    probes,
    recount: await recountValue(world.databaseUrl),
    aftermath,
  }
  return { missed, evidence, skipped: traffic.skipped }
}

/** Separates violations that a cache without its answers excuses (wire decisions 6: a basket call goes on with either store alone). */
export function judge(
  found: readonly Violation[],
  { history }: Pick<Evidence, 'history'>,
  { cacheFails }: Pick<FaultCase, 'cacheFails'>,
) {
  const degraded = new Set(
    history.filter((call) => finalAnswer(call)?.text.includes('"limit_exhausted"')).map(({ key }) => key),
  )
  const keys = new Set<string>()
  const violations = found.filter(({ invariant, what }) => {
    const key =
      cacheFails &&
      ['I6', 'I7', 'I8', 'I15', 'I16'].includes(invariant) &&
      [...degraded].find((each) => what.includes(each))
    if (key) keys.add(key)
    return !key
  })
  return { violations, excused: keys.size }
}

/** Waits until every call is settled; gives up the rest after `withinMs`. */
export async function settle(client: CounterClient, withinMs: number): Promise<void> {
  const untilMs = performance.now() + withinMs
  while (client.open > 0 && performance.now() < untilMs) await sleep(50)
  client.giveUpAt(performance.now())
  while (client.open > 0) await sleep(50)
  client.giveUpAt(performance.now() + withinMs)
}

function countsOf({ history, rows: { value } }: Evidence) {
  const seen = history.flatMap((call) =>
    answered(call).map(({ answer }) => ({ key: `${call.endpoint} ${call.key}`, answer })),
  )
  const texts = new Map<string, Set<string>>()
  for (const { key, answer } of seen) texts.set(key, (texts.get(key) ?? new Set()).add(answer.text))
  return {
    calls: history.length,
    attempts: history.reduce((sum, { attempts }) => sum + attempts.length, 0),
    answers200: seen.length,
    sales200: seen.filter(({ key }) => key.startsWith('sale')).length,
    spent: new Set(value.used.map(({ calculationId }) => calculationId)).size,
    earned: value.counted.filter(({ given }) => given > 0).length,
    distinctAnswersMax: Math.max(0, ...[...texts.values()].map(({ size }) => size)),
  }
}
