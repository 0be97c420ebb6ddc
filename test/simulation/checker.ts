import type { Reply } from '../../gateway/use-cases/replies.js'
import { type AnswerBody, answerInPacked, type BasketBody } from './bodies.js'
import { type Excuse, excuseOf } from './excuses.js'
import { createLedgerWitness } from './ledger-witness.js'
import type { Tables } from './transactions.js'
import { accountsAstray, createDebtWitness, earningAstray, livingSpends, spendingAstray } from './value-checks.js'
import type { World } from './world.js'

/** A 200 as it left a gateway. */
export interface Served {
  readonly endpoint: 'basket' | 'sale'
  readonly key: string
  /** The request's body. */
  readonly body: string
  readonly reply: Extract<Reply, { readonly kind: 'answered' }>
  /** The gateway, and when it began to work on this call. */
  readonly place: number
  readonly fromMs: number
}

/** Checks the history of the POS callers and the state of the ledger against the promises of reliability.md. */
export interface Checker {
  /** Checks the ledger after a commit. */
  committed(tables: Tables): void
  served(served: Served): void
  fault(promise: string, what: string): void
  /** Checks everything once all stores have been back for long enough. */
  finish(): void
  readonly violations: readonly string[]
  readonly excused: readonly Excuse[]
}

/** Violations reported of one run: the first is what matters. */
const violationsMax = 5

export function createChecker(world: () => World): Checker {
  const violations: string[] = []
  const excused: Excuse[] = []
  const answers = new Map<string, Set<string>>()
  const parsed = new Map<string, AnswerBody>()
  const salesServed = new Map<string, { fresh: number; results: Set<string> }>()
  const seen = new Map<string, Buffer>()
  const stored = new Map<string, AnswerBody>()
  const reported = new Set<string>()
  const witness = createLedgerWitness(world)
  const debts = createDebtWitness()

  function fault(promise: string, what: string): void {
    const isNew = !reported.has(`${promise} ${what}`)
    reported.add(`${promise} ${what}`)
    if (isNew && violations.length < violationsMax)
      violations.push(`${promise} at ${Math.round(world().time.nowMs)} ms: ${what}`)
  }

  function livingUnits(tables: Tables): void {
    const nowMs = world().ledgerNowMs()
    const living = new Map<string, { units: number; maximum: number }>()
    const answered = [...parsed].filter(([id]) => {
      const row = tables.calculations.get(id)
      const sold = row?.state === 'finalised' && tables.sales.get(id)?.status === 'applied'
      return sold || (row?.state === 'open' && row.expiresAtMs > nowMs)
    })
    for (const line of livingSpends(tables, answered)) fault('I3', line)
    for (const [, { holds }] of answered) {
      for (const { counter, units, maximum } of holds) {
        living.set(counter, { units: units + (living.get(counter)?.units ?? 0), maximum })
      }
    }
    for (const [counter, { units, maximum }] of living) {
      if (units > maximum) fault('I3', `${units} units of ${named(counter)} live, of ${maximum}`)
    }
  }

  function noteNew(tables: Tables): void {
    for (const [calculationId, { packed }] of tables.calculations) {
      if (seen.get(calculationId) === packed) continue
      seen.set(calculationId, packed)
      const answer = answerInPacked(packed)
      stored.set(calculationId, JSON.parse(answer) as AnswerBody)
      world().placements.push({
        store: 'ledger',
        calculationId,
        answer,
        atMs: world().time.nowMs,
      })
    }
  }

  function servedBasket({ key, body, reply, place, fromMs }: Served): void {
    const text = Buffer.from(reply.body).toString()
    const answer = JSON.parse(text) as AnswerBody
    const asked = JSON.parse(body) as BasketBody
    if (JSON.stringify(answer.wants) !== JSON.stringify(asked.wants)) fault('I8', `${key} answers another body`)
    answers.set(key, (answers.get(key) ?? new Set()).add(text))
    parsed.set(key, answer)
    const { tables } = world().database
    const row = tables.calculations.get(key)
    const takes = answer.holds.length > 0 || Object.keys(answer.spends).length > 0
    if (takes && (row === undefined || answerInPacked(row.packed) !== text) && !excuse(key)) {
      fault('I6', `${key} left with a limited or costed benefit that the ledger has not confirmed`)
    }
    livingUnits(tables)
    if (!reply.replayed) for (const line of witness.wrongNos(asked, answer, { place, fromMs })) fault('I10', line)
  }

  function servedSale({ key, body, reply }: Served): void {
    const row = world().database.tables.sales.get(key)
    const { result } = JSON.parse(Buffer.from(reply.body).toString()) as { result: string }
    if (row === undefined) {
      fault('I5', `sale ${key} answered ${result} has no row`)
      return
    }
    const { status } = JSON.parse(body) as { status: string }
    if (row.status !== status) fault('I8', `sale ${key} ${status} answered from a sale that was ${row.status}`)
    if (row.result !== result) fault('I7', `sale ${key} answered ${result}, stored as ${row.result}`)
    const known = salesServed.get(key) ?? { fresh: 0, results: new Set() }
    salesServed.set(key, { fresh: known.fresh + (reply.replayed ? 0 : 1), results: known.results.add(result) })
    if (salesServed.get(key)!.fresh > 1) fault('I4', `sale ${key} was recorded twice`)
    if (known.results.size > 1) fault('I7', `sale ${key} has several answers`)
  }

  function excuse(key: string): boolean {
    const found = excuseOf(world(), key)
    if (found !== null) excused.push(found)
    return found !== null
  }

  function finishBasket(key: string, texts: ReadonlySet<string>): void {
    const { tables } = world().database
    const row = tables.calculations.get(key)
    if (row === undefined) {
      if (!isExtinct(key)) fault('I6', `${key} was answered and the ledger does not know it`)
      else excused.push('lost_with_cache')
      return
    }
    const [differs, several] = [!texts.has(answerInPacked(row.packed)), texts.size > 1]
    if ((!differs && !several) || excuse(key)) return
    if (several) fault('I7', `${key} has ${texts.size} different answers: ${[...texts].join(' and ')}`)
    else fault('I6', `${key} was answered ${[...texts].join()}, the ledger has ${answerInPacked(row.packed)}`)
  }

  /** The cache lost it before the ledger had it, and no gateway with a copy lives. */
  function isExtinct(key: string): boolean {
    return world().lost.has(key) && !livingCopies(key)
  }

  const livingCopies = (key: string) =>
    world()
      .living()
      .some(({ copies }) => copies.has(key))

  return {
    violations,
    excused,
    fault,
    committed(tables) {
      witness.committed(tables)
      noteNew(tables)
      for (const line of recount(tables)) fault('I1 I2', line)
      for (const line of halfSuperseded(tables, world().ledgerNowMs())) fault('I2', line)
      livingUnits(tables)
      for (const line of [...accountsAstray(tables), ...debts.committed(tables)]) fault('I17', line)
      for (const line of spendingAstray(tables, stored)) fault('I15', line)
      for (const line of earningAstray(tables, stored)) fault('I16', line)
    },
    served(served) {
      if (served.endpoint === 'basket') servedBasket(served)
      else servedSale(served)
    },
    finish() {
      for (const [key, texts] of answers) finishBasket(key, texts)
      for (const line of salesOutOfState(world().database.tables)) fault('I2', line)
      for (const bug of world().bugs) fault('I13', bug)
      if (world().database.deadlocks > 0) fault('I11', `${world().database.deadlocks} deadlocks`)
      for (const id of world().redis.journalled()) fault('I14', `${id} is still journalled`)
    },
  }
}

