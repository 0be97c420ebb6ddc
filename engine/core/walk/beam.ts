import { bestShare } from '../base/costs.js'
import { type BitRange, begunIn } from './bit-ranges.js'
import type { Layer } from './layer.js'

/** Buffers by state, shared by all walks of a thread. */
let [reach, sorted, marks, kept, order] = roomFor(0)

function roomFor(count: number): [Float64Array, Float64Array, Uint8Array, Int32Array, Int32Array] {
  return [
    new Float64Array(count),
    new Float64Array(count),
    new Uint8Array(count),
    new Int32Array(count),
    new Int32Array(count),
  ]
}

/**
 * Narrows a larger layer to `statesKept` states: those of the greatest bound, and the best of each group with as many
 * offers begun, since these need lines to end on.
 *
 * @param bitRanges  of the offers; begun: not in the first state
 * @returns          upper bound of states left out, without later lines
 */
export function narrowToBeam(layer: Layer, statesKept: number, bitRanges: readonly BitRange[]): number {
  const { gains, aheads, count } = layer
  if (reach.length < count) [reach, sorted, marks, kept, order] = roomFor(2 * count)
  for (let state = 0; state < count; state++) reach[state] = gains[state]! + aheads[state]!
  marks.fill(0, 0, count)
  for (let state = 0; state < count; state++) order[state] = state
  keepMost([0, count], Math.ceil(statesKept * bestShare))
  const ends = groupByBegun(layer, bitRanges)
  const groups = ends.filter((end, group) => end > (ends[group - 1] ?? 0)).length
  const each = Math.ceil((statesKept * (1 - bestShare)) / groups)
  for (let group = 0; group < ends.length; group++) keepMost([ends[group - 1] ?? 0, ends[group]!], each)
  let [most, left] = [Number.NEGATIVE_INFINITY, 0]
  for (let state = 0; state < count; state++) {
    if (marks[state] === 1) kept[left++] = state
    else if (reach[state]! > most) most = reach[state]!
  }
  layer.keep(kept.subarray(0, left))
  return most
}

// Sorts the other states by offers begun; returns where groups end.
function groupByBegun({ rows, count, width }: Layer, bitRanges: readonly BitRange[]): Int32Array {
  const ends = new Int32Array(bitRanges.length + 1)
  for (let state = 0; state < count; state++) {
    const begun = begunIn(rows, state * width, bitRanges)
    kept[state] = begun
    if (marks[state] === 0) ends[begun]!++
  }
  for (let group = 0, from = 0; group < ends.length; group++) {
    const size = ends[group]!
    ends[group] = from
    from += size
  }
  for (let state = 0; state < count; state++) if (marks[state] === 0) order[ends[kept[state]!]!++] = state
  return ends
}

// Marks the states of the greatest reach; on a tie the first.
function keepMost([from, to]: readonly [number, number], count: number): void {
  const least = leastOf([from, to], count)
  let left = count
  for (let at = from; at < to; at++) {
    if (reach[order[at]!]! <= least) continue
    marks[order[at]!] = 1
    left--
  }
  for (let at = from; at < to && left > 0; at++) {
    if (reach[order[at]!] !== least) continue
    marks[order[at]!] = 1
    left--
  }
}

// Quickselect: the `count`-th greatest reach.
function leastOf([from, to]: readonly [number, number], count: number): number {
  const length = to - from
  if (length <= count) return Number.NEGATIVE_INFINITY
  for (let at = 0; at < length; at++) sorted[at] = reach[order[from + at]!]!
  const wanted = length - count
  let [low, high] = [0, length - 1]
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
    if (wanted <= right) high = right
    else if (wanted >= left) low = left
    else break
  }
  return sorted[wanted]!
}
