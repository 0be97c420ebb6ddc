import { randomUUID } from 'node:crypto'
import type { SaleEvent } from '../../../engine/index.js'
import type { StoredLadder } from '../../../engine/value/ladder.js'
import type { CalculationRecord } from '../../../store/ledger/calculations.js'
import type { RecordedReturn, ReturnedValue } from '../../../store/ledger/returns.js'
import type { Recounted, SaleReply } from '../../../store/ledger/sales.js'
import { sql } from '../../../store/postgres/connection/sql.js'
import { aMember, aRecord, aSale, eventBody, plenty } from '../../support/ledger-builders.js'
import { aLadder, giveBack, quoteBack } from '../return-builders.js'
import { aValueCommand } from '../value-builders.js'
import { type BasketModel, countOf, netOf, paidOf } from './basket-model.js'
import { compareAccounts } from './compare.js'
import type { History, Step } from './history.js'
import { earningOf, earningText, type Played, spendingOf } from './played.js'
import type { ReturnedNow } from './returns-model.js'
import { currencies, currencyOf, exchanges, matches, rules } from './rules.js'
import { chargedSide, isCountable } from './sales-model.js'
import { hourMs, returnText, WorldModel } from './world-model.js'

/** Where ledger and model differ. */
export interface Deviation {
  /** The step, from 0. */
  readonly at: number
  readonly step: Step
  readonly fault: string
}

/** Plays a history on the ledger and on a model; the first difference, or null. */
export async function play(played: Played, history: History): Promise<Deviation | null> {
  await leaveTheHour()
  const player = new Player(played, history)
  await player.enrol()
  for (const [at, step] of history.steps.entries()) {
    const fault = await player.play(step).catch(failure)
    if (fault !== null) return { at, step, fault }
  }
  return null
}

/** Whatever it is: a transaction that is tried again without end is a StoreFault. */
function failure(error: unknown): string {
  return `the ledger fails: ${error}`
}

/** Days, and so expiries, begin at full hours: no history is played across one. */
async function leaveTheHour(): Promise<void> {
  const left = hourMs - (Date.now() % hourMs)
  if (left < historyMsMax) await new Promise((resolve) => setTimeout(resolve, left))
}

const historyMsMax = 5_000

class Player {
  private readonly model: WorldModel
  private readonly memberIds: readonly string[]
  private readonly codes: readonly string[]
  private readonly records: readonly CalculationRecord[]
  private readonly activations: number[] = []
  private readonly run = randomUUID()
  private step = 0
  private lines: ReturnedNow = new Map()

  constructor(
    private readonly on: Played,
    private readonly history: History,
  ) {
    const { ledger } = on
    this.model = new WorldModel(history, Math.floor(ledger.clock()))
    this.memberIds = Array.from({ length: history.members }, () => `member-${randomUUID()}`)
    this.codes = Array.from({ length: 3 }, () => `code-${randomUUID()}`)
    const calculationIds = history.baskets.map(() => randomUUID() as string)
    this.records = history.baskets.map((basket, slot) => this.recordOf(basket, calculationIds, slot))
  }

  async enrol(): Promise<void> {
    const members = this.memberIds.map((memberId) => aMember({ memberId }))
    await this.on.ledger.members.store(aValueCommand(), members)
  }

  async play(step: Step): Promise<string | null> {
    this.step += 1
    const touched = membersOf(step, this.history)
    if (touched?.some((member) => this.model.forgotten.has(member))) return null
    // A millisecond before: anything that has just begun has begun for both.
    this.lines = step.what === 'return' ? this.model.linesOf(step) : new Map()
    const due = this.model.take(step, this.on.ledger.clock())
    const word = await this.act(step)
    if (word !== due) return `the ledger answers ${word}, due is ${due}`
    const isLast = this.step === this.history.steps.length
    const compared = [...this.memberIds.entries()].filter(
      ([member]) => isLast || touched === null || touched.includes(member),
    )
    return await compareAccounts(this.on, this.model, new Map(compared))
  }

