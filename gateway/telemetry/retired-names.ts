/** Names that metrics had in the release before, by their name now. Goes with the next release. */
const retiredNames: Readonly<Record<string, string>> = {
  loyalty_cache_circuit_open: 'loyalty_front_left_alone',
  loyalty_ledger_circuit_open: 'loyalty_ledger_left_alone',
  loyalty_cache_faults_total: 'loyalty_front_faults_total',
}

/**
 * A page of metrics, of one process or merged, with the retired names beside the names now: the same values under both.
 *
 * @param page  in Prometheus's text form, as prom-client writes it: an empty line between two metrics
 */
export function withRetiredNames(page: string): string {
  const blocks = page.trimEnd().split('\n\n')
  return `${[...blocks, ...blocks.flatMap(renamed)].join('\n\n')}\n`
}

function renamed(block: string): string[] {
  const name = /^# HELP (\S+)/.exec(block)?.[1] ?? ''
  const before = retiredNames[name]
  return before === undefined ? [] : [block.replaceAll(name, before)]
}
