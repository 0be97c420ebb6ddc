import { isOutOfReach } from '../../fault.js'

export const underWayMax = 4

interface BatchOptions<Asked, Reply> {
  /**
   * How long a call waits for a statement under way, in milliseconds: usually longer than that takes, so that one server process is asked for
   * several, and short enough that one held up by a lock holds up no other.
   */
  readonly patienceMs: number
  readonly joins: (one: Asked, others: readonly Asked[]) => boolean
  readonly send: (asked: readonly Asked[]) => Promise<readonly Reply[]>
}

interface Waiting<Asked, Reply> {
  readonly one: Asked
  resolve(reply: Reply): void
  reject(error: unknown): void
}

/** Calls of one turn of the event loop leave together; those that come while others are under way wait a little for these. */
export function createBatches<Asked, Reply>({
  patienceMs,
  joins,
  send,
}: BatchOptions<Asked, Reply>): (one: Asked) => Promise<Reply> {
  let waiting: Waiting<Asked, Reply>[] = []
  let underWay = 0
  let lastLeftAtMs = Number.NEGATIVE_INFINITY
  let leaves = false
  let patience: NodeJS.Timeout | undefined

  function leave(): void {
    leaves = false
    clearTimeout(patience)
    const waitedMs = performance.now() - lastLeftAtMs
    const most = waitedMs < patienceMs ? 1 : underWayMax
    while (waiting.length > 0 && underWay < most) void run(takeBatch())
    if (waiting.length > 0 && underWay < underWayMax) patience = setTimeout(leave, patienceMs - waitedMs)
  }

  function takeBatch(): readonly Waiting<Asked, Reply>[] {
    const batch: Waiting<Asked, Reply>[] = []
    const asked: Asked[] = []
    waiting = waiting.filter((each) => {
      if (asked.length > 0 && !joins(each.one, asked)) return true
      batch.push(each)
      asked.push(each.one)
      return false
    })
    return batch
  }

  async function run(batch: readonly Waiting<Asked, Reply>[]): Promise<void> {
    underWay += 1
    lastLeftAtMs = performance.now()
    try {
      const replies = await send(batch.map(({ one }) => one))
      for (const [place, { resolve }] of batch.entries()) resolve(replies[place]!)
    } catch (error) {
      // Callers queued only because all statements are under way would hit the same outage: fail them now. Callers waiting for a batch stay.
      const behind = underWay === underWayMax && isOutOfReach(error) ? waiting.splice(0) : []
      for (const { reject } of [...batch, ...behind]) reject(error)
    } finally {
      underWay -= 1
      leave()
    }
  }

  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject })
      if (leaves) return
      leaves = true
      process.nextTick(leave)
    })
}
