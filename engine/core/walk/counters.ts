import type { Offer } from '../offers/offer.js'

/** What one assignment of a line gives to one offer. */
export interface Use {
  /** Units only bought. */
  readonly bought: number
  /** Pieces discounted; of a bundle by component. */
  readonly taken: readonly number[]
  /** What the pieces come to under a maximum amount; 0 for offers without. */
  readonly amount: number
}

/** Units of an offer that its later lines hold, by the number of a line among those of the offer. */
export interface Lookahead {
  /** May be bought and not got. */
  readonly pure: readonly number[]
  /** May be discounted; of a bundle by component. */
  readonly takes: readonly (readonly number[])[]
  /** May be bought, on lines of the same price that are next in the walk. */
  readonly level: readonly number[]
  /** Whether some units may be bought or got. */
  readonly mixes: boolean
}

/** What an offer may do with the units of a line: buy them only, get them only, or either. */
export type Eligibility = 'pure' | 'got' | 'either'

/**
 * What must be remembered of an offer from line to line, as digits of a state: two choices for the lines so far that
 * agree in all digits can be followed by the same choices.
 */
export interface Counter {
  readonly digits: number
  /** Moves the digits at `from` past a line; the gain that comes with it, or -Infinity where no end can be reached. */
  advance(row: Float64Array, from: number, step: Step): number
  /** Whether the digits are an end. */
  isEnd(row: Float64Array, from: number): boolean
}

/** A line of the walk, and what it gives to an offer. */
export interface Step {
  /** Its number among the lines of the offer, in the order of the walk. */
  readonly lineNumber: number
  readonly eligibility: Eligibility
  readonly use: Use
}

const noEnd = Number.NEGATIVE_INFINITY

/** What a minor unit on the lines of an offer counts. */
export interface Weights {
  readonly least: number
  readonly most: number
}

/** How an offer is counted. */
export interface Counting extends Weights {
  /** Of a `buy_get` whose units are assigned by falling price; null: of any other. */
  readonly cycle: Cycle | null
}

/** The counter of an offer. */
export function counterOf(offer: Offer, lookahead: Lookahead, { cycle, least, most }: Counting): Counter {
  switch (offer.shape.kind) {
    case 'buy_get':
      return cycle === null ? buyGetCounter(offer.shape, lookahead) : cycleCounter(offer.shape)
    case 'bundle':
      return bundleCounter(offer.shape, lookahead, least)
    default:
      return lineCounter(offer, most)
  }
}

// Units against a limit, and amounts against a maximum.
function lineCounter({ unitsMax, maximumAmount }: Offer, weight: number): Counter {
  const isCapped = maximumAmount !== Number.POSITIVE_INFINITY
  const isLimited = unitsMax !== Number.POSITIVE_INFINITY
  return {
    digits: 2,
    advance(row, from, { use }) {
      if (isLimited) row[from]! += use.taken[0]!
      if (row[from]! > unitsMax) return noEnd
      if (!isCapped || use.amount === 0) return 0
      const before = row[from + 1]!
      row[from + 1] = Math.min(maximumAmount, before + use.amount)
      return (row[from + 1]! - before) * weight
    },
    isEnd: () => true,
  }
}

interface BuyGet {
  readonly buy: number
  readonly get: number
  readonly timesMax: number
}

/**
 * Lines come by falling price. Digits: units bought and not used, below 0 only among lines of one price; units got of a
 * time begun; units got on lines that cannot be bought; units owed by lines to come that can only be bought; units got
 * in all, where the times are limited.
 */
