import { type Chosen, chooseAmong, type Market } from './choose-among.js'
import { chooseComponent } from './component.js'
import { jointTask, settleBest } from './field.js'
import { groundOf, linesOf, sceneOf } from './ground.js'
import type { Offer } from './offer.js'
import { goesBefore, keyOf, usedOffers } from './outcome-key.js'
import { planLine } from './plan.js'
import type { Settled } from './settle.js'

/** Lines, and lines of all offers together, up to which every tie is looked through; above, line by line. */
const tiedLinesMax = 8
const tiedCellsMax = 40

/** Steps for looking through the ties of one set of offers. */
const tieStepsMax = 1500

/** Steps counted for a set of offers beside its search. */
const stepsPerSet = 50

/** Steps for looking through all ties of a basket. */
const tieStepsInAllMax = 4000

/**
 * The best outcome of some offers, ties settled (3-benefits 4): the same value may be had by other plans of the same
 * offers, and without some that were used. Large baskets settle their ties line by line.
 */
export function chooseFirst(market: Market, offers: readonly Offer[]): Chosen {
  const chosen = chooseAmong(market, offers)
  const cells = offers.reduce((sum, { lines }) => sum + lines.length, 0)
  const isLarge = market.basis.lines.length > tiedLinesMax || cells > tiedCellsMax
  if (chosen.settled.value <= 0 || chosen.isUnique || isLarge) return chosen
  let { settled, steps } = chosen
  const seen = new Set<string>()
  const open: (readonly Offer[])[] = [offers]
  while (open.length > 0 && steps - chosen.steps < tieStepsInAllMax) {
    const set = open.pop()!
    const name = set.map(({ rank }) => rank).join()
    if (seen.has(name)) continue
    seen.add(name)
    const first = firstAmong(market, set)
    steps += first.steps + stepsPerSet
    if (first.settled.value < settled.value) continue
    if (goesBefore(keyOf(first.settled), keyOf(settled))) settled = first.settled
    const used = usedOffers(first.settled)
    open.push(...set.filter(({ rank }) => used.has(rank)).map((offer) => set.filter((each) => each !== offer)))
  }
  return { ...chosen, settled, bound: Math.max(chosen.bound, settled.value), steps }
}

// Every normal line-level benefit is looked at as one that ties lines together, so that the search sees each plan.
function firstAmong(market: Market, all: readonly Offer[]): { settled: Settled; steps: number } {
  const { basis } = market
  const chosen = chooseAmong(market, all)
  const offers = all.filter(({ unitsMax }) => unitsMax > 0)
  const tying = offers.filter(
    ({ shape, benefit }) => shape.kind !== 'order' && shape.kind !== 'free' && benefit.combination !== 'stackable',
  )
  if (tying.length === 0) return chosen
  const scene = sceneOf(market, offers)
  const { lineOffers } = groundOf(basis, offers)
  const ground = { lines: basis.lines, lineOffers: lineOffers.map(({ stacks }) => ({ free: [], stacks })) }
  const field = { basis, ground, orderOffers: scene.orderOffers }
  const lines = [...new Set(tying.flatMap(linesOf))].sort((a, b) => a - b)
  const component = { lines, offers: tying }
  const plans = ground.lines.map((line, at) => planLine(line, ground.lineOffers[at]!))
  const task = jointTask(field, { component, plans, free: scene.free, stepsMax: tieStepsMax, ties: true })
  const choice = chooseComponent(ground, component, task)
  const final = [...plans]
  for (const [index, at] of lines.entries()) final[at] = choice.plans[index]!
  const { settled } = settleBest(scene, final)!
  const wins = goesBefore(keyOf(settled), keyOf(chosen.settled))
  return { settled: wins ? settled : chosen.settled, steps: chosen.steps + choice.steps }
}
