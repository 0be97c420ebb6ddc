import type { VenueProduct } from '../../engine/core/base/basket.js'
import type { BenefitReport } from '../../engine/core/base/outcome.js'
import { benefitsFromJson } from '../../engine/programme/benefits-from-json.js'
import { unpackReports } from '../../engine/wire/pack.js'
import type { CalculationBody, CalculationSummary, PastCalculation } from '../../store/ledger/calculations.js'
import type { Ledger } from '../../store/ledger.js'
import type { LowPriority, LowPriorityProgramme } from '../background/low-priority.js'
import type { Facts } from '../cache/facts.js'
import { testProgrammeVersion } from '../cache/test-members.js'
import { createMoneyTable, type MoneyRow, type MoneyTable } from './money-table.js'
import { readInputs } from './stored-inputs.js'
import { type BasketValue, createValueTable, type ValueRow } from './value-table.js'

/** Calculations read at once: with the largest bodies some tens of megabytes. */
const pageMax = 100

export interface ShadowParts {
  readonly ledger: Pick<Ledger, 'calculations'>
  readonly facts: Pick<Facts, 'findVenue'>
  readonly lowPriority: LowPriority
}

/** A draft and the past to try it on; times in microseconds since the epoch. */
export interface ShadowTask {
  readonly draft: LowPriorityProgramme
  /** What the draft is compared with, priced anew too; null: what was answered then. */
  readonly base: LowPriorityProgramme | null
  readonly fromUs: number
  readonly untilUs: number
  /** Largest examples to show. */
  readonly examplesMax: number
}

export type ShadowEvent =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'report'; readonly report: ShadowReport }

/** What the draft would have changed; money in minor units, rows with the largest difference first. */
export interface ShadowReport {
  readonly calculations: number
  readonly changed: number
  readonly skipped: number
  readonly totals: readonly MoneyRow[]
  readonly byBenefit: readonly MoneyRow[]
  readonly byVenue: readonly MoneyRow[]
  readonly byDay: readonly MoneyRow[]
  /** What the baskets would issue and spend, by currency. */
  readonly value: readonly ValueRow[]
  readonly examples: readonly ShadowExample[]
}

export interface ShadowExample {
  readonly calculationId: string
  readonly currency: string
  readonly netThen: number
  readonly netDraft: number
}

/**
 * Prices past calculations with a draft, oldest first, and compares what each benefit took off then with what it would take off.
 * One at a time, with low priority, so that it takes what the POS leave over; ends when the signal does.
 */
