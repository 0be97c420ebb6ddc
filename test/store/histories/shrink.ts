import type { History } from './history.js'
import { type Deviation, play } from './play.js'
import type { Played } from './played.js'

/** The smallest history found that still deviates: steps are left out one by one, the last first, while any can be. */
export async function shrink(played: Played, history: History): Promise<{ history: History; deviation: Deviation }> {
  const first = await play(played, history)
  if (first === null) throw new Error('a history deviates once and not again')
  let [smallest, deviation] = [{ ...history, steps: history.steps.slice(0, first.at + 1) }, first]
  for (let at = smallest.steps.length - 1; at >= 0; at--) {
    const fewer = { ...smallest, steps: smallest.steps.toSpliced(at, 1) }
    const found = await play(played, fewer)
    if (found !== null) [smallest, deviation] = [fewer, found]
  }
  return { history: smallest, deviation }
}
