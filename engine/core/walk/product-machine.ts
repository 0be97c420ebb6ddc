import type { LineUse, StateMachine } from './state-machines.js'

export interface ProductLine {
  readonly product: number
  readonly lineNumber: number
}

interface Place extends ProductLine {
  readonly machine: StateMachine
  readonly from: number
  readonly isLast: boolean
}

/**
 * Each product by a machine of its own, whose digits another takes after its last line; all machines have as many. One
 * more digit: units discounted, if `unitsMax` limits them.
 *
 * @param lines  in the order of the walk
 */
export function productMachine(
  lines: readonly ProductLine[],
  machineOf: (product: number) => StateMachine,
  unitsMax: number,
): StateMachine {
  const places = placesOf(lines, machineOf)
  const [{ machine }] = places as [Place, ...Place[]]
  const width = machine.digits
  const counter = places.reduce((most, { from }) => Math.max(most, from), 0) + width
  const isLimited = unitsMax !== Number.POSITIVE_INFINITY
  return {
    digits: counter + 1,
    advance(row, start, { lineNumber, eligibility, use }: LineUse) {
      const place = places[lineNumber]!
      const from = start + place.from
      if (isLimited) {
        for (let component = 0; component < use.taken.length; component++)
          row[start + counter]! += use.taken[component]!
        if (row[start + counter]! > unitsMax) return noEnd
      }
      const gain = place.machine.advance(row, from, { lineNumber: place.lineNumber, eligibility, use })
      if (gain === noEnd || !place.isLast) return gain
      if (!place.machine.isEnd(row, from)) return noEnd
      row.fill(0, from, from + width)
      return gain
    },
    isEnd: () => true,
  }
}

const noEnd = Number.NEGATIVE_INFINITY

function placesOf(lines: readonly ProductLine[], machineOf: (product: number) => StateMachine): Place[] {
  const last = new Map(lines.map(({ product }, at) => [product, at]))
  const open = new Map<number, { readonly machine: StateMachine; readonly slot: number }>()
  return lines.map((line, at) => {
    const taken = new Set([...open.values()].map(({ slot }) => slot))
    let slot = 0
    while (taken.has(slot)) slot++
    const own = open.get(line.product) ?? { machine: machineOf(line.product), slot }
    const isLast = last.get(line.product) === at
    if (isLast) open.delete(line.product)
    else open.set(line.product, own)
    return { ...line, machine: own.machine, from: own.slot * own.machine.digits, isLast }
  })
}