export async function* shadowRun(
  parts: ShadowParts,
  task: ShadowTask,
  signal: AbortSignal,
): AsyncGenerator<ShadowEvent> {
  const { ledger } = parts
  const total = await ledger.calculations.count(task.fromUs, task.untilUs)
  const price = await createShadowPricer(parts, task.draft)
  const priceBase = task.base === null ? null : await createShadowPricer(parts, task.base)
  const comparison = createComparison(task.examplesMax)
  let after: readonly [number, string] = [task.fromUs, '00000000-0000-0000-0000-000000000000']
  let done = 0
  yield { kind: 'progress', done, total }
  for (;;) {
    signal.throwIfAborted()
    const page = await ledger.calculations.read(task.untilUs, { after, limit: pageMax })
    for (const past of page) {
      await compare(comparison, past, {
        draft: (body) => price(past.summary, body, signal),
        base: priceBase === null ? null : (body) => priceBase(past.summary, body, signal),
      })
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = [last.summary.answeredAtUs, last.summary.calculationId]
    done += page.length
    yield { kind: 'progress', done, total: Math.max(total, done) }
  }
  yield { kind: 'report', report: comparison.report() }
}

interface Outcome extends BasketValue {
  readonly reports: readonly BenefitReport[]
  readonly net: number
}

/** A superseded basket comes again, an abandoned one cost nothing; an open or expired one may still be sold. */
function mayBeCharged(state: string): boolean {
  return state !== 'superseded' && state !== 'abandoned'
}

async function compare(
  comparison: Comparison,
  { summary, body, earning, spending }: PastCalculation,
  price: { readonly draft: PriceBody; readonly base: PriceBody | null },
): Promise<void> {
  if (!mayBeCharged(summary.state) || summary.programmeVersion === testProgrammeVersion) return
  if (body === null) {
    comparison.skip()
    return
  }
  const answered = { reports: reportsOf(body.explanation), net: summary.netAfter, earning, spending }
  if (summary.status === 'member_not_found') return comparison.add(summary, answered, answered)
  comparison.add(summary, price.base === null ? answered : await price.base(body), await price.draft(body))
}

type PriceBody = (body: CalculationBody) => Promise<Outcome>

type ShadowPricer = (summary: CalculationSummary, body: CalculationBody, signal: AbortSignal) => Promise<Outcome>

/** Prices with the stored facts. A product that only the draft adds has no stored price: it gets the venue's present list price. */
async function createShadowPricer(
  { facts, lowPriority }: ShadowParts,
  draft: LowPriorityProgramme,
): Promise<ShadowPricer> {
  const added = new Set(
    benefitsFromJson(await draft.benefits()).flatMap(({ reward }) =>
      reward.kind === 'free_product' ? [reward.productId] : [],
    ),
  )
  const addedAt = new Map<string, readonly VenueProduct[]>()

  async function productsNow(venueId: string): Promise<readonly VenueProduct[]> {
    if (added.size === 0) return []
    const known = addedAt.get(venueId)
    if (known !== undefined) return known
    const venue = await facts.findVenue(venueId)
    const products = (venue?.products ?? []).filter(({ productId }) => added.has(productId))
    addedAt.set(venueId, products)
    return products
  }

  return async ({ calculationId, venueId }, { packed, inputs }, signal) => {
    const then = readInputs(inputs).facts
    const now = (await productsNow(venueId)).filter(({ productId }) => !hasProduct(then.venue.products, productId))
    const pricing = { ...then, venue: { ...then.venue, products: [...then.venue.products, ...now] } }
    return await lowPriority.run(signal, async (engine) => {
      const { request } = await engine.unpack(packed)
      const read = await engine.readBasket(request, calculationId)
      if (read.kind === 'refused') throw new Error(`a stored request is refused: ${read.refusal.message}`)
      try {
        const { explanation, netAfter, earning, spending } = await engine.priceBasket(read.ticket, draft, pricing)
        return { reports: reportsOf(explanation), net: netAfter, earning, spending }
      } finally {
        engine.forget(read.ticket)
      }
    })
  }
}

function hasProduct(products: readonly VenueProduct[], productId: string): boolean {
  return products.some((each) => each.productId === productId)
}

function reportsOf(explanation: Uint8Array): readonly BenefitReport[] {
  return unpackReports(explanation).filter(({ dropped }) => dropped === null)
}

interface Comparison {
  skip(): void
  add(summary: CalculationSummary, then: Outcome, draft: Outcome): void
  report(): ShadowReport
}

function createComparison(examplesMax: number): Comparison {
  const totals = createMoneyTable()
  const byBenefit = createMoneyTable()
  const byVenue = createMoneyTable()
  const byDay = createMoneyTable()
  const value = createValueTable()
  const examples: ShadowExample[] = []
  let calculations = 0
  let changed = 0
  let skipped = 0

  function example(next: ShadowExample): void {
    examples.push(next)
    examples.sort((left, right) => gapOf(right) - gapOf(left) || (left.calculationId < right.calculationId ? -1 : 1))
    examples.length = Math.min(examples.length, examplesMax)
  }

  return {
    skip() {
      skipped += 1
    },
    add({ calculationId, currency, venueId, answeredAt }, then, draft) {
      calculations += 1
      value.add(then, draft)
      const differs = addBenefits(byBenefit, currency, then, draft)
      if (differs) changed += 1
      const sums = { before: sumOf(then), draft: sumOf(draft), differs }
      totals.add('', currency, sums)
      byVenue.add(venueId, currency, sums)
      byDay.add(new Date(answeredAt).toISOString().slice(0, 10), currency, sums)
      if (differs) example({ calculationId, currency, netThen: then.net, netDraft: draft.net })
    },
    report: () => ({
      calculations,
      changed,
      skipped,
      totals: totals.rows(),
      byBenefit: byBenefit.rows(),
      byVenue: byVenue.rows(),
      byDay: byDay.rows(),
      value: value.rows(),
      examples,
    }),
  }
}

function gapOf({ netThen, netDraft }: ShadowExample): number {
  return Math.abs(netDraft - netThen)
}

/** Whether any benefit gives another amount. */
function addBenefits(table: MoneyTable, currency: string, then: Outcome, draft: Outcome): boolean {
  const draftValues = new Map(draft.reports.map(({ benefitId, value }) => [benefitId, value]))
  const thenValues = new Map(then.reports.map(({ benefitId, value }) => [benefitId, value]))
  let differs = false
  for (const benefitId of new Set([...thenValues.keys(), ...draftValues.keys()])) {
    const values = { before: thenValues.get(benefitId) ?? 0, draft: draftValues.get(benefitId) ?? 0 }
    const benefitDiffers = values.before !== values.draft
    table.add(benefitId, currency, { ...values, differs: benefitDiffers })
    differs ||= benefitDiffers
  }
  return differs
}

function sumOf({ reports }: Outcome): number {
  return reports.reduce((sum, { value }) => sum + value, 0)
}
