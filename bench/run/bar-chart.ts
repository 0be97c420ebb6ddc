interface Bar {
  readonly name: string
  readonly ms: number
}

const [labelWidth, barWidth, valueWidth, rowHeight, gapHeight] = [230, 410, 80, 30, 14]
const style =
  'text{fill:#24292f}.own{fill:#0b6e4f}.peer{fill:#8b98a5}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.own{fill:#3fb68b}.peer{fill:#6e7b88}}'

/** Groups of bars on one scale, the first of each in another colour, as an SVG for light and dark pages. */
export function barChart(title: string, groups: readonly (readonly Bar[])[]): string {
  const longest = Math.max(...groups.flat().map(({ ms }) => ms))
  let y = -gapHeight
  const rows = groups.flatMap((bars) => {
    y += gapHeight
    return bars.map(({ name, ms }, at) => {
      const length = Math.max(2, (ms / longest) * barWidth)
      const row = `  <text x="0" y="${y + 20}">${name}</text>
  <rect class="${at === 0 ? 'own' : 'peer'}" x="${labelWidth}" y="${y + 4}" width="${length.toFixed(1)}" height="22" rx="3"/>
  <text x="${(labelWidth + length + 8).toFixed(1)}" y="${y + 20}">${ms >= 10 ? Math.round(ms) : ms.toFixed(1)} ms</text>`
      y += rowHeight
      return row
    })
  })
  const box = `viewBox="0 0 ${labelWidth + barWidth + valueWidth} ${y}" font-family="system-ui, sans-serif" font-size="14"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${box}>
  <style>${style}</style>
  <title>${title}</title>
${rows.join('\n')}
</svg>
`
}
