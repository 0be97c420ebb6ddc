/** Rows as lines with aligned columns; a heading that ends with `>` aligns right. Empty without rows. */
export function tableLines(headings: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return []
  const titles = headings.map((heading) => heading.replace(/>$/, ''))
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (headings[at]!.endsWith('>') ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!)))
      .join('  ')
      .trimEnd()
  return [line(titles), ...rows.map(line)]
}

const barWidth = 30

export function barText(done: number, total: number): string {
  const part = total === 0 ? 1 : Math.min(1, done / total)
  const filled = Math.round(part * barWidth)
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${Math.floor(part * 100)} %`
}
