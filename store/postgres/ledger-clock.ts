/** One comparison with the ledger's clock. */
interface Sample {
  /** What to add to `performance.now()` to get the ledger's time, in milliseconds. */
  readonly offset: number
  /** How long the comparison took: it is wrong by half of it at most. */
  readonly roundTripMs: number
}

/** The ledger's clock as this process knows it. */
export interface LedgerClock {
  /** Whole milliseconds since the epoch. */
  now(): number
  close(): void
}

/** Pause between two comparisons, in milliseconds. */
export const compareMs = 5_000

/** Of so many comparisons the one with the shortest round trip counts. */
const samplesMax = 8

/** Two comparisons that contradict each other by more than this, in milliseconds, tell of a clock that was set. */
const contradictionMs = 5

/**
 * Compares this process's monotonic clock with the ledger's now and every few seconds; between, and while the ledger is
 * away, time goes on by itself. Rejects where the first comparison does.
 *
 * @param readServerClock  the ledger's time, milliseconds since the epoch
 */
export async function createLedgerClock(readServerClock: () => Promise<number>): Promise<LedgerClock> {
  let samples: readonly Sample[] = []

  async function compare(): Promise<void> {
    const sentAt = performance.now()
    const serverNow = await readServerClock()
    const repliedAt = performance.now()
    samples = withSample(samples, {
      offset: serverNow - (sentAt + repliedAt) / 2,
      roundTripMs: repliedAt - sentAt,
    })
  }

  await compare()
  await compare()
  // A comparison that fails leaves things as they are.
  const timer = setInterval(() => compare().catch(() => {}), compareMs).unref()
  return {
    now: () => Math.round(performance.now() + best(samples).offset),
    close: () => clearInterval(timer),
  }
}

/** The samples that count after this one: those before it only where they can be true of the same clock. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const agree = (earlier: Sample) =>
    Math.abs(earlier.offset - sample.offset) <= (earlier.roundTripMs + sample.roundTripMs) / 2 + contradictionMs
  return [...samples.filter(agree), sample].slice(-samplesMax)
}

function best(samples: readonly Sample[]): Sample {
  return samples.reduce((least, sample) => (sample.roundTripMs < least.roundTripMs ? sample : least))
}
