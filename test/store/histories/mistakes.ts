import { sql } from '../../../store/postgres/connection/sql.js'
import { plenty } from '../../support/ledger-builders.js'
import type { BasketModel, LineModel } from './basket-model.js'
import type { History, Step } from './history.js'
import type { Played } from './played.js'
import { currencies, rules } from './rules.js'

/** A mistake that histories must notice: its effect on the ledger, and where it is planted. */
export interface Mistake {
  readonly title: string
  readonly edits: readonly Edit[]
  /** The search for a history that shows it begins here. */
  readonly seed: number
}

/** In functions of the ledger (store/postgres/schema/functions). */
export const mistakes: readonly Mistake[] = [
  {
    title: 'a sale earns twice',
    seed: 4,
    edits: [['earn', 'sum(s.given)::bigint as given', '2 * sum(s.given)::bigint as given']],
  },
  {
    title: 'a hold is released after it was used',
    seed: 29,
    edits: [
      ['use_value', 'set amount = l.amount - v_part.amount, held =', 'set held ='],
      ['use_value', 'l.lot_id = v_part.lot_id and l.amount = v_part.amount;', 'false;'],
    ],
  },
  {
    title: 'what is pending is spent',
    seed: 13,
    edits: [
      ['account_available', 'and l.opens_at <= clock_timestamp()', ''],
      ['hold_value', 'and l.opens_at <= v_now', ''],
    ],
  },
  {
    title: 'value expires under a hold',
    seed: 252,
    edits: [
      ['expire_lots', 'l.expires_at <= v_now and l.amount > l.held', 'l.expires_at <= v_now'],
      ['expire_lots', 'e.account_id, e.held - e.amount', 'e.account_id, -e.amount'],
      ['expire_lots', 'case when l.held > 0 then', 'case when false then'],
    ],
  },
  {
    title: 'a return takes by the rule of today: its multiplier is not that of the sale',
    seed: 4,
    edits: [['uncount_rules', 'r.out * e.factor::numeric as out', 'r.out * 10000::numeric as out']],
  },
  {
    title: 'what expires last is taken first',
    seed: 1,
    edits: [['take_available', 'order by l.expires_at,', 'order by l.expires_at desc,']],
  },
  {
    title: 'what expires last is held first',
    seed: 32,
    edits: [['hold_value', 'order by l.expires_at,', 'order by l.expires_at desc,']],
  },
  {
    title: 'what is held is spent by another',
    seed: 29,
    edits: [['account_available', 'l.amount - l.held', 'l.amount']],
  },
  {
    title: 'a late use of what is gone makes no debt',
    seed: 332,
    edits: [['use_value_late', 'set debt = a.debt + v_hold.amount - v_there', 'set debt = a.debt']],
  },
  { title: 'a credit pays no debt', seed: 332, edits: [['pay_debt', 'if v_debt = 0 then', 'if true then']] },
  {
    title: 'the order of sales decides what they give',
    seed: 5,
    edits: [['earning_basis', 'coalesce(t.total, 0)::text', "'0'"]],
  },
  {
    title: 'what one maximum let through is forgotten',
    seed: 45,
    edits: [['earning_basis', 'given_within(a.account_id, r."ruleId", r.maximum ->> \'period\', v_day, b.about)', '0']],
  },
]

/** One text in a function of the ledger, and its replacement. */
export type Edit = readonly [name: string, text: string, instead: string]

const writes = { effect: 'writes', withinMs: plenty } as const

/** Plants a mistake into the functions of a database; resolves to a function that removes it. Rejects unless each text is there once. */
export async function plantMistake({ database }: Played, edits: readonly Edit[]): Promise<() => Promise<void>> {
  const originals: string[] = []
  for (const [name, text, instead] of edits) {
    const [row] = await database.run<{ definition: string }>(
      sql`select pg_get_functiondef(p.oid) as definition from pg_proc p where p.proname = ${name}`,
      { effect: 'reads', withinMs: plenty },
    )
    const definition = row?.definition ?? ''
    if (definition.split(text).length !== 2) throw new Error(`${name} has ${JSON.stringify(text)} not once`)
    originals.push(definition)
    await database.run({ text: definition.replace(text, () => instead), values: [] }, writes)
  }
  return async () => {
    for (const definition of originals.toReversed()) await database.run({ text: definition, values: [] }, writes)
  }
}

