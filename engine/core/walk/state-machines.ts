import { type Offer, savedEach } from '../offers/offer.js'

export interface Use {
  readonly bought: number
  readonly taken: readonly number[]
  readonly amount: number
  /** The same if money left limits the offer; of a bundle before its price. */
  readonly spent: number
}

export interface Lookahead {
  /** Can be bought but not got. */
  readonly pure: readonly number[]
  readonly takes: readonly (readonly number[])[]
  readonly level: readonly number[]
  readonly mixes: boolean
  /** Most that the lines can spend together. */
  readonly spends: readonly number[]
}

export type Eligibility = 'pure' | 'got' | 'either'

/** The state of an offer between lines, as digits: equal digits allow the same choices on later lines. */
export interface StateMachine {
  readonly digits: number
  advance(row: Float64Array, from: number, line: LineUse): number
  isEnd(row: Float64Array, from: number): boolean
}

export interface LineUse {
  readonly lineNumber: number
  readonly eligibility: Eligibility
  readonly use: Use
}

const noEnd = Number.NEGATIVE_INFINITY

export interface MachineTerms {
  readonly least: number
  readonly most: number
}

export function stateMachineOf(offer: Offer, lookahead: Lookahead, { least, most }: MachineTerms): StateMachine {
  switch (offer.shape.kind) {
    case 'buy_get':
      return spending(buyGetMachine(offer.shape, lookahead), offer, lookahead)
    case 'bundle':
      return spending(bundleMachine(offer.shape, lookahead, paidEach(offer, { least, most })), offer, lookahead)
    default:
      return spending(lineMachine(offer, most), offer, lookahead)
  }
}

/** One more digit: the money spent. Money that later lines cannot spend counts as spent. */
export function spending(
  machine: StateMachine,
  { amountMax, shape }: Offer,
  { spends, takes }: Lookahead,
): StateMachine {
  const pays = shape.kind === 'bundle' ? shape.pays : null
  // An amount may be cut, so the spending is known only at the end.
  if (amountMax === Number.POSITIVE_INFINITY || pays?.kind === 'amount') return machine
  const { digits } = machine
  const bundle = shape.kind === 'bundle' && pays?.kind === 'price' ? shape : null
  const price = pays?.kind === 'price' ? pays.money : 0
  return {
    digits: digits + 1,
    advance(row, from, line) {
      const { lineNumber, use } = line
      let spent = row[from + digits]! + use.spent
      const units = row[from]! + use.taken[0]!
      const gain = machine.advance(row, from, line)
      let least = spent
      if (bundle !== null) {
        spent -= ((units - row[from]!) / bundle.components[0]!.quantity) * price
        least = spent - timesAhead(bundle, row, { from, takes: takes[lineNumber]! }) * price
      }
      if (least > amountMax) return noEnd
      row[from + digits] = Math.max(spent, amountMax - spends[lineNumber]!)
      return gain
    },
    isEnd: (row, from) => row[from + digits]! <= amountMax && machine.isEnd(row, from),
  }
}

function timesAhead(
  { components }: Bundle,
  row: Float64Array,
  { from, takes }: { from: number; takes: readonly number[] },
): number {
  let times = Number.POSITIVE_INFINITY
  for (let at = 0; at < components.length; at++) {
    times = Math.min(times, Math.floor((row[from + at]! + takes[at]!) / components[at]!.quantity))
  }
  return times
}

function lineMachine({ unitsMax, maximumAmount }: Offer, weight: number): StateMachine {
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
 * Lines come by falling cost as sent. Digits: units bought and unused, below 0 only among lines of one cost; units got of the
 * time begun; units got on lines that cannot be bought; units owed by later lines that can only be bought; units got in
 * all, if limited.
 */
function buyGetMachine({ buy, get, timesMax }: BuyGet, { pure, takes, level, mixes }: Lookahead): StateMachine {
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
      // Units bought that no later time needs: the same without them gains as much.
      const timesAhead = Math.floor((takes[lineNumber]![0]! + open) / get) - (row[from + 1]! > 0 ? 1 : 0)
      if (spare > buy * timesAhead) return noEnd
      row[from] = spare
      row[from + 3] = owed
      return 0
    },
    // After the last line nothing is owed, times are whole and no unit is bought for none, or there is no transition.
    isEnd(row, from) {
      const [spare, begun, gotOnly] = [row[from]!, row[from + 1]!, row[from + 2]!]
      const begunTimes = begun > 0 ? 1 : 0
      return spare === buy * ((begun + gotOnly) / get - begunTimes)
    },
  }
}

// An upper bound: a price is paid on the lines that weigh least, an amount comes off those that weigh most.
function paidEach(offer: Offer, { least, most }: MachineTerms): number {
  const saved = savedEach(offer)
  return saved * (saved < 0 ? least : most)
}

interface Bundle {
  readonly components: readonly { readonly quantity: number }[]
  readonly timesMax: number
}

// Digits: units of each component beyond whole times; the times. Whole times are paid at once.
function bundleMachine({ components, timesMax }: Bundle, { takes }: Lookahead, each: number): StateMachine {
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
      return whole * each
    },
    // After the last line times are whole, or there is no transition.
    isEnd: () => true,
  }
}
