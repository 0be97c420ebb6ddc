/** Every choice among some lines, the empty one included. */
export function subsetsOf(lines: readonly number[]): number[][] {
  const all: number[][] = [[]]
  for (const line of lines) all.push(...all.map((subset) => [...subset, line]))
  return all
}

/** Lines as bits. */
export function bitsOf(lines: readonly number[]): number {
  return lines.reduce((bits, line) => bits | (1 << line), 0)
}
