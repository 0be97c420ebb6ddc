import { counterKey } from '../../engine/core/base/outcome.js'
import { StoreFault } from '../../store/fault.js'
import { faultFromError } from '../../store/postgres/connection/faults.js'
import { createOutage } from '../../store/postgres/connection/outage.js'
import { hangMsDefault as hangMs } from '../../store/postgres/connection/pulse.js'
import type { Sql, SqlValue } from '../../store/postgres/connection/sql.js'
import { leaveGateways, meetGateways } from './gateway-functions.js'
import type { Gateway } from './gateway-place.js'
import {
  confirmCalculation,
  expireCalculations,
  findAnswer,
  keepCalculations,
  type NewCalculation,
  withdrawCalculation,
} from './ledger-functions.js'
import { recordSale } from './sale-functions.js'
import type { Terms } from './terms.js'
import type { Transaction } from './transactions.js'
import { memberHints, type Spend } from './value-functions.js'
import type { World } from './world.js'

type Work = (tx: Transaction) => Promise<readonly unknown[]>

/** Time for which the server goes on with a statement that nobody waits for any more, in milliseconds. */
const abandonedMs = 1_200
/** The stored facts of every member. */
const plainMember = JSON.stringify({ tier: null, segments: [], blocked: false })

/**
 * The connections of one gateway to the simulated Postgres: what the real ones do with a refusal, a broken connection, a reply
 * that does not come, and a statement that nobody waits for any more.
 */
export function createPostgresLink(world: World, gateway: Gateway): Sql {
  const { time, dice, database, weather } = world
  const reach = createOutage(() => time.nowMs)
  const unreached = (kind: 'unreachable' | 'timeout') => {
    reach.failed()
    return new StoreFault('ledger', kind, { lasting: reach.isLasting() })
  }

  function run(
    statement: { text: string; values: readonly SqlValue[] },
    { effect, withinMs }: { effect: 'reads' | 'writes'; withinMs: number },
  ): Promise<readonly never[]> {
    return new Promise((resolve, reject) => {
      if (!gateway.owner.alive) return
      const sentAtMs = time.nowMs
      const { owner } = database
      let over = false
      let deaf = () => {}
      function fail(error: unknown): void {
        if (over) return
        over = true
        timer.cancel()
        deaf()
        if (error instanceof StoreFault && error.kind !== 'busy') world.noteFault('ledger', gateway, sentAtMs)
        world.trace(() => `gateway ${gateway.place}: ${error}`)
        reject(error)
      }
      const broken = () => fail(new StoreFault('ledger', effect === 'writes' ? 'in_doubt' : 'unreachable'))
      const timer = time.after(effect === 'reads' ? Math.min(withinMs, hangMs) : withinMs, gateway.owner, () => {
        time.after(abandonedMs, owner, () => session?.cancel())
        fail(effect === 'writes' ? new StoreFault('ledger', 'in_doubt') : unreached('timeout'))
      })
      let session: { cancel(): void } | null = null
      if (weather.refuses('ledger', gateway)) {
        time.after(dice.next() * 5, gateway.owner, () => fail(unreached('unreachable')))
        return
      }
      if (world.busyShare > 0 && dice.chance(world.busyShare)) {
        time.after(dice.next() * withinMs, gateway.owner, () => fail(new StoreFault('ledger', 'busy')))
        return
      }
      world.maybeKill(gateway)
      const lost = weather.loses('ledger', gateway)
      const reply = (received: () => void) => {
        world.maybeKill(gateway)
        time.after(world.hopMs(), gateway.owner, lost === 'reply' || owner !== database.owner ? broken : received)
      }
      deaf = weather.onCrash(owner, () => time.after(world.hopMs(), gateway.owner, broken))
      if (lost === 'request') {
        time.after(world.hopMs(), gateway.owner, broken)
        return
      }
      time.after(world.hopMs(), owner, () => {
        world.trace(
          () =>
            `postgres for ${gateway.place}: ${statement.text.trim().slice(0, 45).replace(/\s+/g, ' ')} ${String(statement.values[0]).slice(0, 70)}`,
        )
        session = database.begin(
          workOf(world, statement),
          (rows) =>
            reply(() => {
              reach.worked()
              if (over) return
              over = true
              timer.cancel()
              deaf()
              resolve(rows as readonly never[])
            }),
          (error) => reply(() => fail(faultFromError(error, effect === 'writes' ? 'writing' : 'reading'))),
        )
      })
    })
  }

  return {
    run,
    transaction: () => Promise.reject(new Error('the simulated Postgres is migrated')),
    close: async () => {},
  }
}

