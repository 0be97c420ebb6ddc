import type { Layer } from './layer.js'

let reach = new Float64Array(0)
let sorted = new Float64Array(0)
let kept = new Int32Array(0)

/**
 * Narrows a larger layer to the `statesKept` states of the greatest bound; on a tie the first.
 *
 * @returns  upper bound of states left out, without later lines
 */
export function narrowToBeam(layer: Layer, statesKept: number): number {
  const { gains, aheads, count } = layer
  if (reach.length < count) {
    reach = new Float64Array(2 * count)
    sorted = new Float64Array(2 * count)
    kept = new Int32Array(2 * count)
  }
  for (let state = 0; state < count; state++) reach[state] = gains[state]! + aheads[state]!
  const least = leastOf(count, statesKept)
  let ties = statesKept
  for (let state = 0; state < count; state++) if (reach[state]! > least) ties--
  let [most, left] = [Number.NEGATIVE_INFINITY, 0]
  for (let state = 0; state < count; state++) {
    if (reach[state]! > least || (reach[state] === least && ties-- > 0)) kept[left++] = state
    else if (reach[state]! > most) most = reach[state]!
  }
  layer.keep(kept.subarray(0, left))
  return most
}

// Quickselect: the `wanted`-th greatest reach of more states.
function leastOf(count: number, wanted: number): number {
  sorted.set(reach.subarray(0, count))
  const place = count - wanted
  let [low, high] = [0, count - 1]
  while (low < high) {
    const pivot = sorted[(low + high) >> 1]!
    let [left, right] = [low, high]
    while (left <= right) {
      while (sorted[left]! < pivot) left++
      while (sorted[right]! > pivot) right--
      if (left > right) break
      const each = sorted[left]!
      sorted[left++] = sorted[right]!
      sorted[right--] = each
    }
    if (place <= right) high = right
    else if (place >= left) low = left
    else break
  }
  return sorted[place]!
}
