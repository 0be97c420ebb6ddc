/** The spread of a case's samples, in its unit. */
export interface Spread {
  readonly median: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  readonly count: number
  /** Average processor time of a sample, independent of other work of the machine; null: not known. */
  readonly cpu: number | null
}

/** Times of a case. V8 compiles the hot paths during the warm-up. */
export interface Effort {
  readonly warmupMs: number
  readonly measureMs: number
  /** Samples at least, even beyond `measureMs`. */
  readonly samplesMin: number
}

const microsPerMs = 1000

export function measure(work: (sample: number) => void, effort: Effort): Spread {
  return measureSides([work], effort)[0]!
}

/**
 * Measures several sides of a comparison in turns, with equal warm-up, so that other work of the machine affects all
 * alike.
 *
 * @returns  one spread per side, in microseconds
 */
export function measureSides(sides: readonly ((sample: number) => void)[], effort: Effort): Spread[] {
  for (const side of sides) repeat(effort.warmupMs, Math.ceil(effort.samplesMin / 4), side)
  const taken = sides.map(() => ({ samples: [] as number[], cpu: 0 }))
  repeat(effort.measureMs, effort.samplesMin, (sample) => {
    for (const [at, side] of sides.entries()) {
      const used = process.cpuUsage()
      const began = performance.now()
      side(sample)
      taken[at]!.samples.push((performance.now() - began) * microsPerMs)
      const { user, system } = process.cpuUsage(used)
      taken[at]!.cpu += user + system
    }
  })
  return taken.map(({ samples, cpu }) => ({ ...spreadOf(samples), cpu: cpu / samples.length }))
}

/** The spread of samples. Nearest rank: a percentile is always one of the samples. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((left, right) => left - right)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), count: sorted.length, cpu: null }
}

function repeat(forMs: number, timesMin: number, work: (sample: number) => void): void {
  const until = performance.now() + forMs
  for (let sample = 0; sample < timesMin || performance.now() < until; sample++) work(sample)
}
