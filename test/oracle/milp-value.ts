import highsModule, { type Highs } from 'highs'
import type { Reward } from '../../engine/core/base/programme.js'
import { followings } from './best-outcome.js'
import { countsUnits, discountedLines, isDiscountable, maximumUnitsOf, mayDiscount } from './ground.js'
import { isOrderLevel, type Player, playerOf } from './later-stages.js'
import { openBenefits } from './open-benefits.js'
import type { PricingCase } from './pricing-case.js'
import { purseOf } from './purse.js'
import { meetsConditions } from './select-lines.js'
import { readSentBasket, type SentBasket, type SentLine } from './sent-basket.js'
import { floorOf, roundOf } from './spread.js'
import { lineAmount } from './takes.js'
import { bundleTimes, buyGetTimes, type Time } from './times.js'

/** An independent solver, in WebAssembly. */
export function loadSolver(): Promise<Highs> {
  // Its types are those of a CommonJS package, whose default export would lie one level deeper than Node finds it.
  const load = highsModule as unknown as () => Promise<Highs>
  return load()
}

/** Assignments of one group, and nodes of the solver's tree, above which a case is given up; the others take milliseconds. */
const waysMax = 2000
const nodesMax = 2000
/** More than a variable of these baskets counts. */
const manyUses = 1000

/**
 * The greatest value for baskets too large to enumerate, from a general solver: normal and exclusive line-level benefits without
 * maximum amounts, on baskets without order discounts.
 *
 * @returns null where the model cannot express the case or the solver cannot settle it
 */
export function milpValue(question: PricingCase, highs: Highs): number | null {
  const { benefits, input } = question
  const basket = readSentBasket(input)
  const players = openBenefits(benefits, input)
    .filter((benefit) => meetsConditions(basket, benefit))
    .map((benefit) => playerOf(benefit, input))
    .filter((player) => player.left > 0)
  if (basket.orders.length > 0 || !players.every((player) => isExpressible(player, basket))) return null
  const isAlone = ({ benefit }: Player) => benefit.combination === 'exclusive'
  const groups = [players.filter((player) => !isAlone(player)), ...players.filter(isAlone).map((player) => [player])]
  const values = groups.map((group) => new Model(question, basket, group).solve(highs))
  return values.includes(null) ? null : Math.max(...values.map(Number))
}

function isExpressible(player: Player, basket: SentBasket): boolean {
  const { combination, reward } = player.benefit
  if (combination === 'stackable' || isOrderLevel(player) || 'maximumAmount' in reward) return false
  if (player.money < Number.POSITIVE_INFINITY || player.benefit.group !== null) return false
  if (followings(basket, [player]).length > 1 || reward.kind === 'bundle_discount') return false
  if (reward.kind === 'free_product' && basket.lines.some(({ line }) => line.productId === reward.productId))
    return false
  if (reward.kind === 'buy_get') return waysToPick([reward.buy.quantity, reward.get.quantity], basket) <= waysMax
  if (reward.kind !== 'bundle_price') return true
  const quantities = reward.components.map((component) => component.quantity)
  return waysToPick(quantities, basket) <= waysMax
}

/** Upper bound of the assignments of one group: for each component as many units, with repetition, from all lines. */
function waysToPick(quantities: readonly number[], { lines }: SentBasket): number {
  let ways = 1
  for (const quantity of quantities) {
    for (let unit = 0; unit < quantity; unit += 1) ways *= (lines.length + unit) / (unit + 1)
  }
  return ways
}

interface Term {
  readonly name: string
  readonly factor: number
}

function written(terms: readonly Term[]): string {
  return terms.map(({ name, factor }) => `${factor < 0 ? '-' : '+'} ${Math.abs(factor)} ${name}`).join('\n ')
}

/** One group of compatible benefits, as a mixed integer programme in LP format. */
class Model {
  readonly #objective: Term[] = []
  readonly #rows: string[] = []
  readonly #switches: string[] = []
  readonly #counts: string[] = []
  /** Payments by currency. */
  readonly #paid = new Map<string, Term[]>()
  /** Per line: the variables that take its slots. */
  readonly #slots: Term[][]
  /** Per line with own discounts: the switches that remove them. */
  readonly #replacing: Term[][]