  private async act(step: Step): Promise<string> {
    const { ledger } = this.on
    switch (step.what) {
      case 'basket':
        return await this.calculate(step.slot)
      case 'return':
        return await this.return(step)
      case 'sale':
        return await this.sell(step)
      case 'age':
        await this.age(step.hours * hourMs)
        return 'done'
      case 'sweep':
        await ledger.value.expire(1_000)
        await ledger.calculations.expire(1_000)
        await ledger.reports.sum(1_000)
        return 'done'
      case 'block':
        return (await ledger.members.block(aValueCommand(), this.memberIds[step.member]!, step.blocked)).kind
      case 'forget':
        return (await ledger.members.forget(aValueCommand(), this.memberIds[step.member]!, [])).kind
      default:
        return await this.change(step)
    }
  }

  private async change(
    step: Exclude<Step, { readonly what: 'basket' | 'sale' | 'return' | 'age' | 'sweep' | 'block' | 'forget' }>,
  ) {
    const { value, rewards } = this.on.ledger
    const [command, reason] = [aValueCommand(), 'test']
    switch (step.what) {
      case 'adjust': {
        const { amount } = step
        const asked = { ...this.named(step), amount, reason, ...this.dates(step) }
        return (await value.adjust(command, asked)).kind
      }
      case 'transfer': {
        const { currencyId } = currencies[step.currency]!
        const [from, to] = [this.member(step.from), this.member(step.to)]
        return (await value.transfer(command, { from, to, currencyId, amount: step.amount, reason })).kind
      }
      case 'import': {
        const rows = step.rows.map((row) => ({
          ...{ ...this.named(row), amount: row.amount, ...this.dates(row) },
          reference: `${this.run} ${row.reference}`,
        }))
        return (await value.importBalances(command, rows)).kind
      }
      case 'issue': {
        const { currencyId } = currencies[step.currency]!
        const [to, { expiresAt }] = [step.members.map((each) => this.member(each)), this.dates(step)]
        return (await rewards.issue(command, { to, currencyId, amount: step.amount, expiresAt })).kind
      }
      case 'import_code': {
        const { currencyId } = currencies[step.currency]!
        const [codes, { expiresAt }] = [[this.codes[step.code]!], this.dates(step)]
        return (await rewards.importCodes(command, { codes, currencyId, amount: step.amount, expiresAt })).kind
      }
      case 'claim':
        return (await rewards.claim(command, { member: this.member(step.member), code: this.codes[step.code]! })).kind
      case 'void':
        return (await rewards.voidCode(command, this.codes[step.code]!)).kind
      case 'wrong_codes': {
        const words: string[] = []
        for (let time = 0; time < step.times; time++) {
          const asked = { member: this.member(step.member), code: `code-${randomUUID()}` }
          words.push((await rewards.claim(aValueCommand(), asked)).kind)
        }
        return words.join(' ')
      }
      case 'activate': {
        const { from, to } = exchanges[step.exchange]!
        const currencyIds = { fromCurrencyId: from.currencyId, toCurrencyId: to.currencyId }
        const reply = await rewards.activate(command, {
          member: this.member(step.member),
          ...currencyIds,
          times: step.times,
        })
        if (reply.kind === 'done') this.activations.push(reply.activation)
        return reply.kind
      }
      case 'cancel':
        return (await rewards.cancel(command, this.activations[step.activation] ?? Number.MAX_SAFE_INTEGER)).kind
    }
  }

  private async sell(step: Extract<Step, { readonly what: 'sale' }>): Promise<string> {
    const { sales } = this.on.ledger
    const event = aSale(this.records[step.slot]!, {
      ...{ status: step.status, paidTotal: this.model.paidTotal(step), loyaltyDiscountTotal: null },
    })
    let reply: SaleReply = await sales.record(event, eventBody)
    while (reply.kind === 'paid_less' || reply.kind === 'uncounted') {
      const counted = reply.kind === 'paid_less' ? this.paidLess(step, event) : this.unknown(step.slot, event)
      reply = await sales.record(event, eventBody, counted)
    }
    return reply.kind
  }

