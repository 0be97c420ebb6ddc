import { randomUUID } from 'node:crypto'
import type { CalculationRecord } from '../../store/ledger/calculations.js'
import type {
  QuoteReply,
  RecordedReturn,
  RecordReply,
  ReturnedLines,
  StoredLadder,
} from '../../store/ledger/returns.js'
import type { StoredRule } from '../../store/ledger/value.js'
import type { Ledger } from '../support/open-ledger.js'
import { anEarning, type RuleCount } from './earning-builders.js'
import { aRecord, aSale, eventBody } from './ledger-builders.js'
import { aValueCommand } from './value-builders.js'

/** A rule with the lines of a ladder that it counts. */
export interface LadderRuleCount extends RuleCount {
  readonly ruleId: string
  readonly lines: readonly number[]
  readonly onReturn?: 'to_zero' | 'debt' | 'pending_only'
  readonly minimumSpend?: number
  /** Default: `lines`. */
  readonly spending?: readonly number[]
}

/** Quantity, net, units given free. */
export type SoldLine = readonly [quantity: number, net: number, free?: number]

/** Publishes a currency of its own with these rules, whose names get its own; resolves to both. */
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
  spent: StoredLadder['spent'] = [],
): StoredLadder {
  return {
    lines: lines.map(([quantity, net, free = 0], at) => [`line-${at}`, quantity, net, net, free] as const),
    rules: rules.map(({ ruleId, per = 'units', onReturn, minimumSpend, lines: counted, spending = counted }) => ({
      ruleId,
      per,
      ...(onReturn === undefined ? {} : { onReturn }),
      ...(minimumSpend === undefined ? {} : { minimumSpend, spending }),
      lines: counted,
    })),
    spent,
  }
}

/** Sells a basket of these lines, all of which the rules count as their ladder says; with its ladder. */
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
): Promise<RecordReply> {
  const occurredAt = Date.parse('2026-11-23T12:00:00Z')
  return ledger.returns.record(aValueCommand(), { calculationId, lines, keptRefund: 5, reference, occurredAt })
}

/** The return; throws where it was refused. */
export function done(reply: RecordReply | QuoteReply): RecordedReturn {
  if (reply.kind !== 'done') throw new Error(`the return was answered ${JSON.stringify(reply)}`)
  return reply
}