  constructor(
    readonly question: PricingCase,
    readonly basket: SentBasket,
    players: readonly Player[],
  ) {
    this.#slots = basket.lines.map(() => [])
    this.#replacing = basket.lines.map(() => [])
    for (const player of players) this.#pay(player.benefit, this.#add(player))
    const purse = purseOf(
      players.map(({ benefit }) => benefit),
      question.input,
    )
    for (const [id, paid] of this.#paid) this.#rows.push(`${written(paid)} <= ${purse.get(id)!}`)
    for (const [at, line] of basket.lines.entries()) this.#closeLine(line, at)
  }

  solve(highs: Highs): number | null {
    if (this.#objective.length === 0) return 0
    const text = [
      'Maximize',
      ` value: ${written(this.#objective)}`,
      'Subject To',
      ...this.#rows.map((row, at) => ` r${at}: ${row}`),
      'Generals',
      ` ${this.#counts.join('\n ')}`,
      'Binaries',
      ` ${this.#switches.join('\n ')}`,
      'End',
    ].join('\n')
    const limits = { mip_rel_gap: 0, mip_abs_gap: 0.5, mip_max_nodes: nodesMax }
    const solution = highs.solve(text, { output_flag: false, ...limits })
    return solution.Status === 'Optimal' ? Math.round(solution.ObjectiveValue) : null
  }

  #switch(gain: number): string {
    const name = `x${this.#switches.length}`
    this.#switches.push(name)
    this.#objective.push({ name, factor: gain })
    return name
  }

  #count(gain: number): string {
    const name = `n${this.#counts.length}`
    this.#counts.push(name)
    this.#objective.push({ name, factor: gain })
    return name
  }

