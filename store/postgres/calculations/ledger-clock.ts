interface Sample {
  readonly offset: number
  readonly roundTripMs: number
}

export interface LedgerClock {
  now(): number
  /**
   * Takes the ledger's time from any reply, sent after `sentAtMs` (`performance.now()`). It counts where it contradicts earlier ones, so
   * that a clock that was set is followed within one call, or where it is more exact. Returns whether the clock has changed.
   */
  learn(sentAtMs: number, ledgerMs: number): boolean
}

const samplesMax = 8

/** Two comparisons that contradict each other by more than this, in milliseconds, mean that a clock was set. */
const contradictionMs = 5

/** At the start, and with each reply that carries the ledger's time. */
export async function createLedgerClock(readServerClock: () => Promise<number>): Promise<LedgerClock> {
  let samples: readonly Sample[] = []

  async function compare(): Promise<void> {
    const sentAtMs = performance.now()
    const ledgerMs = await readServerClock()
    samples = withSample(samples, sampleOf(sentAtMs, ledgerMs))
  }

  await compare()
  await compare()
  return {
    now: () => Math.round(performance.now() + best(samples).offset),
    learn(sentAtMs, ledgerMs) {
      const sample = sampleOf(sentAtMs, ledgerMs)
      const isNews =
        samples.some((earlier) => !agree(earlier, sample)) || sample.roundTripMs < best(samples).roundTripMs
      if (isNews) samples = withSample(samples, sample)
      return isNews
    },
  }
}

/** The samples that count after this one: those before it only where they can be true of the same clock. */
export function withSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  return [...samples.filter((earlier) => agree(earlier, sample)), sample].slice(-samplesMax)
}

function sampleOf(sentAtMs: number, ledgerMs: number): Sample {
  const repliedAtMs = performance.now()
  return { offset: ledgerMs - (sentAtMs + repliedAtMs) / 2, roundTripMs: repliedAtMs - sentAtMs }
}

function agree(one: Sample, other: Sample): boolean {
  return Math.abs(one.offset - other.offset) <= (one.roundTripMs + other.roundTripMs) / 2 + contradictionMs
}

function best(samples: readonly Sample[]): Sample {
  return samples.reduce((least, sample) => (sample.roundTripMs < least.roundTripMs ? sample : least))
}