  private async calculate(slot: number): Promise<string> {
    const { calculations } = this.on.ledger
    const record = { ...this.records[slot]!, answeredAt: this.on.ledger.clock() }
    if (record.spending === null) {
      await calculations.store([record])
      return 'done'
    }
    const { kind } = await calculations.confirm(record, plenty)
    return kind === 'confirmed' ? 'done' : kind
  }

  private async return(step: Extract<Step, { readonly what: 'return' }>): Promise<string> {
    const { returns } = this.on.ledger
    const { calculationId } = this.records[step.slot]!
    const found = await returns.find(calculationId)
    if (found.kind === 'unknown_calculation' || found.kind === 'not_sold') return found.kind
    const lines = [...this.lines]
    if (lines.length === 0) return 'nothing'
    if (found.kind === 'sold') await returns.storeLadder(calculationId, this.ladderOf(step.slot))
    const quoted = await quoteBack(this.on.ledger, { calculationId }, lines)
    const made = await giveBack(this.on.ledger, { calculationId }, lines)
    if (made.kind !== 'done' || quoted.kind !== 'done') return made.kind
    const [quote, text] = [textOf(quoted), textOf(made)]
    return quote === text ? text : `${text}, but quoted as ${quote}`
  }

  /** As the gateway has it worked out by the engine. */
  private ladderOf(slot: number): StoredLadder {
    const [basket, sale] = [this.history.baskets[slot]!, this.model.sales.sales.get(slot)!]
    const side = chargedSide(basket, sale.status)
    const paid = paidOf(basket, side, sale.paidTotal)
    const positions = (kinds: readonly number[] | null) =>
      basket.lines.flatMap((line, at) => (matches(kinds, line.kind) && line[side].net > 0 ? [at] : []))
    const counted = rules.flatMap((rule, at) => {
      if (basket.factors[at] === 0 || countOf(rule, basket, side, { paid }) === 0) return []
      const { ruleId, per, kinds, minimumSpend } = rule
      const { onReturn } = currencyOf(rule)
      const spending =
        minimumSpend === null ? {} : { minimumSpend: minimumSpend.amount, spending: positions(minimumSpend.kinds) }
      return [{ ruleId, per, onReturn, ...spending, lines: positions(kinds) }]
    })
    const sold = basket.lines.map(({ quantity, ...line }) => [quantity, line[side].net, line[side].free] as const)
    const costs = side === 'sent' ? [] : basket.costs.map(({ units, ...cost }) => ({ ...cost, lines: [...units] }))
    const ladder = aLadder(sold, counted, costs)
    return { ...ladder, lines: ladder.lines.map((line, at) => ({ ...line, paid: paid[at]! })) }
  }

  /** As the gateway has it counted by the engine. */
  private paidLess({ slot }: { readonly slot: number }, { paidTotal }: SaleEvent): Recounted {
    return { earning: earningOf(this.history.baskets[slot]!, paidTotal) }
  }

  private unknown(slot: number, { paidTotal }: SaleEvent): Recounted {
    const basket = this.history.baskets[slot]!
    if (basket.member === null) return 'unknown'
    const [memberId, paid] = [this.memberIds[basket.member]!, paidTotal ?? 0]
    const counts = rules.map((rule) => {
      if (!isCountable(rule) || paid === 0 || paid < (rule.minimumSpend?.amount ?? 0)) return 0
      return rule.per === 'visit' ? 1 : paid
    })
    return { memberId, earning: earningText(basket, { sent: counts, returned: counts }), isPartial: false }
  }

