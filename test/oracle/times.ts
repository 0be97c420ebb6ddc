import type { RewardOf } from '../../engine/core/base/programme.js'
import { type Ground, isDiscountable, slotsOf } from './ground.js'
import { selectLines } from './select-lines.js'
import { byUnitCost, type SentBasket, type SentLine } from './sent-basket.js'
import { sumOf, sumOfBoth } from './spread.js'

/** One time of a `buy_get` or a bundle: the units per line that it uses, and those that get a percentage off. */
export interface Time {
  readonly use: readonly number[]
  readonly get: readonly number[]
}

/** Lines that are passed over, and whether those that may not be discounted are not. */
export interface Passing {
  readonly open?: (line: SentLine) => boolean
  readonly withFlagged?: boolean
}

/** Every way to deal units into one time of a `buy_get`. */
export function buyGetTimes(
  basket: SentBasket,
  reward: RewardOf<'buy_get'>,
  { open = () => true, withFlagged = false }: Passing,
): Time[] {
  const { lines } = basket
  const isOpen = (line: SentLine) => line.whole && open(line)
  const bought = selectLines(basket, reward.buy.select, withFlagged).matches
  const got = selectLines(basket, reward.get.select, withFlagged).matches
  const canBuy = lines.map((line, at) => bought[at]! && isOpen(line))
  const canGet = lines.map((line, at) => got[at]! && isOpen(line) && (withFlagged || isDiscountable(reward, line)))
  const either = lines.map((_, at) => canBuy[at]! && canGet[at]!)
  const gets = picks(lines, canGet, reward.get.quantity)
  return picks(lines, canBuy, reward.buy.quantity)
    .flatMap((buy) => gets.map((get) => ({ use: sumOfBoth(buy, get), buy, get })))
    .filter(({ use, buy, get }) => {
      const bought = lines.filter((_, at) => either[at]! && buy[at]! > 0)
      const got = lines.filter((_, at) => either[at]! && get[at]! > 0)
      const isCheapest = bought.every((one) =>
        got.every((other) => (byUnitCost(one, other) || one.price - other.price) >= 0),
      )
      return isCheapest && isOneTime(lines, reward, use)
    })
}

/** True: these units are there, and with `sameProduct` all of one identity. */
function isOneTime(
  lines: readonly SentLine[],
  { sameProduct }: { readonly sameProduct?: boolean },
  use: readonly number[],
): boolean {
  const ids = lines.flatMap(({ identity }, at) => (use[at]! > 0 ? [`${identity.of} ${identity.id}`] : []))
  return lines.every(({ slots }, at) => use[at]! <= slots) && (sameProduct !== true || new Set(ids).size === 1)
}

export type Bundle = RewardOf<'bundle_price'> | RewardOf<'bundle_discount'>

/** Every way to fill the components of one bundle. */
export function bundleTimes(
  basket: SentBasket,
  reward: Bundle,
  { open = () => true, withFlagged = false }: Passing,
): Time[] {
  const { lines } = basket
  const nothing = lines.map(() => 0)
  let filled: (readonly number[])[] = [nothing]
  for (const component of reward.components) {
    const { matches } = selectLines(basket, component.select, withFlagged)
    const parts = picks(
      lines,
      lines.map((line, at) => {
        const isOpen = matches[at]! && line.whole && open(line)
        return isOpen && (withFlagged || isDiscountable(reward, line))
      }),
      component.quantity,
    )
    filled = distinct(filled.flatMap((use) => parts.map((part) => sumOfBoth(use, part)))).filter((use) =>
      lines.every(({ slots }, at) => use[at]! <= slots),
    )
  }
  return filled.filter((use) => isOneTime(lines, reward, use)).map((use) => ({ use, get: nothing }))
}

/** Every way to pick exactly `quantity` units from the lines that are open, as units per line. */
function picks(lines: readonly SentLine[], open: readonly boolean[], quantity: number): number[][] {
  let partial: number[][] = [[]]
  for (const [at, line] of lines.entries()) {
    const most = open[at]! ? Math.min(line.slots, quantity) : 0
    partial = partial.flatMap((chosen) => {
      const room = Math.min(most, quantity - sumOf(chosen))
      return Array.from({ length: room + 1 }, (_, units) => [...chosen, units])
    })
  }
  return partial.filter((chosen) => sumOf(chosen) === quantity)
}

/** Every sum of one or more times that the lines have the units for, with how many times it is. */
export function repeated(times: readonly Time[], ground: Ground, timesMax: number): { time: Time; times: number }[] {
  const { lines } = ground.basket
  const all: { time: Time; times: number }[] = []
  let level: readonly Time[] = [{ use: lines.map(() => 0), get: lines.map(() => 0) }]
  for (let count = 1; count <= timesMax && level.length > 0; count += 1) {
    const next = new Map<string, Time>()
    for (const before of level) {
      for (const time of times) {
        const use = before.use.map((units, at) => units + time.use[at]!)
        if (use.some((units, at) => units > slotsOf(ground, at))) continue
        const get = before.get.map((units, at) => units + time.get[at]!)
        next.set(`${use.join()}/${get.join()}`, { use, get })
      }
    }
    level = [...next.values()]
    all.push(...level.map((time) => ({ time, times: count })))
  }
  return all
}

function distinct(vectors: readonly (readonly number[])[]): (readonly number[])[] {
  return [...new Map(vectors.map((vector) => [vector.join(), vector])).values()]
}
