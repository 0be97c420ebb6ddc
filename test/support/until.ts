import { setTimeout as pause } from 'node:timers/promises'

/** Longer than anything takes that comes at all, however busy the machine is: in milliseconds. */
const withinMs = 120_000
const everyMs = 10

/** Asks again until the answer is the hoped-for one; where that never comes, resolves to the last one given. */
export async function until<T>(ask: () => T | Promise<T>, hoped: (answer: T) => boolean): Promise<T> {
  const endMs = performance.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (hoped(answer) || performance.now() > endMs) return answer
    await pause(everyMs)
  }
}
