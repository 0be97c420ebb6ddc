import { whyNeverOpen } from './lint-reach.js'
import { selectsNothing } from './matching.js'
import type { ListedRule } from './read-earning.js'
import type { Warning } from './warning.js'

export function rulesNeverCounted(rules: readonly ListedRule[]): Warning[] {
  return rules.flatMap(({ rule, path }): Warning[] => {
    const why = whyNeverOpen(rule) ?? whyNeverCounted(rule)
    return why === null ? [] : [{ path, word: 'never_applies', message: `never counts anything: ${why}` }]
  })
}

function whyNeverCounted({ select, minimumSpend }: ListedRule['rule']): string | null {
  if (selectsNothing(select ?? undefined)) return 'it selects nothing'
  const isOutOfReach = minimumSpend !== null && minimumSpend.amount > 0 && selectsNothing(minimumSpend.select)
  return isOutOfReach ? 'nothing counts for its minimumSpend' : null
}