  private recordOf(basket: BasketModel, calculationIds: readonly string[], slot: number): CalculationRecord {
    const { member, isApplied, supersedes } = basket
    const [netBefore, netAfter] = [netOf(basket, 'sent'), netOf(basket, 'returned')]
    return aRecord(this.on.ledger, {
      ...{ memberId: member === null ? null : this.memberIds[member]!, requestedAt: basket.requestedAt },
      ...{ status: isApplied ? 'applied' : 'unchanged', netBefore, netAfter },
      ...{
        loyaltyDiscountTotal: netBefore - netAfter,
        spending: spendingOf(basket),
        earning: member === null ? null : earningOf(basket, null),
        entered: member === null ? null : this.on.entered(this.memberIds[member]!),
      },
      calculationId: calculationIds[slot]!,
      supersedesCalculationId: supersedes === null ? null : calculationIds[supersedes]!,
    })
  }

  private member(at: number): { readonly memberId: string } {
    return { memberId: this.memberIds[at]! }
  }

  private named({ member, currency }: { readonly member: number; readonly currency: number }) {
    return { member: this.member(member), currencyId: currencies[currency]!.currencyId }
  }

  private dates(step: { readonly opensIn?: number | null; readonly lasts: number | null }) {
    const { opensAt, expiresAt } = this.model.dates(step, 0)
    return { opensAt: opensAt === 0 ? null : opensAt, expiresAt: Number.isFinite(expiresAt) ? expiresAt : null }
  }

  /** Moves everything of the history back in time. */
  private async age(ms: number): Promise<void> {
    const members = JSON.stringify(this.memberIds)
    const ids = JSON.stringify(this.records.map(({ calculationId }) => calculationId))
    await this.on.database.run(
      sql`
        with by as (select ${ms}::bigint * interval '1 millisecond' as long),
        of as (select account_id from account where member_id in (select json_array_elements_text(${members}::text::json))),
        ids as (select value::uuid as id from json_array_elements_text(${ids}::text::json)),
        lots as (
          update lot set opens_at = opens_at - long, expires_at = expires_at - long
          from by where account_id in (select account_id from of)
        ),
        parts as (
          update activation_part set opens_at = opens_at - long, expires_at = expires_at - long
          from by where activation_id in (select activation_id from activation where from_account in (select account_id from of))
        ),
        codes as (update reward_code set expires_at = expires_at - long from by where state <> 'claimed'),
        wrong as (
          update wrong_code set at = at - long from by
          where member_id in (select json_array_elements_text(${members}::text::json))
        ),
        holds as (
          update value_hold set held_until = held_until - long from by where calculation_id in (select id from ids)
        ),
        hold_parts as (
          update value_hold_part set opens_at = opens_at - long, expires_at = expires_at - long
          from by where calculation_id in (select id from ids)
        ),
        sold as (update sale set recorded_at = recorded_at - long from by where calculation_id in (select id from ids))
        update calculation set answered_at = answered_at - long, expires_at = expires_at - long
        from by where calculation_id in (select id from ids)`,
      { effect: 'writes', withinMs: plenty },
    )
  }
}

function textOf({ refund, givenBack, takenBack }: RecordedReturn): string {
  const rows = (moved: readonly ReturnedValue[]) =>
    Object.fromEntries(moved.map(({ currencyId, ...row }) => [currencyId, row]))
  return returnText({ refund, givenBack: rows(givenBack), takenBack: rows(takenBack) })
}

/** Members whose value a step may change; the gateway sends no step of a forgotten one. null: all. */
function membersOf(step: Step, { baskets }: History): readonly number[] | null {
  switch (step.what) {
    case 'transfer':
      return [step.from, step.to]
    case 'import':
      return step.rows.map(({ member }) => member)
    case 'issue':
      return step.members
    case 'basket':
    case 'sale':
    case 'return':
      return [baskets[step.slot]!.member].filter((member) => member !== null)
    case 'age':
    case 'sweep':
    case 'cancel':
      return null
    case 'import_code':
    case 'void':
      return []
    default:
      return [step.member]
  }
}