/** Redundant sums in the tables must agree, and timely use never exceeds a limit. */
export function recount({ counters, reservations, calculations }: Tables): string[] {
  const sums = new Map([...counters.keys()].map((key) => [key, { open: 0, used: 0, late: 0, released: 0 }]))
  const lines: string[] = []
  for (const { calculationId, counter, units, state } of reservations.values()) {
    sums.get(counter)![state] += units
    const holder = calculations.get(calculationId)?.state ?? 'gone'
    const fits = { open: ['open'], used: ['finalised'], late: ['expired', 'superseded'], released: null }[state]
    if (fits !== null && !fits.includes(holder))
      lines.push(`a reservation of ${calculationId}, which is ${holder}, is ${state}`)
  }
  for (const [key, { open, used, late, maximum }] of counters) {
    const sum = sums.get(key)!
    if (open !== sum.open || used !== sum.used || late !== sum.late) {
      lines.push(`${named(key)} has ${open}/${used}/${late}, its reservations ${sum.open}/${sum.used}/${sum.late}`)
    }
    if (used + open > maximum) lines.push(`${named(key)}: used ${used} + open ${open} > ${maximum}`)
    if (Math.min(used, open, late) < 0) lines.push(`${named(key)} is negative`)
  }
  return lines
}

/** A calculation is never open together with the one that superseded it. */
function halfSuperseded({ calculations }: Tables, nowMs: number): string[] {
  return [...calculations.values()].flatMap((fresh) => {
    const old = calculations.get(fresh.supersedes ?? '')
    const lives = old?.state === 'open' && old.venueId === fresh.venueId && old.expiresAtMs > nowMs
    return lives && fresh.answeredAtMs < old.expiresAtMs
      ? [`${old.calculationId} lives beside ${fresh.calculationId}`]
      : []
  })
}

function salesOutOfState({ sales, calculations }: Tables): string[] {
  return [...sales.values()].flatMap(({ calculationId, status, discrepancies }) => {
    const state = calculations.get(calculationId)?.state
    const wrong =
      state === 'open' ||
      (state === 'finalised' && status === 'cancelled') ||
      (state === 'abandoned' && status !== 'cancelled') ||
      (state === 'expired' && !discrepancies.includes('late_event')) ||
      (state === 'superseded' && !discrepancies.includes('superseded')) ||
      (state !== undefined && discrepancies.includes('unknown_calculation'))
    return wrong
      ? [`the sale of ${calculationId} (${status}, ${discrepancies}) met a calculation that is ${state}`]
      : []
  })
}

function named(counter: string): string {
  return counter.replaceAll('\n', '/')
}
