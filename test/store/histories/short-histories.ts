import type { BasketModel, LineModel } from './basket-model.js'
import type { History, Step } from './history.js'
import type { Edit } from './plant-mistake.js'
import { currencies, rules } from './rules.js'

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
