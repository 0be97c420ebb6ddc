/** Letters by which a slip of the pen differs from what was meant, at most. */
const slipMax = 2
/** Known names that a slip is looked for in: bounds the cost of many names. */
const lookedMax = 2_000

/** What is said of names that nothing has: what was expected, the first of them, and what was probably meant. */
export function unknownMessage(expected: string, unknown: readonly string[], known: ReadonlySet<string>): string {
  const [first = '', ...others] = unknown
  const near = nearestTo(first, known)
  const meant = near === null ? '' : ` (did you mean ${near}?)`
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  return `expected ${expected}, received ${first}${meant}${more}`
}

/** The known name that differs least, in few letters; null: none is near. */
function nearestTo(name: string, known: ReadonlySet<string>): string | null {
  let nearest: { readonly name: string; readonly distance: number } | null = null
  let looked = 0
  for (const other of known) {
    looked += 1
    if (looked > lookedMax) break
    const most = Math.min(slipMax, Math.floor(name.length / 2), (nearest?.distance ?? slipMax + 1) - 1)
    const distance = distanceOf(name, other, most)
    if (distance <= most) nearest = { name: other, distance }
  }
  return nearest?.name ?? null
}

/** Letters to change, add or leave out between two names; above `most` any larger number. */
function distanceOf(left: string, right: string, most: number): number {
  if (Math.abs(left.length - right.length) > most) return most + 1
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= right.length; j += 1) {
      const changed = row[j - 1]! + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[right.length]!
}
