import type { VenueTime } from '../../engine/core/base/basket.js'
import type { BenefitReport } from '../../engine/core/base/outcome.js'
import { dateText, dayOfMoment } from '../../engine/core/match/calendar.js'
import type { Priced } from '../../engine/index.js'
import type { ProgrammeOutline } from '../../engine/programme/outline.js'
import { unpackReports } from '../../engine/wire/pack.js'
import type { CalculationBody, CalculationSummary, PastCalculation } from '../../store/ledger/calculations.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { LowPriorityProgramme } from '../background/low-priority.js'
import { testProgrammeVersion } from '../cache/test-members.js'
import { createMoneyTable, type MoneyRow, type MoneyTable } from './money-table.js'
import { type BenefitCounts, createBenefitTable } from './shadow-benefits.js'
import { createShadowPricer, type ShadowPricerParts } from './shadow-pricer.js'
import { type BasketValue, createValueTable, type ValueRow } from './value-table.js'

/** Calculations read at once: with the largest bodies some tens of megabytes. */
const pageMax = 100

export interface ShadowParts extends ShadowPricerParts {
  readonly adminLedger: Pick<AdminLedger, 'calculations'>
}

/** A draft and the past to try it on; times in microseconds since the epoch. */
export interface ShadowTask {
  readonly draft: LowPriorityProgramme
  /** The programme compared with the draft, priced anew too; null: the stored answers. */
  readonly base: LowPriorityProgramme | null
  readonly outline: Pick<ProgrammeOutline, 'benefits' | 'benefitsOff'>
  readonly fromUs: number
  readonly untilUs: number
  readonly examplesMax: number
}

export type ShadowEvent =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'report'; readonly report: ShadowReport }

/** Changes by the draft; money in minor units, rows with the largest difference first. */
export interface ShadowReport {
  readonly calculations: number
  readonly ofMembers: number
  readonly changed: number
  readonly skipped: number
  readonly totals: readonly MoneyRow[]
  readonly byBenefit: readonly MoneyRow[]
  readonly byVenue: readonly MoneyRow[]
  readonly byDay: readonly MoneyRow[]
  /** Value that the baskets would issue and spend, by currency. */
  readonly value: readonly ValueRow[]
  readonly valueBySource: readonly ValueRow[]
  readonly valueByVenue: readonly ValueRow[]
  readonly valueByDay: readonly ValueRow[]
  readonly benefits: readonly BenefitCounts[]
  readonly examples: readonly ShadowExample[]
}

export interface ShadowExample {
  readonly calculationId: string
  readonly currency: string
  readonly netThen: number
  readonly netDraft: number
}

/**
 * Prices past calculations with a draft, oldest first, and compares the discounts of each benefit.
 * One at a time, with low priority, so that it only uses time that the POS leave over; ends when the signal does.
 */
export async function* shadowRun(
  parts: ShadowParts,
  task: ShadowTask,
  signal: AbortSignal,
): AsyncGenerator<ShadowEvent> {
  const { adminLedger } = parts
  const total = await adminLedger.calculations.count(task.fromUs, task.untilUs)
  const price = await createShadowPricer(parts, task.draft)
  const priceBase = task.base === null ? null : await createShadowPricer(parts, task.base)
  const comparison = createComparison(task)
  const timeOf = createTimes(parts)
  let after: readonly [number, string] = [task.fromUs, '00000000-0000-0000-0000-000000000000']
  let done = 0
  yield { kind: 'progress', done, total }
  for (;;) {
    signal.throwIfAborted()
    const page = await adminLedger.calculations.read(task.untilUs, { after, limit: pageMax })
    for (const past of page) {
      const time = await timeOf(past.summary.venueId)
      await compare(
        comparison,
        { ...past, time },
        {
          draft: (body) => price(past.summary, body, signal),
          base: priceBase === null ? null : (body) => priceBase(past.summary, body, signal),
        },
      )
    }
    const last = page.at(-1)
    if (last === undefined) break
    after = [last.summary.answeredAtUs, last.summary.calculationId]
    done += page.length
    yield { kind: 'progress', done, total: Math.max(total, done) }
  }
  yield { kind: 'report', report: comparison.report() }
}

/** Present time zones and starts of day of venues; UTC for a deleted venue. */
function createTimes({ facts }: Pick<ShadowParts, 'facts'>): (venueId: string) => Promise<VenueTime> {
  const known = new Map<string, VenueTime>()
  return async (venueId) => {
    const time = known.get(venueId) ?? (await facts.findVenue(venueId)) ?? { timeZone: 'UTC' }
    known.set(venueId, time)
    return time
  }
}

