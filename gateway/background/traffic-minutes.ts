import type { TrafficMinute } from '../../store/ledger/gateways.js'
import type { PosLedger } from '../../store/ledger.js'
import { countsBetween, noCounts, readCounts } from '../telemetry/traffic.js'

/** Minutes that wait while the ledger is out of reach; beyond it the oldest are dropped. */
const waitingMax = 120
const minuteMs = 60_000

/** Brings this process's answers to the ledger minute by minute, apart from the calls. */
export interface TrafficMinutes {
  /** Called about every second: counts and writes a minute after its end. Rejects with StoreFault: then the minute waits. */
  turn(): Promise<void>
  end(): Promise<void>
}

interface Parts {
  readonly posLedger: Pick<PosLedger, 'clock' | 'traffic'>
  readonly processId: string
  /** The text of this process's own page of metrics. */
  readonly page: () => Promise<string>
}

export function createTrafficMinutes({ posLedger, processId, page }: Parts): TrafficMinutes {
  const waiting: TrafficMinute[] = []
  let counted = noCounts
  let minute = minuteOf(posLedger.clock())

  async function count(): Promise<void> {
    const at = minute
    const counts = readCounts(await page())
    const { outcomes, within } = countsBetween(counted, counts)
    counted = counts
    const some = [...outcomes].filter(([, baskets]) => baskets > 0)
    if (some.length === 0) return
    waiting.push({ at, outcomes: Object.fromEntries(some), times: timesFrom(within) })
    waiting.splice(0, waiting.length - waitingMax)
  }

  async function write(): Promise<void> {
    const minutes = [...waiting]
    if (minutes.length === 0) return
    await posLedger.traffic.add(processId, minutes)
    waiting.splice(0, minutes.length)
  }

  return {
    async turn() {
      const now = minuteOf(posLedger.clock())
      if (now <= minute) return
      await count()
      minute = now
      await write()
    },
    async end() {
      await count()
      await write()
    },
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs
}

function timesFrom(within: ReadonlyMap<number, number>): Readonly<Record<string, number>> {
  const times: Record<string, number> = {}
  let before = 0
  for (const [bound, count] of within) {
    times[bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound)] = count - before
    before = count
  }
  return times
}