/** What a statement does: the function that it calls, with its arguments as the statement carries them. */
export function workOf(
  world: Pick<World, 'ledgerNowMs' | 'planted'> & { readonly time: Pick<World['time'], 'nowMs'> },
  { text, values }: { readonly text: string; readonly values: readonly SqlValue[] },
): Work {
  const terms: Terms = { nowMs: world.ledgerNowMs, planted: world.planted }
  const at = (place: number) => values[place] as never
  const json = (place: number) => JSON.parse(String(values[place]))
  const name = /(\w+)\(\s*\$1::|rows from \((\w+)|as "memberId", (\w+)/.exec(text.replace(/\s+/g, ' '))
  switch (name?.[1] ?? name?.[2] ?? name?.[3]) {
    case 'find_answer':
      return async (tx) => [await findAnswer(tx, at(0))]
    case 'member_hints':
      return async (tx) => [{ isFound: true, memberId: at(0), body: plainMember, hints: memberHints(tx, at(0)) }]
    case 'withdraw_calculation':
      return async (tx) => [{ reply: await withdrawCalculation(tx, at(0), terms) }]
    case 'expire_calculations':
      return async (tx) => [{ expired: await expireCalculations(tx, at(0), terms) }]
    case 'confirm_within': {
      const calculation = newCalculation(json(0), { digest: at(1), packed: at(2), expiryS: at(6) })
      const sentAtMs = Number(values[8]) * 1_000
      const deadlineMs = sentAtMs + Number(values[9])
      return async (tx) => {
        tx.lockUntilMs = world.time.nowMs + deadlineMs - terms.nowMs()
        const spends = spendsFromJson(json(0))
        const confirmation = { calculation, holds: json(5).map(holdFromJson), spends, sentAtMs, deadlineMs }
        const reply = await confirmCalculation(tx, confirmation, terms)
        return [{ ...reply, ledgerMs: terms.nowMs() }]
      }
    }
    case 'meet_gateways': {
      const report = { gatewayId: at(0), usesCache: at(1), flushedThrough: at(2), wishes: at(3), leaseMs: at(4) }
      return async (tx) => [await meetGateways(tx, report, terms)]
    }
    case 'leave_gateways':
      return async (tx) => [await leaveGateways(tx, at(0))]
    case 'keep_batch': {
      const parts = partsOf(String(at(1)), String(at(2)))
      const records: NewCalculation[] = json(0).map((row: RowJson, place: number) =>
        newCalculation(row, { digest: parts[place * 4]!, packed: parts[place * 4 + 1]!, expiryS: at(3) }),
      )
      return async (tx) => {
        await keepCalculations(tx, records, terms)
        const differs = ({ row }: NewCalculation) =>
          !tx.get('calculations', row.calculationId)!.packed.equals(row.packed)
        const contradicted = records.filter(differs).map(({ row }) => row.calculationId)
        return [{ ledgerMs: terms.nowMs(), contradicted: JSON.stringify(contradicted) }]
      }
    }
    case 'record_sale': {
      const { calculation_id, status } = json(0)
      const sale = { calculationId: calculation_id, status, digest: Buffer.from(at(1)), body: Buffer.from(at(2)) }
      return async (tx) => [await recordSale(tx, sale, { ...terms, idempotencyMs: Number(values[3]) * 1_000 })]
    }
    case 'json_to_recordset':
      return async (tx) => json(0).map((each: CounterJson) => countersAsGiven(tx, each, terms.nowMs()))
    default:
      throw new Error(`the simulated Postgres does not know ${text}`)
  }
}

interface RowJson {
  readonly calculation_id: string
  readonly supersedes_calculation_id: string | null
  readonly venue_id: string
  readonly member_id: string | null
  readonly earning: string | null
  /** JSON. */
  readonly spends: string
  readonly status: string
  readonly answered_at: string
}

interface CounterJson {
  readonly limitId: string
  readonly subject: string
  readonly period: string
}

function newCalculation(
  row: RowJson,
  body: { readonly digest: Uint8Array; readonly packed: Uint8Array; readonly expiryS: number },
): NewCalculation {
  return {
    row: {
      calculationId: row.calculation_id,
      supersedes: row.supersedes_calculation_id,
      venueId: row.venue_id,
      memberId: row.member_id,
      earning: row.earning,
      status: row.status,
      answeredAtMs: Date.parse(row.answered_at),
      digest: Buffer.from(body.digest),
      packed: Buffer.from(body.packed),
    },
    expiryMs: body.expiryS * 1_000,
  }
}

function holdFromJson(hold: { limit_id: string; subject: string; period: string; units: number; maximum: number }) {
  const name = { limitId: hold.limit_id, subject: hold.subject, period: hold.period }
  return { ...name, counter: counterKey(name), units: hold.units, maximum: hold.maximum }
}

function spendsFromJson({ spends }: RowJson): Spend[] {
  const rows = JSON.parse(spends) as readonly { readonly currency_id: string; readonly amount: number }[]
  return rows.map(({ currency_id, amount }) => ({ currencyId: currency_id, amount }))
}

function countersAsGiven(tx: Transaction, name: CounterJson, nowMs: number) {
  const key = counterKey(name)
  const row = tx.get('counters', key)
  const expired = tx
    .rows('reservations')
    .filter(({ counter, state, heldUntilMs }) => counter === key && state === 'open' && heldUntilMs <= nowMs)
    .reduce((sum, { units }) => sum + units, 0)
  return { ...name, used: (row?.used ?? 0) + (row?.late ?? 0), open: (row?.open ?? 0) - expired }
}

/** @param ends  where each part ends, as the text of an array */
function partsOf(bytes: string, ends: string): Buffer[] {
  const all = Buffer.from(bytes.slice('\\x'.length), 'hex')
  const places = JSON.parse(ends.replace('{', '[').replace('}', ']')) as number[]
  let start = 0
  return places.map((end) => {
    const part = all.subarray(start, end)
    start = end
    return part
  })
}
