/**
 * One text of several in Prometheus's form, as prom-client writes them: the samples of a metric stand together under one head, as the
 * form asks. What stands in each must differ by a label.
 */
export function mergeMetrics(texts: readonly string[]): string {
  const heads = new Map<string, string>()
  const samples = new Map<string, string[]>()
  for (const block of texts.flatMap((text) => text.trimEnd().split('\n\n'))) {
    const lines = block.split('\n').filter((line) => line !== '')
    const head = lines.filter((line) => line.startsWith('#'))
    const name = head[0]?.split(' ', 3)[2]
    if (name === undefined) continue
    if (!heads.has(name)) heads.set(name, head.join('\n'))
    samples.set(name, [...(samples.get(name) ?? []), ...lines.filter((line) => !line.startsWith('#'))])
  }
  return [...heads].map(([name, head]) => `${[head, ...samples.get(name)!].join('\n')}\n`).join('\n')
}
