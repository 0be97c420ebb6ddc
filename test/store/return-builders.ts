import { randomUUID } from 'node:crypto'
import type { LadderSpent, StoredLadder } from '../../engine/value/ladder.js'
import { type ReturnedLines, refundedBefore, returnedWith, type TooMuch } from '../../engine/value/returns.js'
import { makeReturn } from '../../gateway/use-cases/make-return.js'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type { PlannedReturn, QuoteReply, RecordedReturn, RecordReply } from '../../store/ledger/returns.js'
import type { ClaimCount } from '../../store/ledger/sales.js'
import type { StoredRule } from '../../store/ledger/value.js'
import { aRecord, aSale, eventBody } from '../support/ledger-builders.js'
import type { Ledger } from '../support/open-ledger.js'
import { anEarning, aValueCommand, type RuleCount } from './value-builders.js'

export interface LadderRuleCount extends RuleCount {
  readonly ruleId: string
  readonly lines: readonly number[]
  readonly onReturn?: 'to_zero' | 'debt' | 'pending_only'
  readonly minimumSpend?: number
  /** Default: `lines`. */
  readonly spending?: readonly number[]
}

export type SoldLine = readonly [quantity: number, net: number, free?: number]

/** Publishes a currency of its own with these rules, with names of its own; resolves to both. */
export async function publishRules<R extends string>(
  ledger: Ledger,
  rules: Readonly<Record<R, Pick<StoredRule, 'give' | 'per'>>>,
): Promise<{ readonly currencyId: string; readonly named: (rule: R) => LadderRuleCount }> {
  const currencyId = `currency-${randomUUID()}`
  const ruleId = (rule: string) => `${rule}-${currencyId.slice(9, 17)}`
  const names = Object.keys(rules) as R[]
  await ledger.programmes.publishFile({
    document: `{"once":"${randomUUID()}"}`,
    ...{ benefits: '[]', venues: [], members: [] },
    currencies: [{ currencyId, name: 'x', scale: 0 }],
    rules: names.map((rule) => ({ ruleId: ruleId(rule), currencyId, ...rules[rule] })),
  })
  const named = (rule: R): LadderRuleCount => {
    const { give, per } = rules[rule]
    const every = per.kind === 'visit' ? {} : { every: per.every }
    return { ruleId: ruleId(rule), currencyId, give, per: per.kind, ...every, lines: [] }
  }
  return { currencyId, named }
}

export function aLadder(
  lines: readonly SoldLine[],
  rules: readonly LadderRuleCount[],
  costs: readonly CostCount[] = [],
): StoredLadder {
  const spent = costs.map((cost, at) => {
    return { benefitId: `benefit-${at}`, ...cost, lines: cost.lines.map(([place, units]) => ({ at: place, units })) }
  })
  return {
    lines: lines.map(([quantity, net, free = 0], at) => {
      return { lineId: `line-${at}`, quantity, paid: net, due: net, ...kindsOf([quantity, net, free], at, spent) }
    }),
    rules: rules.map((rule) => {
      const { ruleId, per = 'units', onReturn = 'to_zero', minimumSpend, lines: counted, spending = counted } = rule
      const condition = minimumSpend === undefined ? {} : { minimumSpend, spending }
      return { ruleId, per, onReturn, capped: rule.maximum !== undefined, lines: counted, ...condition }
    }),
    ...{ spent, policy: 'as_paid', anew: false },
  }
}

/** The cost of a benefit, with [position, units]. */
export interface CostCount extends Omit<LadderSpent, 'benefitId' | 'lines'> {
  readonly lines: readonly (readonly [position: number, units: number])[]
}

/** Units of costed benefits weigh as much as units without one, free ones nothing. */
function kindsOf([quantity, net, free = 0]: SoldLine, at: number, spent: readonly LadderSpent[]) {
  if (quantity % 1_000 !== 0) return {}
  const all = quantity / 1_000
  const costed = spent.flatMap(({ benefitId, lines }) => {
    const units = lines.find((line) => line.at === at)?.units ?? all
    return units < all ? [{ units, taken: 0, benefitId, free: false }] : []
  })
  if (free === 0 && costed.length === 0) return {}
  const others = all - free - costed.reduce((sum, { units }) => sum + units, 0)
  const kinds = [
    { units: others, taken: 0, benefitId: '', free: false },
    ...costed,
    { units: free, taken: net * free, benefitId: '', free: true },
  ]
  return { hold: net * all, kinds: kinds.filter(({ units }) => units > 0) }
}

/** A claimed basket as sent, by default without returns. */
export function aClaim(earning: string, ladder: StoredLadder, returns = 0): ClaimCount {
  return { earning, ladder, returns }
}

/** Sells a basket of these lines, which the rules count as their ladder has them; with its ladder. */
export async function sellLines(
  ledger: Ledger,
  memberId: string | null,
  sold: { readonly lines: readonly SoldLine[]; readonly rules: readonly LadderRuleCount[]; readonly at?: string },
): Promise<CalculationRecord> {
  const { lines, rules, at } = sold
  const counted = rules.map(({ lines: positions, onReturn: _, minimumSpend: __, spending: ___, ...rule }) => ({
    ...rule,
    sent: rule.per === 'visit' ? 1 : positions.reduce((sum, place) => sum + countOf(lines[place]!, rule.per), 0),
  }))
  const record = aRecord(ledger, { memberId, earning: anEarning(counted, at === undefined ? {} : { at }) })
  await ledger.calculations.store([record])
  await ledger.sales.record(aSale(record), eventBody)
  await ledger.returns.storeLadder(record.calculationId, aLadder(lines, rules))
  return record
}

function countOf([quantity, net, free = 0]: SoldLine, per: RuleCount['per'] = 'units'): number {
  return per === 'amount' ? net : quantity / 1_000 - free
}

export function giveBack(
  ledger: Ledger,
  { calculationId }: Pick<CalculationRecord, 'calculationId'>,
  lines: ReturnedLines,
  reference: string = randomUUID(),
  command = aValueCommand(),
): Promise<RecordReply | TooMuch> {
  const occurredAt = Date.parse('2026-11-23T12:00:00Z')
  const record = (planned: PlannedReturn) =>
    ledger.returns.record(command, { calculationId, reference, occurredAt, ...planned })
  return makeReturn(onLedger(ledger), { calculationId, lines }, record, new AbortController().signal)
}

export function quoteBack(
  ledger: Ledger,
  { calculationId }: Pick<CalculationRecord, 'calculationId'>,
  lines: ReturnedLines,
): Promise<QuoteReply | TooMuch> {
  const quote = (planned: PlannedReturn) => ledger.returns.quote(calculationId, planned)
  return makeReturn(onLedger(ledger), { calculationId, lines }, quote, new AbortController().signal)
}

/** Nothing is priced anew. */
function onLedger(ledger: Ledger): Parameters<typeof makeReturn>[0] {
  return { ledger, lowPriority: { run: () => Promise.reject(new Error('there is no engine')) } }
}

/** The returned part of each line, and the sum of refunds; else the state. */
export async function returnedOf(ledger: Ledger, calculationId: string) {
  const state = await ledger.returns.find(calculationId)
  if (state.kind !== 'laddered') return state
  return { returned: returnedWith(state.basis, []), refunded: refundedBefore(state.basis), ladder: state.basis.ladder }
}

export function done(reply: RecordReply | QuoteReply | TooMuch): RecordedReturn {
  if (reply.kind !== 'done') throw new Error(`the return was answered ${JSON.stringify(reply)}`)
  return reply
}
