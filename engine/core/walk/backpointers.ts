const roomAtFirst = 1024

/** The paths of a walk, by number of an entry: the entry before, and the assignment. Shared by walks of a thread. */
export class Backpointers {
  befores = new Int32Array(roomAtFirst)
  taken = new Int32Array(roomAtFirst)
  private count = 0

  reset(): void {
    this.count = 0
  }

  add(before: number, assignment: number): number {
    const at = this.count++
    if (at === this.taken.length) {
      const { befores, taken } = this
      this.befores = new Int32Array(2 * at)
      this.taken = new Int32Array(2 * at)
      this.befores.set(befores)
      this.taken.set(taken)
    }
    this.befores[at] = before
    this.taken[at] = assignment
    return at
  }
}
