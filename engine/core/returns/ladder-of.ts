import { basisFrom } from '../base/basis.js'
import type { Ladder, LadderRule } from '../base/earning.js'
import type { CalculationInput } from '../base/input.js'
import type { Money } from '../base/money.js'
import { givenBy, type PricedFor, paidFor } from '../earn/charge.js'
import { lineAsSent, linesAsReturned, linesAsSent } from '../earn/charged-lines.js'
import { type RuleCharged, ruleLinesOf } from '../earn/rule-lines.js'
import { wallClock } from '../match/calendar.js'
import type { CompiledProgramme } from '../match/compile.js'
import { type CompiledEarning, saidFree } from '../match/compile-rule.js'
import { lineIndexOf } from '../match/line-index.js'
import { matchedIn } from '../match/matched-lines.js'
import { isOpenBy, type Occasion } from '../match/open.js'

export function ladderOfSent({ lines }: CalculationInput['basket'], paid: Money | null = null): Ladder {
  const shares = paidFor(lines, paid)
  return { lines: lines.map((line, at) => lineAsSent(line, shares[at]!)), rules: [] }
}

export function ladderAsSent({ keys, earning, benefits }: CompiledProgramme, input: CalculationInput): Ladder {
  const { basket, discountCode, member, venue, paidTotal: paid = null } = input
  const basis = basisFrom(basket, discountCode)
  const isGiven = givenBy(earning?.givesFree ?? saidFree(benefits.map(({ benefit }) => benefit)), discountCode)
  const charged = linesAsSent(basket, basis, { paid, isGiven })
  if (earning === null) return { lines: charged.lines, rules: [] }
  const matched = matchedIn(basis, lineIndexOf(keys, basis.lines))
  const occasion = { basket, member, venue, clock: () => wallClock(basket.requestedAt, venue.timeZone) }
  return { lines: charged.lines, rules: rulesOf(earning, occasion, { ...charged, matched }) }
}

export function ladderAsReturned(earning: CompiledEarning | null, occasion: Occasion, it: PricedFor): Ladder {
  const charged = linesAsReturned(it)
  const rules = earning === null ? [] : rulesOf(earning, occasion, { ...charged, matched: it.matched })
  return { lines: charged.lines, rules }
}

function rulesOf({ rules }: CompiledEarning, occasion: Occasion, charged: RuleCharged): LadderRule[] {
  return rules.flatMap((compiled) => {
    const found = isOpenBy(compiled.rule, compiled, occasion) ? ruleLinesOf(compiled, charged) : null
    if (found === null) return []
    const { ruleId, per, onReturn, maximum } = compiled.rule
    return [{ ruleId, per: per.kind, onReturn, capped: maximum !== null, ...found.counted }]
  })
}
