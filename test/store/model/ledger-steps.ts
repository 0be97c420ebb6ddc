import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { counterKey, type Want } from '../../../engine/core/base/outcome.js'
import type { CalculationRecord } from '../../../store/ledger/calculations.js'
import type { Ledger } from '../../../store/ledger.js'
import { type Sql, sql } from '../../../store/postgres/connection/sql.js'
import { fc } from '../../support/seeded.js'
import { aRecord, aSale, eventBody, plenty } from '../ledger-builders.js'
import { type Asked, maxima, type ReferenceLedger, type SaleStatus, saleVenue } from './reference-ledger.js'

/** A ledger under test, with GUIDs and limits of one run. */
export interface Real {
  readonly ledger: Ledger
  readonly database: Sql
  readonly run: string
  readonly guids: string[]
}

/** Calculations of one run: few, so that steps interact. */
const idsMax = 5
const millisecondsOfHour = 3_600_000

export function aReal(ledger: Ledger, database: Sql): Real {
  return { ledger, database, run: randomUUID(), guids: Array.from({ length: idsMax }, () => randomUUID()) }
}

/** One step of both; afterwards their states must be equal. */
class Step implements fc.AsyncCommand<ReferenceLedger, Real> {
  constructor(
    private readonly text: string,
    private readonly act: (model: ReferenceLedger, real: Real) => Promise<void>,
  ) {}

  check(): boolean {
    return true
  }

  async run(model: ReferenceLedger, real: Real): Promise<void> {
    await this.act(model, real)
    await compare(model, real)
  }

  toString(): string {
    return this.text
  }
}

const id = fc.nat({ max: idsMax - 1 })
const asked = fc
  .record({
    id,
    status: fc.constantFrom('applied' as const, 'applied' as const, 'unchanged' as const),
    venue: fc.constantFrom('venue-1', 'venue-1', 'venue-1', 'venue-2'),
    supersedes: fc.option(id, { freq: 2 }),
    holds: fc.oneof(
      fc.constant({ one: 1 }),
      fc.dictionary(fc.constantFrom(...Object.keys(maxima)), fc.integer({ min: 1, max: 2 }), { maxKeys: 2 }),
    ),
  })
  // The use case refuses a basket that supersedes itself.
  .map((each) => ({ ...each, answeredAt: 0, supersedes: each.supersedes === each.id ? null : each.supersedes }))

/** A run is any sequence of these. */
export const steps: fc.Arbitrary<fc.AsyncCommand<ReferenceLedger, Real>>[] = [
  asked.map(confirmStep),
  asked.map(confirmStep),
  fc
    .tuple(asked, fc.boolean())
    .map(([each, longAgo]) => keepStep({ ...each, holds: {}, answeredAt: longAgo ? -2 : 0 })),
  saleSteps(),
  saleSteps(),
  id.map((of) => new Step(`time of ${of} is over`, (model, real) => expire(model, real, of))),
  fc.constant(
    new Step('sweep', async (model, { ledger, guids, database }) => {
      await ledger.calculations.expire(1_000)
      model.sweep()
      await statesAgree(model, database, guids)
    }),
  ),
  id.map(
    (of) =>
      new Step(`withdraw ${of}`, async (model, { ledger, guids }) => {
        assert.equal(await ledger.calculations.withdraw(guids[of]!), model.withdraw(of))
      }),
  ),
  id.map(
    (of) =>
      new Step(`find ${of}`, async (model, { ledger, guids }) => {
        assert.equal((await ledger.calculations.findAnswer(guids[of]!)).kind, model.find(of))
      }),
  ),
]

function confirmStep(each: Asked): Step {
  return new Step(`confirm ${JSON.stringify(each)}`, async (model, real) => {
    const reply = await real.ledger.calculations.confirm(recordOf(real, each), plenty)
    const due = model.confirm(each)
    assert.equal(reply.kind, due.kind)
    if (reply.kind !== 'short' || due.kind !== 'short') return
    const left = Object.entries(due.left).map(([limit, units]) => [counterKey(nameOf(real, limit)), units])
    assert.deepEqual({ ...reply.left }, Object.fromEntries(left))
  })
}

function keepStep(each: Asked): Step {
  return new Step(`keep ${JSON.stringify(each)}`, async (model, real) => {
    await real.ledger.calculations.store([recordOf(real, each)])
    model.keep(each)
  })
}

