/** How the samples of a case are spread, in its unit. */
export interface Spread {
  readonly median: number
  readonly p95: number
  readonly p99: number
  readonly max: number
  readonly count: number
  /** What a sample cost the processor on average, whatever else the machine did; null: not known. */
  readonly cpu: number | null
}

/** How long a case is run for before anything counts: V8 has compiled its hot paths by then. */
export interface Effort {
  readonly warmupMs: number
  readonly measureMs: number
  /** Samples at least, however long they take. */
  readonly samplesMin: number
}

const microsPerMs = 1000

/** Runs some work over and over, once for each sample, and says how long each took, in microseconds. */
export function measure(work: (sample: number) => void, effort: Effort): Spread {
  return measureSides([work], effort)[0]!
}

/**
 * Measures several sides of a comparison in turns, each warmed up for as long as the others, so that whatever else the machine does meets all of them alike.
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

/** The spread of samples that were taken elsewhere. Nearest rank: a percentile is a sample that occurred. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((left, right) => left - right)
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
  return { median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1), count: sorted.length, cpu: null }
}

function repeat(forMs: number, timesMin: number, work: (sample: number) => void): void {
  const until = performance.now() + forMs
  for (let sample = 0; sample < timesMin || performance.now() < until; sample++) work(sample)
}
