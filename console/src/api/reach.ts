import { useSyncExternalStore } from 'react'

let isAway = false
let returns = 0
const listeners = new Set<() => void>()

/** Notes whether the service answered the last time somebody asked. */
export function noteReach(isReached: boolean): void {
  if (isAway === !isReached) return
  isAway = !isReached
  if (isReached) returns += 1
  for (const listener of listeners) listener()
}

/** Whether the service cannot be reached at the moment: nothing answers at its address. */
export function useIsAway(): boolean {
  return useSyncExternalStore(subscribe, () => isAway)
}

/** How often the service was reached again after it was away: what waits need wait no longer. */
export function useReturns(): number {
  return useSyncExternalStore(subscribe, () => returns)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const firstPauseMs = 1_000
const pauseMsMax = 30_000

/** How long to wait before the next attempt, in milliseconds: each time twice as long. @param failures  in a row, from 1 */
export function pauseMs(failures: number): number {
  return Math.min(pauseMsMax, firstPauseMs * 2 ** (failures - 1))
}
