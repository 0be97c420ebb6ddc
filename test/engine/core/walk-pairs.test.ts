import t, { type Test } from 'tap'
import { createDice, type Dice } from '../../../bench/load/dice.js'
import { Pairs } from '../../../engine/core/walk/bounds/pairs.js'
import type { Prices } from '../../../engine/core/walk/bounds/prices.js'
import { fieldsOf } from '../../../engine/core/walk/fields.js'
import type { Stop, Track } from '../../../engine/core/walk/tracks.js'
import type { WalkLine } from '../../../engine/core/walk/ways.js'

const useCount = 3
const stateCount = 4

interface Drawn {
  readonly offersOf: readonly (readonly number[])[]
  readonly tracks: readonly Track[]
  readonly lines: readonly WalkLine[]
  readonly prices: Prices
  readonly ahead: readonly (readonly Float64Array[])[]
}

/** A few lines with some of the offers each, and random charges. */
function draw(dice: Dice, offers: number, places: number): Drawn {
  const offersOf = Array.from({ length: places }, () => {
    const own = Array.from({ length: offers }, (_, offer) => offer).filter(() => offers === 2 || dice.below(4) > 0)
    return own.length === 0 ? [0] : own
  })
  const numbers = (count: number, most: number) => Float64Array.from({ length: count }, () => dice.below(most))
  const ways = offersOf.map((own) => {
    return Array.from({ length: 1 + dice.below(12) }, () => own.map(() => dice.below(useCount)))
  })
  const tracks = Array.from({ length: offers }, (_, offer): Track => {
    const own = offersOf.flatMap((of, place) => (of.includes(offer) ? [place] : []))
    const stops = own.map((place, at): Stop => {
      const isLast = at === own.length - 1
      const next = Int32Array.from({ length: stateCount * useCount }, () => {
        return dice.below(4) === 0 ? -1 : isLast ? 0 : dice.below(stateCount)
      })
      const useOf = ways[place]!.map((way) => way[offersOf[place]!.indexOf(offer)]!)
      const [units, gains, worth] = [numbers(useCount, 3), numbers(useCount, 9), numbers(next.length, 9)]
      return { place, stateCount, useCount, useOf, units, gains, next, worth }
    })
    return { stops, moves: 0 }
  })
  const charges = tracks.map(({ stops }) => stops.map(() => numbers(useCount, 9)))
  const ahead = tracks.map(({ stops }, offer) => {
    const own = [...stops.map(() => new Float64Array(stateCount)), new Float64Array(1)]
    for (let at = stops.length - 1; at >= 0; at--) {
      const { next, gains, worth } = stops[at]!
      own[at]!.fill(Number.NEGATIVE_INFINITY)
      for (let move = 0; move < next.length; move++) {
        if (next[move]! < 0) continue
        const [state, use] = [Math.floor(move / useCount), move % useCount]
        const all = gains[use]! + worth[move]! - charges[offer]![at]![use]! + own[at + 1]![next[move]!]!
        own[at]![state] = Math.max(own[at]![state]!, all)
      }
    }
    return own
  })
  const rests = ways.map((own) => numbers(own.length, 9))
  const restAhead = new Float64Array(places + 1)
  for (let place = places - 1; place >= 0; place--) {
    const held = ways[place]!.map((way, each) => {
      return way.reduce((sum, use, of) => {
        const offer = offersOf[place]![of]!
        return sum + charges[offer]![tracks[offer]!.stops.findIndex((stop) => stop.place === place)]![use]!
      }, rests[place]![each]!)
    })
    restAhead[place] = restAhead[place + 1]! + Math.max(...held)
  }
  const open = ways.map((own) => Int32Array.from(own.keys()))
  const prices = { ahead, charges, rests, restAhead, open } as unknown as Prices
  return { offersOf, tracks, lines: offersOf.map((own) => ({ offers: own })) as unknown as WalkLine[], prices, ahead }
}

