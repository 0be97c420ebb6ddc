import type { Metrics } from '../telemetry/metrics.js'
import type { FromProcess, ToProcess } from './messages.js'

interface Asked {
  readonly number: number
  readonly child: { send(message: ToProcess): void } | null
}

/** Rounds of asking every process for its metrics. */
export interface MetricsRounds {
  /** `answer` is called once, with the metrics of all of them, or of those that answered in time. */
  begin(asked: readonly Asked[], answer: (text: string) => void): void
  given(number: number, message: Extract<FromProcess, { readonly kind: 'metrics_given' }>): void
}

/** A process that is stuck is left out after this time, in milliseconds, so that the others can be seen. */
const roundMs = 1_000

/** @param own  the supervisor's metrics, which come first */
export function createMetricsRounds(own: Metrics): MetricsRounds {
  const open = new Map<number, { readonly texts: Map<number, string>; readonly left: Set<number>; end(): void }>()
  let rounds = 0
  return {
    begin(asked, answer) {
      rounds += 1
      const round = rounds
      const texts = new Map<number, string>()
      const end = () => {
        clearTimeout(timer)
        if (!open.delete(round)) return
        const inOrder = [...texts].sort(([left], [right]) => left - right).map(([, text]) => text)
        void own.text().then((first) => answer(mergeMetrics([first, ...inOrder])))
      }
      const timer = setTimeout(end, roundMs)
      open.set(round, { texts, left: new Set(asked.map(({ number }) => number)), end })
      for (const { child } of asked) child?.send({ kind: 'metrics_asked', round })
    },
    given(number, { round, text }) {
      const found = open.get(round)
      if (found === undefined || !found.left.delete(number)) return
      found.texts.set(number, text)
      if (found.left.size === 0) found.end()
    },
  }
}

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
