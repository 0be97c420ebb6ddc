/** Numbers of each kind that are kept; whoever needs more has an array of its own for the rest. */
const keptMax = 32_768

/**
 * Arrays of numbers for the time of one piece of work, cut from memory that a thread keeps: made anew, an array of more
 * than a few numbers costs about ten times as much, and the garbage collector goes after each of them.
 */
class Scratch {
  private readonly doubles = new Float64Array(keptMax)
  private readonly integers = new Int32Array(keptMax)
  private doublesTaken = 0
  private integersTaken = 0

  /** So many doubles, all 0. */
  takeDoubles(count: number): Float64Array {
    const from = this.doublesTaken
    if (from + count > keptMax) return new Float64Array(count)
    this.doublesTaken += count
    return this.doubles.subarray(from, this.doublesTaken).fill(0)
  }

  /** So many whole numbers of 32 bits, all 0. */
  takeIntegers(count: number): Int32Array {
    const from = this.integersTaken
    if (from + count > keptMax) return new Int32Array(count)
    this.integersTaken += count
    return this.integers.subarray(from, this.integersTaken).fill(0)
  }

  /** Does some work; what it took meanwhile is free for others afterwards, and must not be in what it returns. */
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

/** The scratch memory of a thread. */
export const scratch = new Scratch()
