import type { TrafficMinute } from '../../store/ledger/gateways.js'
import type { PosLedger } from '../../store/ledger.js'
import type { TrafficCounter } from '../telemetry/traffic.js'

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
  readonly counter: TrafficCounter
}

export function createTrafficMinutes({ posLedger, processId, counter }: Parts): TrafficMinutes {
  const waiting: TrafficMinute[] = []
  let minute = minuteOf(posLedger.clock())

  function count(): void {
    const counts = counter.take()
    if (Object.keys(counts.outcomes).length === 0 && counts.calls['all'] === 0) return
    waiting.push({ at: minute, ...counts })
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
      count()
      minute = now
      await write()
    },
    async end() {
      count()
      await write()
    },
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / minuteMs) * minuteMs
}