/** A mistake that random histories seldom meet, and a short history that shows it. */
export interface ShownMistake {
  readonly title: string
  readonly edits: readonly Edit[]
  readonly history: History
}

const opens = { opensIn: null, lasts: null }
/** Longer than the 30 days that value gets at least when it comes back. */
const hours = 900.25

/** With histories of one member. */
export const shownMistakes: readonly ShownMistake[] = [
  {
    title: 'what comes back has 30 days, although its old expiry was later',
    edits: [['give_back', "greatest(v_part.expires_at, v_now + interval '720 hours')", "v_now + interval '720 hours'"]],
    history: aHistory(
      [aBasket([aLine(1_000, 100)], { stamps: 6 })],
      [adjust('stamps', 9, hours), basket(0), sale(0), back(0, 0)],
    ),
  },
  {
    title: 'what a superseded calculation holds stays held',
    edits: [['supersede_calculations', 'perform release_value(v_superseded, null);', '']],
    history: aHistory(
      [aBasket([aLine(1_000, 100)], { stamps: 6 }), { ...aBasket([aLine(1_000, 100)]), supersedes: 0 }],
      [adjust('stamps', 9), basket(0), basket(1)],
    ),
  },
  {
    title: 'a cooldown looks back only',
    edits: [['earning_basis', 'milliseconds(min(e.at))', 'milliseconds(min(null::timestamptz))']],
    history: aHistory(
      [11, 10].map((hour) => ({ ...counted('cool', aLine(2_000, 100)), requestedAt: `2026-11-05T${hour}:00:00Z` })),
      [basket(0), sale(0), basket(1), sale(1)],
    ),
  },
  {
    title: 'a return takes what is available before what is pending',
    edits: [['take_back', 'l.opens_at > v_now desc,\n      l.expires_at desc', 'l.opens_at,\n      l.expires_at desc']],
    // The first sale's medal opens, is gone and becomes debt, which the second sale's medal pays.
    history: aHistory(
      [0, 1, 2].map(() => counted('week', aLine(1_000, 7))),
      [
        ...[basket(0), sale(0), { what: 'age', hours: 6 * 24 } as const, adjust('medals', -1), back(0, 0)],
        ...[basket(1), sale(1), basket(2), sale(2), adjust('medals', 5), back(1, 0)],
      ],
    ),
  },
  {
    title: 'a total does not fall with a return',
    edits: [['uncount_rules', 'set total = t.total - u.out, taken', 'set taken']],
    history: aHistory([counted('spend', aLine(2_000, 100))], [basket(0), sale(0), back(0, 0)]),
  },
]

function aHistory(baskets: readonly BasketModel[], steps: readonly Step[]): History {
  return { members: 1, baskets, steps }
}

function aLine(quantity: number, net: number, free = 0): LineModel {
  return { kind: 0, quantity, sent: { net, free }, returned: { net, free } }
}

/** @param costs  of the first unit, by currency */
function aBasket(lines: readonly LineModel[], costs: Readonly<Record<string, number>> = {}): BasketModel {
  return {
    ...{ member: 0, isApplied: true, requestedAt: '2026-11-05T10:00:00Z', day: '2026-11-05', timeZone: 'UTC' },
    ...{ lines, factors: rules.map(() => 0), supersedes: null },
    costs: Object.entries(costs).map(([currencyId, amount]) => {
      return { currencyId, amount, per: 'basket', times: 1, units: new Map([[0, 1]]) }
    }),
  }
}

/** A basket that one rule counts. */
function counted(ruleId: string, line: LineModel): BasketModel {
  return { ...aBasket([line]), factors: rules.map((rule) => (rule.ruleId === ruleId ? 10_000 : 0)) }
}

function adjust(currencyId: string, amount: number, lasts: number | null = null): Step {
  const currency = currencies.findIndex((each) => each.currencyId === currencyId)
  return { what: 'adjust', member: 0, currency, amount, ...opens, lasts }
}

function basket(slot: number): Step {
  return { what: 'basket', slot }
}

function sale(slot: number): Step {
  return { what: 'sale', slot, status: 'applied', paid: 'right' }
}

/** Returns one unit more of the first line than `share`. */
function back(slot: number, share: number): Step {
  return { what: 'return', slot, shares: [share] }
}