function buyGetCounter({ buy, get, timesMax }: BuyGet, { pure, takes, level, mixes }: Lookahead): Counter {
  const isLimited = timesMax !== Number.POSITIVE_INFINITY
  return {
    digits: 5,
    advance(row, from, { lineNumber, eligibility, use }) {
      const taken = use.taken[0]!
      let spare = row[from]!
      let owed = row[from + 3]!
      spare += use.bought
      if (eligibility === 'pure') {
        const repaid = Math.min(owed, use.bought)
        owed -= repaid
        spare -= repaid
      }
      if (eligibility === 'either') {
        const begun = row[from + 1]! + taken
        spare -= buy * (Math.ceil(begun / get) - (row[from + 1]! > 0 ? 1 : 0))
        row[from + 1] = begun % get
      } else row[from + 2]! += taken
      if (spare < -level[lineNumber]!) {
        owed -= spare + level[lineNumber]!
        spare = -level[lineNumber]!
      }
      if (owed > pure[lineNumber]!) return noEnd
      if (isLimited) {
        row[from + 4]! += taken
        if (row[from + 4]! > timesMax * get) return noEnd
      }
      if (!mixes) {
        const whole = Math.min(Math.floor(spare / buy), Math.floor(row[from + 2]! / get))
        spare -= whole * buy
        row[from + 2]! -= whole * get
      }
      const open = row[from + 1]! + row[from + 2]!
      const missing = (get - (open % get)) % get
      if (missing > takes[lineNumber]![0]!) return noEnd
      const useful = buy * Math.ceil((takes[lineNumber]![0]! + open) / get)
      row[from] = Math.min(spare, useful)
      row[from + 3] = owed
      return 0
    },
    // Behind the last line nothing is owed, and times are whole: else there was no transition from there.
    isEnd(row, from) {
      const [spare, begun, gotOnly] = [row[from]!, row[from + 1]!, row[from + 2]!]
      const begunTimes = begun > 0 ? 1 : 0
      return spare >= buy * ((begun + gotOnly) / get - begunTimes)
    },
  }
}

/** How many units a `buy_get` has bought and got each time. */
export interface Cycle {
  readonly buy: number
  readonly get: number
}

/** Whether so many of some units that follow each other can be got, where units are assigned by falling price. */
export function canBeGot(cycle: Cycle, units: number, got: number): boolean {
  for (let begun = 0; begun < cycle.buy + cycle.get; begun++) {
    if (gotOf(cycle, begun + units) - gotOf(cycle, begun) === got) return true
  }
  return false
}

function gotOf({ buy, get }: Cycle, units: number): number {
  const each = buy + get
  return Math.floor(units / each) * get + Math.max(0, (units % each) - buy)
}

// Digits: units of the time begun; units got in all, where the times are limited.
function cycleCounter(cycle: BuyGet): Counter {
  const { timesMax } = cycle
  const isLimited = timesMax !== Number.POSITIVE_INFINITY
  const each = cycle.buy + cycle.get
  return {
    digits: 2,
    advance(row, from, { use }) {
      const [begun, taken] = [row[from]!, use.taken[0]!]
      const units = begun + use.bought + taken
      if (gotOf(cycle, units) - gotOf(cycle, begun) !== taken) return noEnd
      row[from] = units % each
      if (isLimited) row[from + 1]! += taken
      return row[from + 1]! > timesMax * cycle.get ? noEnd : 0
    },
    // Units bought in vain are given back at the end.
    isEnd: (row, from) => row[from]! <= cycle.buy,
  }
}

interface Bundle {
  readonly components: readonly { readonly quantity: number }[]
  readonly price: number
  readonly timesMax: number
}

// Digits: units of each component beyond whole times, and the times. A whole time is paid as soon as it is there.
function bundleCounter({ components, price, timesMax }: Bundle, { takes }: Lookahead, factor: number): Counter {
  const isLimited = timesMax !== Number.POSITIVE_INFINITY
  const count = components.length
  return {
    digits: count + 1,
    advance(row, from, { lineNumber, use }) {
      let [whole, begun] = [Number.POSITIVE_INFINITY, 0]
      for (let at = 0; at < count; at++) {
        const units = row[from + at]! + use.taken[at]!
        row[from + at] = units
        const { quantity } = components[at]!
        whole = Math.min(whole, Math.floor(units / quantity))
        begun = Math.max(begun, Math.ceil(units / quantity))
      }
      if (isLimited) {
        if (row[from + count]! + begun > timesMax) return noEnd
        row[from + count]! += whole
      }
      for (let at = 0; at < count; at++) {
        const { quantity } = components[at]!
        if (begun * quantity - row[from + at]! > takes[lineNumber]![at]!) return noEnd
        row[from + at]! -= whole * quantity
      }
      return -whole * price * factor
    },
    // Behind the last line every time is whole: else there was no transition from there.
    isEnd: () => true,
  }
}
