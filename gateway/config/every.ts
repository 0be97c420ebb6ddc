/**
 * Repeats work that never rejects, never twice at once, without keeping the process alive.
 *
 * @param pollMs  milliseconds from one start to the next
 * @returns       ends it; a run under way finishes
 */
export function every(pollMs: number, work: () => Promise<void>): () => void {
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    void work().finally(() => {
      running = false
    })
  }, pollMs)
  timer.unref()
  return () => clearInterval(timer)
}