  /** Returns the paid terms: a variable for each way to use the benefit, times its units or times. */
  #add(player: Player): readonly Term[] {
    const { reward } = player.benefit
    if (reward.kind === 'buy_get') return this.#addBuyGet(player, reward)
    if (reward.kind === 'bundle_price') return this.#addBundle(player, reward)
    return reward.kind === 'free_product' ? this.#addFree(player, reward) : this.#addLines(player)
  }

  /** A count of payments, or a switch where the benefit is paid once. */
  #pay({ costs, reward }: Player['benefit'], uses: readonly Term[]): void {
    if (costs === null || uses.length === 0) return
    const paid = this.#paid.get(costs.currencyId) ?? []
    this.#paid.set(costs.currencyId, paid)
    if (costs.per === 'basket') {
      const name = this.#switch(-costs.worth)
      for (const use of uses) this.#rows.push(`${use.name} - ${manyUses} ${name} <= 0`)
      paid.push({ name, factor: costs.amount })
      return
    }
    const each = reward.kind === 'buy_get' && costs.per === 'unit' ? reward.get.quantity : 1
    const name = this.#count(-costs.worth)
    this.#rows.push(
      `${written([...uses.map((use) => ({ ...use, factor: use.factor * each })), { name, factor: -1 }])} = 0`,
    )
    paid.push({ name, factor: costs.amount })
  }

  /** One switch for each number of slots on each line, in each state of the line's own discounts. */
  #addLines({ benefit, left }: Player): readonly Term[] {
    const { matches: taken } = discountedLines(this.basket, benefit)
    const hasUnitLimit = countsUnits(benefit)
    const units: Term[] = []
    for (const [at, line] of this.basket.lines.entries()) {
      if (!taken[at]! || (hasUnitLimit && !line.whole)) continue
      const amountOf = (slots: number, holds: number) =>
        lineAmount(benefit.reward, { line, slots, holds, basket: this.basket })
      const parts = this.#parts({ benefit, at, amountOf, isZeroWorth: false })
      this.#slots[at]!.push(...parts)
      units.push(...parts)
    }
    const most = Math.min(left, maximumUnitsOf(benefit.reward) ?? left)
    if (Number.isFinite(most) && units.length > 0) this.#rows.push(`${written(units)} <= ${most}`)
    return units
  }

  /** Switches of a benefit on one line, each with its slots; at most one is on. */
  #parts(so: {
    benefit: Player['benefit']
    at: number
    amountOf: (slots: number, holds: number) => number
    isZeroWorth: boolean
    isKeptAtZero?: boolean
  }): Term[] {
    const line = this.basket.lines[so.at]!
    const parts: Term[] = []
    for (const removed of line.own > 0 ? [false, true] : [false]) {
      const isOpen = mayDiscount(so.benefit, line, removed)
      for (let slots = 1; slots <= line.slots; slots += 1) {
        // A unit without a gain leaves its line as it is.
        if (!isOpen && !(so.isKeptAtZero && so.amountOf(slots, line.gross) === 0)) continue
        const amount = isOpen ? so.amountOf(slots, removed ? line.gross : line.gross - line.own) : 0
        if (amount === 0 && !so.isZeroWorth) continue
        const name = this.#switch(amount)
        parts.push({ name, factor: slots })
        if (line.own > 0) this.#rows.push(removed ? `${name} - own${so.at} <= 0` : `${name} + own${so.at} <= 1`)
        if (removed && so.benefit.existingDiscounts === 'replace') this.#replacing[so.at]!.push({ name, factor: 1 })
      }
    }
    if (parts.length > 1) this.#rows.push(`${written(parts.map(({ name }) => ({ name, factor: 1 })))} <= 1`)
    return parts
  }

  #addTimes(times: readonly Time[], cost: number, timesMax: number): Term[] {
    const counts = times.map((time) => {
      const name = this.#count(-cost)
      for (const [at, slots] of time.use.entries()) if (slots > 0) this.#slots[at]!.push({ name, factor: slots })
      return { name, factor: 1 }
    })
    if (Number.isFinite(timesMax) && counts.length > 0) this.#rows.push(`${written(counts)} <= ${timesMax}`)
    return counts
  }

  /** Links the switches of a line to its use by the groups. */
  #tie(parts: readonly Term[], counts: readonly Term[], use: readonly number[]): void {
    const used = counts.flatMap(({ name }, at) => (use[at]! > 0 ? [{ name, factor: -use[at]! }] : []))
    if (parts.length + used.length > 0) this.#rows.push(`${written([...parts, ...used])} = 0`)
  }

  #addBuyGet({ benefit, left }: Player, reward: Reward & { kind: 'buy_get' }): readonly Term[] {
    const isKept = (line: SentLine) => benefit.existingDiscounts === 'keep' && line.own > 0
    const times = buyGetTimes(this.basket, reward, { open: (line) => !isKept(line) })
    const limit = Math.floor(left / reward.get.quantity)
    const counts = this.#addTimes(times, 0, Math.min(reward.maximumTimes ?? Number.POSITIVE_INFINITY, limit))
    for (const [at, line] of this.basket.lines.entries()) {
      const use = times.map((time) => time.get[at]!)
      if (use.every((units) => units === 0)) continue
      const amountOf = (slots: number, holds: number) =>
        roundOf(floorOf(slots, holds, line.slots), reward.get.percentage, 1_000_000)
      const isKeptAtZero = isDiscountable(reward, line) && benefit.existingDiscounts === 'replace'
      this.#tie(this.#parts({ benefit, at, amountOf, isZeroWorth: true, isKeptAtZero }), counts, use)
    }
    return counts
  }

  #addBundle({ benefit, left }: Player, reward: Reward & { kind: 'bundle_price' }): readonly Term[] {
    const { lines } = this.basket
    const times = bundleTimes(this.basket, reward, { open: (line) => mayDiscount(benefit, line, true) })
    const timesMax = Math.min(reward.maximumTimes ?? Number.POSITIVE_INFINITY, left)
    const counts = this.#addTimes(times, reward.price, timesMax)
    for (const [at, line] of lines.entries()) {
      const use = times.map((time) => time.use[at]!)
      if (use.every((units) => units === 0)) continue
      const amountOf = (slots: number, holds: number) => floorOf(slots, holds, line.slots)
      this.#tie(this.#parts({ benefit, at, amountOf, isZeroWorth: true }), counts, use)
    }
    return counts
  }

  #addFree({ benefit, left }: Player, reward: Reward & { kind: 'free_product' }): readonly Term[] {
    const product = this.question.input.venue.products.find((entry) => entry.productId === reward.productId)
    if (product === undefined || product.noDiscount) return []
    const most = Math.min(reward.quantity, left)
    if (benefit.costs?.per !== 'unit') return [{ name: this.#switch(most * product.unitPrice), factor: 1 }]
    const name = this.#count(product.unitPrice)
    this.#rows.push(`${name} <= ${most}`)
    return [{ name, factor: 1 }]
  }

  #closeLine(line: SentLine, at: number): void {
    if (this.#slots[at]!.length > 0) this.#rows.push(`${written(this.#slots[at]!)} <= ${line.slots}`)
    if (line.own === 0) return
    this.#switches.push(`own${at}`)
    this.#objective.push({ name: `own${at}`, factor: -line.own })
    const others = this.#replacing[at]!.map(({ name }) => ({ name, factor: -1 }))
    this.#rows.push(`${written([{ name: `own${at}`, factor: 1 }, ...others])} <= 0`)
  }
}