interface Outcome extends BasketValue {
  readonly reports: readonly BenefitReport[]
  readonly net: number
}

/** A superseded basket comes again, an abandoned one cost nothing; an open or expired one may still be sold. */
function mayBeCharged(state: string): boolean {
  return state !== 'superseded' && state !== 'abandoned'
}

interface ComparedCalculation extends PastCalculation {
  readonly time: VenueTime
}

async function compare(
  comparison: Comparison,
  { summary, body, earning, spending, time }: ComparedCalculation,
  price: { readonly draft: PriceBody; readonly base: PriceBody | null },
): Promise<void> {
  if (!mayBeCharged(summary.state) || summary.programmeVersion === testProgrammeVersion) return
  if (body === null) {
    comparison.skip()
    return
  }
  const answered = { reports: applied(unpackReports(body.explanation)), net: summary.netAfter, earning, spending }
  const day = dateText(dayOfMoment(summary.answeredAt, time))
  if (summary.status === 'member_not_found') {
    const then = answered
    comparison.add(summary, day, { then, draft: then })
    return
  }
  const priced = await price.draft(body)
  comparison.count(unpackReports(priced.explanation), summary.requestedAt)
  const then = price.base === null ? answered : outcomeOf(await price.base(body))
  comparison.add(summary, day, { then, draft: outcomeOf(priced) })
}

type PriceBody = (body: CalculationBody) => Promise<Priced>

function outcomeOf(priced: Priced): Outcome {
  return { ...priced, reports: applied(unpackReports(priced.explanation)), net: priced.netAfter }
}

function applied(reports: readonly BenefitReport[]): readonly BenefitReport[] {
  return reports.filter(({ dropped }) => dropped === null)
}

interface Sides {
  readonly then: Outcome
  readonly draft: Outcome
}

interface Comparison {
  skip(): void
  /** A basket of a member, priced with the draft. */
  count(reports: readonly BenefitReport[], requestedAt: string): void
  add(summary: CalculationSummary, day: string, sides: Sides): void
  report(): ShadowReport
}

function createComparison({ outline, examplesMax }: Pick<ShadowTask, 'outline' | 'examplesMax'>): Comparison {
  const money = {
    totals: createMoneyTable(),
    byBenefit: createMoneyTable(),
    byVenue: createMoneyTable(),
    byDay: createMoneyTable(),
  }
  const value = {
    value: createValueTable(),
    valueBySource: createValueTable('source'),
    valueByVenue: createValueTable(),
    valueByDay: createValueTable(),
  }
  const benefits = createBenefitTable(outline)
  const examples: ShadowExample[] = []
  const counts = { calculations: 0, ofMembers: 0, changed: 0, skipped: 0 }

  function example(next: ShadowExample): void {
    examples.push(next)
    examples.sort((left, right) => gapOf(right) - gapOf(left) || (left.calculationId < right.calculationId ? -1 : 1))
    examples.length = Math.min(examples.length, examplesMax)
  }

  return {
    skip() {
      counts.skipped += 1
    },
    count(reports, requestedAt) {
      counts.ofMembers += 1
      benefits.add(reports, requestedAt)
    },
    add({ calculationId, currency, venueId }, day, { then, draft }) {
      counts.calculations += 1
      value.value.add(then, draft)
      value.valueBySource.add(then, draft)
      value.valueByVenue.add(then, draft, venueId)
      value.valueByDay.add(then, draft, day)
      const differs = addBenefits(money.byBenefit, currency, { then, draft })
      if (differs) counts.changed += 1
      const sums = { before: sumOf(then), draft: sumOf(draft), differs }
      money.totals.add('', currency, sums)
      money.byVenue.add(venueId, currency, sums)
      money.byDay.add(day, currency, sums)
      if (differs) example({ calculationId, currency, netThen: then.net, netDraft: draft.net })
    },
    report: () => ({ ...counts, ...rowsOf(money), ...rowsOf(value), benefits: benefits.rows(), examples }),
  }
}

function rowsOf<Name extends string, Row>(
  tables: Readonly<Record<Name, { readonly rows: () => readonly Row[] }>>,
): Readonly<Record<Name, readonly Row[]>> {
  const entries = Object.entries<{ readonly rows: () => readonly Row[] }>(tables)
  return Object.fromEntries(entries.map(([name, table]) => [name, table.rows()])) as Record<Name, readonly Row[]>
}

function gapOf({ netThen, netDraft }: ShadowExample): number {
  return Math.abs(netDraft - netThen)
}

/** True: a benefit gives another amount. */
function addBenefits(table: MoneyTable, currency: string, { then, draft }: Sides): boolean {
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
