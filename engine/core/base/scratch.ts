/** Numbers of each kind that are reused; a larger need gets an array of its own for the rest. */
const keptMax = 32_768

/** Temporary arrays in memory that a thread keeps. New ones cost about ten times as much, and garbage collection. */
class Scratch {
  private readonly doubles = new Float64Array(keptMax)
  private readonly integers = new Int32Array(keptMax)
  private doublesTaken = 0
  private integersTaken = 0

  takeDoubles(count: number): Float64Array {
    const from = this.doublesTaken
    if (from + count > keptMax) return new Float64Array(count)
    this.doublesTaken += count
    return this.doubles.subarray(from, this.doublesTaken).fill(0)
  }

  takeIntegers(count: number): Int32Array {
    const from = this.integersTaken
    if (from + count > keptMax) return new Int32Array(count)
    this.integersTaken += count
    return this.integers.subarray(from, this.integersTaken).fill(0)
  }

  during<T>(work: () => T): T {
    const [doubles, integers] = [this.doublesTaken, this.integersTaken]
    try {
      return work()
    } finally {
      this.doublesTaken = doubles
      this.integersTaken = integers
    }
  }
}

export const scratch = new Scratch()