function saleSteps(): fc.Arbitrary<Step> {
  const statuses: readonly SaleStatus[] = ['applied', 'applied', 'unchanged', 'member_not_found', 'failed', 'cancelled']
  return fc.tuple(id, fc.constantFrom(...statuses), fc.boolean()).map(
    ([of, status, paidRight]) =>
      new Step(`sale of ${of}: ${status}${paidRight ? '' : ', a unit too much'}`, async (model, real) => {
        const known = recordOf(real, {
          id: of,
          status: 'applied',
          venue: 'venue-1',
          supersedes: null,
          holds: {},
          answeredAt: 0,
        })
        const due = status === 'applied' ? known.netAfter : known.netBefore
        const paidTotal = status === 'cancelled' ? null : due + (paidRight ? 0 : 1)
        // Other disagreements are compared in ledger-contract-sales.ts.
        const event = aSale(known, { status, paidTotal, venueId: saleVenue, loyaltyDiscountTotal: null })
        const reply = await real.ledger.sales.record(event, eventBody)
        assert.equal(reply.kind, model.sell(of, status, paidRight))
        if (reply.kind === 'stored') assert.equal(reply.result, model.sales.get(of)!.result)
      }),
  )
}

async function expire(model: ReferenceLedger, { database, guids }: Real, of: number): Promise<void> {
  await database.run(
    sql`
      with c as (
        update calculation set expires_at = least(expires_at, clock_timestamp() - interval '1 hour')
        where calculation_id = ${guids[of]!}::uuid and state = 'open' returning calculation_id, expires_at
      )
      update reservation r set held_until = c.expires_at from c
      where r.calculation_id = c.calculation_id and r.state = 'open'`,
    { effect: 'writes', withinMs: plenty },
  )
  model.expire(of)
}

function recordOf({ ledger, guids, ...real }: Real, each: Asked): CalculationRecord {
  return aRecord(ledger, {
    calculationId: guids[each.id]!,
    supersedesCalculationId: each.supersedes === null ? null : guids[each.supersedes]!,
    status: each.status,
    venueId: each.venue,
    holds: Object.entries(each.holds).map(
      ([limit, units]): Want => ({ ...nameOf(real, limit), units, maximum: maxima[limit]! }),
    ),
    answeredAt: ledger.clock() + each.answeredAt * millisecondsOfHour,
  })
}

function nameOf({ run }: Pick<Real, 'run'>, limit: string) {
  return { limitId: `${limit} of ${run}`, subject: '', period: '' }
}

/** Compares the visible state of a run: counters, states, discrepancies. */
async function compare(model: ReferenceLedger, { ledger, database, guids, run }: Real): Promise<void> {
  const names = Object.keys(maxima)
  const counters = await ledger.counters.lookUp(names.map((limit) => nameOf({ run }, limit)))
  assert.deepEqual(
    counters.map(({ used, open }) => ({ used, open })),
    names.map((limit) => ({ used: model.used(limit) + model.late(limit), open: model.open(limit) })),
    'counters',
  )
  await statesAgree(model, database, guids)
  const sales = await database.run<{ id: string; discrepancies: readonly string[] }>(
    sql`select calculation_id::text as id, to_json(discrepancies) as discrepancies from sale
      where calculation_id = any (${`{${guids.join(',')}}`}::text::uuid[])`,
    { effect: 'reads', withinMs: plenty },
  )
  assert.deepEqual(
    Object.fromEntries(sales.map(({ id: guid, discrepancies }) => [guids.indexOf(guid), discrepancies])),
    Object.fromEntries([...model.sales].map(([of, { discrepancies }]) => [of, discrepancies])),
    'discrepancies',
  )
}

async function statesAgree(model: ReferenceLedger, database: Sql, guids: readonly string[]): Promise<void> {
  const rows = await database.run<{ id: string; state: string }>(
    sql`select calculation_id::text as id, state::text as state from calculation
      where calculation_id = any (${`{${guids.join(',')}}`}::text::uuid[])`,
    { effect: 'reads', withinMs: plenty },
  )
  assert.deepEqual(
    Object.fromEntries(rows.map(({ id: guid, state }) => [guids.indexOf(guid), state])),
    Object.fromEntries([...model.calculations].map(([of, { state }]) => [of, state])),
    'states',
  )
}