/** The least lack of all plans from a state on, by enumeration. */
function leastLack({ lines, tracks, prices }: Drawn, place: number, states: readonly number[]): number {
  const line = lines[place]
  if (line === undefined) return 0
  let least = Number.POSITIVE_INFINITY
  for (const way of prices.open[place]!) {
    let lack = prices.restAhead[place]! - prices.restAhead[place + 1]! - prices.rests[place]![way]!
    const after = [...states]
    for (const offer of line.offers) {
      const at = tracks[offer]!.stops.findIndex((stop) => stop.place === place)
      const stop = tracks[offer]!.stops[at]!
      const use = stop.useOf[way]!
      const move = states[offer]! * useCount + use
      const [now, later] = [prices.ahead[offer]![at]![states[offer]!]!, prices.ahead[offer]![at + 1]!]
      // The offer pays the charge and the line receives it.
      if (stop.next[move]! < 0) lack = Number.POSITIVE_INFINITY
      else lack += now - stop.gains[use]! - stop.worth[move]! - later[stop.next[move]!]!
      after[offer] = Math.max(0, stop.next[move]!)
    }
    if (lack < least) least = Math.min(least, lack + leastLack({ lines, tracks, prices } as Drawn, place + 1, after))
  }
  return least
}

function check(t: Test, dice: Dice, { offers, isExact }: { offers: number; isExact: boolean }): number {
  const drawn = draw(dice, offers, 3)
  const { lines, tracks, prices } = drawn
  const fields = fieldsOf(tracks).fields
  const pairs = new Pairs(lines, tracks, { prices, fields, stepsMax: Number.POSITIVE_INFINITY })
  let found = 0
  for (let time = 0; time < 40; time++) {
    const place = dice.below(3)
    const states = tracks.map(({ stops }) => (stops.some((stop) => stop.place >= place) ? dice.below(stateCount) : 0))
    const isOpen = tracks.every(({ stops }, offer) => {
      const at = stops.findIndex((stop) => stop.place >= place)
      return at < 0 || prices.ahead[offer]![at]![states[offer]!]! > Number.NEGATIVE_INFINITY
    })
    if (!isOpen) continue
    const rows = new Float64Array(fieldsOf(tracks).columns)
    for (const [offer, { column, shift }] of fields.entries()) rows[column]! += states[offer]! << shift
    const lack = pairs.lackOf(place, { rows, from: 0, spare: Number.POSITIVE_INFINITY })
    const least = leastLack(drawn, place, states)
    t.ok(isExact ? lack === least : lack <= least, `${lack} of ${least}`)
    t.ok(pairs.lackOf(place, { rows, from: 0, spare: 3 }) <= least)
    t.equal(pairs.lackOf(place, { rows, from: 0, spare: Number.POSITIVE_INFINITY }), lack)
    if (lack > 0) found++
  }
  return found
}

await t.test('two offers lack together what the best plans of both lack', async (t) => {
  const dice = createDice(11)
  let found = 0
  for (let time = 0; time < 60; time++) found += check(t, dice, { offers: 2, isExact: true })
  t.ok(found > 300)
})

await t.test('of several offers no two lack more than the best plans of all do', async (t) => {
  const dice = createDice(12)
  let found = 0
  for (let time = 0; time < 60; time++) found += check(t, dice, { offers: 4, isExact: false })
  t.ok(found > 300)
})

await t.test('pairs beyond the budget are omitted, and their lack counts as 0', async (t) => {
  const { lines, tracks, prices } = draw(createDice(13), 3, 3)
  const fields = fieldsOf(tracks).fields
  const pairs = new Pairs(lines, tracks, { prices, fields, stepsMax: 0 })
  t.equal(pairs.countAt(0), 0)
  t.equal(pairs.lackOf(0, { rows: new Float64Array(1), from: 0, spare: 0 }), 0)
})

await t.test('states stand in as few columns as they fit into', async (t) => {
  const track = (stateCount: number) => ({ stops: [{ stateCount }], moves: 0 }) as unknown as Track
  const { fields, columns } = fieldsOf([track(4000), track(4000), track(1), track(129), track(2)])
  t.same(fields, [
    { column: 0, shift: 0, mask: 4095 },
    { column: 0, shift: 12, mask: 4095 },
    { column: 0, shift: 24, mask: 0 },
    { column: 1, shift: 0, mask: 255 },
    { column: 1, shift: 8, mask: 1 },
  ])
  t.equal(columns, 2)
})
