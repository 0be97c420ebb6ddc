import type { Ladder, LadderLine, LadderRule } from '../core/base/ladder.js'

/**
 * A ladder as JSON, as the ledger stores it: `lines` of [lineId, quantity, net, due, free], and `rules`, whose `lines` and
 * `spending` are positions in `lines`.
 */
export function textOfLadder({ lines, rules }: Ladder): string {
  return JSON.stringify({ lines: lines.map(itemsOf), rules: rules.map(fieldsOf) })
}

function itemsOf({ lineId, quantity, net, due, free }: LadderLine) {
  return [lineId, quantity, net, due, free]
}

function fieldsOf({ rule, lines, spending }: LadderRule) {
  const { ruleId, per, onReturn, minimumSpend } = rule
  const condition = minimumSpend === null ? {} : { minimumSpend: minimumSpend.amount, spending }
  return { ruleId, per: per.kind, ...(onReturn === 'to_zero' ? {} : { onReturn }), ...condition, lines }
}
