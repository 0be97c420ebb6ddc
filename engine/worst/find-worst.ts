import type { VenueFacts } from '../core/base/basket.js'
import { quantityOne } from '../core/base/money.js'
import type { Benefit, Guard } from '../core/base/programme.js'
import { type CompiledProgramme, compileProgramme } from '../core/match/compile.js'
import type { Programme } from '../programme/read-programme.js'
import { catalogueOf, selectorsOf } from './catalogue.js'
import { type Finding, type Objective, objectives, type Reason } from './finding.js'
import { type GuardProof, proofsOf } from './guard-proofs.js'
import { combinations, joined, product, seededRandom, withExtras } from './join-baskets.js'
import { type Measured, type MeasureRules, measures, noteRate } from './measures.js'
import { basketsFor, keyOf } from './needs.js'
import { tooOften } from './often.js'
import { reasonOf } from './reasons.js'
import { reduced } from './reduce.js'
import { remediesFor } from './remedies.js'
import { type OpenSetting, settingsOf } from './settings.js'
import { Pricer, type Trial, type TrialItem, type TrialPrice, type TrialProduct } from './trial.js'

export interface WorstTask {
  readonly programme: Programme
  /** Where it is searched, with their price lists; empty: one that is made up. */
  readonly venues: readonly VenueFacts[]
  readonly objectives: readonly Objective[]
  /** Baskets that may be priced; a basket is a step. */
  readonly stepsMax: number
  /** The day from which it is searched, milliseconds since the epoch. */
  readonly nowMs: number
}

export interface WorstProgress {
  readonly steps: number
  readonly stepsMax: number
}

export interface WorstReport {
  /** By objective, the worst first; one for each set of benefits and reason. */
  readonly findings: readonly Finding[]
  readonly proofs: readonly GuardProof[]
  readonly searched: Searched
}

export interface Searched {
  /** Baskets that were priced. */
  readonly steps: number
  readonly settings: number
  readonly products: number
  /** Products were made up: there is no price list. */
  readonly isMadeUp: boolean
  /** Every basket that was built was priced; false: the steps did not suffice. */
  readonly isWhole: boolean
}

/** Findings listed for one objective. */
const listedMax = 10
/** A finding is listed where its score is at least this part of the worst one's. */
const listedShare = 0.2
/** Trials of each objective that are varied, and variations of each. */
const variedMax = 8
const variationsMax = 60
/** Parts of the steps: for baskets as built, and with their variations. */
const builtShare = 0.6
const variedShare = 0.8
const oftenShare = 0.9
/** Baskets of which it is remembered what they earn. */
const earningMax = 5_000
/** Steps between two signs of progress. */
const progressEvery = 500
/** Smaller baskets that are tried for one finding. */
const triesMax = 150
/** Lines of which other baskets are made; larger ones would price longer than they find. */
const linesMax = 8
/** Units of a basket that variations add to; built ones may have more. */
const unitsMax = 12

/** Searches the worst baskets of a programme. The same task gives the same report; "none found" is no proof. */
export function* findWorst(task: WorstTask): Generator<WorstProgress, WorstReport> {
  const search = new Search(task)
  yield* search.build()
  search.measureEarning()
  yield* search.vary()
  yield* search.listOften()
  return search.report()
}

class Search {
  readonly programme: CompiledProgramme
  readonly pricer: Pricer
  readonly settings: readonly OpenSetting[]
  readonly products: ReadonlyMap<string, readonly TrialProduct[]>
  readonly best = new Map<string, Measured>()
  readonly often: Reasoned[] = []
  readonly rates = new Map<string, number>()
  /** Baskets that earn something: how much it is worth is known when all are priced. */
  readonly earning: { readonly trial: Trial; readonly price: TrialPrice }[] = []
  readonly byId: ReadonlyMap<string, Benefit>
  readonly isMadeUp: boolean
  /** Baskets of one benefit, by venue and benefit. */
  private readonly built = new Map<string, readonly (readonly TrialItem[])[]>()
  isWhole = true
  private shown = 0

  constructor(readonly task: WorstTask) {
    const { benefits, rules, guards } = task.programme
    this.programme = compileProgramme(benefits, rules)
    this.pricer = new Pricer(this.programme)
    this.byId = new Map(benefits.map((benefit) => [benefit.benefitId, benefit]))
    const selectors = selectorsOf(benefits, rules, guards)
    const asked = task.venues.length === 0 ? [madeVenue] : task.venues
    this.isMadeUp = asked.every(({ products }) => products.length === 0)
    const listed = asked.map((venue) => ({ venue, products: catalogueOf(selectors, venue.products) }))
    this.products = new Map(listed.map(({ venue, products }) => [venue.venueId, products]))
    const venues = listed.map(({ venue, products }) => withGifts(venue, products, this.programme.freeProductIds))
    this.settings = settingsOf({ programme: this.programme, venues, nowMs: task.nowMs })
  }

  /** Baskets of one benefit in every setting, then of two that are open together, then of three. */
  *build(): Generator<WorstProgress, void> {
    const seen = new Set<string>()
    for (const size of [1, 2, 3]) {
      for (const [at, setting] of this.settings.entries()) {
        for (const items of this.basketsOf(setting, size)) {
          const key = `${at}/${keyOf(items)}`
          if (items.length > linesMax || seen.has(key)) continue
          seen.add(key)
          if (this.pricer.steps > this.task.stepsMax * builtShare) {
            this.isWhole = false
            return
          }
          this.measure({ setting, items })
          yield* this.progress()
        }
      }
    }
  }

  private basketsFor({ venue: { venueId } }: OpenSetting, benefitId: string): readonly (readonly TrialItem[])[] {
    const key = `${venueId}\n${benefitId}`
    const known = this.built.get(key) ?? basketsFor(this.byId.get(benefitId)!, this.products.get(venueId)!)
    this.built.set(key, known)
    return known
  }

  private *basketsOf(setting: OpenSetting, size: number): Generator<readonly TrialItem[]> {
    const products = this.products.get(setting.venue.venueId)!
    const open = [...setting.open].map((id) => this.basketsFor(setting, id))
    if (size === 1) {
      for (const baskets of open)
        for (const items of baskets) yield* withExtras(items, this.task.programme.guards, products)
      for (const product of products) yield [{ product, quantity: quantityOne }]
    }
    const taken = size === 2 ? pairBaskets : tripleBaskets
    for (const group of size === 1 ? [] : combinations(open, size))
      for (const parts of product(group.map((baskets) => baskets.slice(0, taken)))) yield joined(parts)
  }

  /** Measures a trial by every objective, and keeps it where it is the worst of its benefits. */
  private measure(trial: Trial): void {
    const price = this.pricer.price(trial)
    if (isAtOnePrice(trial) || !this.isMadeUp) noteRate(this.rates, price)
    if (price.calculation.earning !== null && this.earning.length < earningMax) this.earning.push({ trial, price })
    for (const objective of this.task.objectives) {
      if (objective === 'too_often' || objective === 'value_for_nothing') continue
      const measured = measures[objective](this.rules(), trial, price)
      if (measured !== null) this.keep(measured)
    }
  }

  measureEarning(): void {
    if (!this.task.objectives.includes('value_for_nothing')) return
    for (const { trial, price } of this.earning) {
      const measured = measures.value_for_nothing(this.rules(), trial, price)
      if (measured !== null) this.keep(measured)
    }
  }

  private rules(): MeasureRules {
    return { pricer: this.pricer, guards: this.task.programme.guards, rates: this.rates }
  }

  private keep(measured: Measured): void {
    const { objective, guardId, benefitIds, trial } = measured
    // Amounts of different currencies do not compare.
    const key = `${objective}/${guardId}/${trial.setting.venue.currency}/${benefitIds.join('\n')}`
    const known = this.best.get(key)
    if (known === undefined || isWorse(measured, known)) this.best.set(key, measured)
  }

  /** Changes the worst trials of each objective a little, and goes on from what is worse. */
  *vary(): Generator<WorstProgress, void> {
    const random = seededRandom(1)
    for (const objective of this.task.objectives) {
      if (objective === 'too_often') continue
      for (const start of this.worstOf(objective).slice(0, variedMax)) {
        let current = start
        for (let turn = 0; turn < variationsMax; turn++) {
          if (this.pricer.steps > this.task.stepsMax * variedShare) return
          const trial = this.variationOf(current.trial, random)
          const measured = measures[objective](this.rules(), trial, this.pricer.price(trial))
          yield* this.progress()
          if (measured === null || !isWorse(measured, current)) continue
          this.keep(measured)
          current = measured
        }
      }
    }
  }

  private variationOf(trial: Trial, random: () => number): Trial {
    const products = this.products.get(trial.setting.venue.venueId)!
    const at = Math.floor(random() * trial.items.length)
    const item = trial.items[at]!
    const other = products[Math.floor(random() * products.length)]!
    const units = trial.items.reduce((sum, { quantity }) => sum + quantity, 0)
    const isFull = item.product.weighed === true || units >= unitsMax * quantityOne
    const more = isFull ? item.quantity : item.quantity + quantityOne
    const moves: readonly (readonly TrialItem[])[] = [
      trial.items.with(at, { ...item, quantity: more }),
      joined([trial.items.with(at, { ...item, product: other })]),
      isFull ? trial.items : joined([trial.items, [{ product: other, quantity: quantityOne }]]),
      item.quantity > quantityOne && !item.product.weighed
        ? trial.items.with(at, { ...item, quantity: item.quantity - quantityOne })
        : trial.items,
    ]
    return { ...trial, items: moves[Math.floor(random() * moves.length)]! }
  }

  *listOften(): Generator<WorstProgress, void> {
    if (!this.task.objectives.includes('too_often')) return
    for (const [benefitId, benefit] of this.byId) {
      const setting = this.settings.find(({ open }) => open.has(benefitId))
      if (setting === undefined) continue
      if (this.pricer.steps > this.task.stepsMax * oftenShare) return
      for (const items of this.basketsFor(setting, benefitId)) {
        const found = tooOften(this.pricer, benefit, { setting, items })
        this.often.push(...found)
        yield* this.progress()
        if (found.length > 0) break
      }
    }
  }

  private worstOf(objective: Objective): Measured[] {
    return [...this.best.values()]
      .filter((each) => each.objective === objective)
      .sort((a, b) => (isWorse(a, b) ? -1 : isWorse(b, a) ? 1 : 0))
  }

  report(): WorstReport {
    const findings = objectives.flatMap((objective) => this.findingsOf(objective))
    const { guards } = this.task.programme
    const broken = new Set(findings.flatMap(({ guardId }) => guardId ?? []))
    return {
      findings,
      proofs: proofsOf(
        guards.filter(({ guardId }) => !broken.has(guardId)),
        this.task,
      ),
      searched: {
        steps: this.pricer.steps,
        settings: this.settings.length,
        products: [...this.products.values()].reduce((sum, { length }) => sum + length, 0),
        isMadeUp: this.isMadeUp,
        isWhole: this.isWhole,
      },
    }
  }

  private findingsOf(objective: Objective): readonly Finding[] {
    const found =
      objective === 'too_often'
        ? this.often
        : this.worstOf(objective)
            .slice(0, 2 * listedMax)
            .map((measured) => this.reduce(measured))
            .map((measured) => ({ measured, reason: reasonOf(this.reasonRules(), measured) }))
    const different: (typeof found)[number][] = []
    for (const each of found) if (!different.some((worse) => isAlike(each, worse))) different.push(each)
    return different.slice(0, listedMax).flatMap((each) => (isMinor(each, different) ? [] : [this.findingFrom(each)]))
  }

  private reduce(measured: Measured): Measured {
    const left = this.task.stepsMax - this.pricer.steps
    return reduced(measured, (trial) => this.measureAgain(this.pricer, trial, measured), Math.min(triesMax, left))
  }

  private findingFrom({ measured, reason }: Reasoned): Finding {
    const { objective, score, trial, price, other, benefitIds, guardId, off } = measured
    const remedies = remediesFor({
      ...this.reasonRules(),
      document: this.task.programme.document,
      ...{ reason, measured },
      remeasure: (programme) => {
        const { benefits, rules, guards } = programme
        const again = { ...trial, setting: { ...trial.setting, venue: venueIn(programme, trial.setting.venue) } }
        const own = guards.filter(({ guardId }) => measured.guardId === null || guardId === measured.guardId)
        return this.measureAgain(new Pricer(compileProgramme(benefits, rules)), again, measured, own)
      },
    })
    return { objective, score, trial, price, other, benefitIds, guardId, reason, remedies, off }
  }

  private measureAgain(
    pricer: Pricer,
    trial: Trial,
    { objective, benefitIds }: Measured,
    guards: readonly Guard[] = this.task.programme.guards,
  ): Measured | null {
    if (objective === 'too_often') {
      const benefit = pricer.programme.benefits.find(({ benefit: { benefitId } }) => benefitId === benefitIds[0])
      return benefit === undefined ? null : (tooOften(pricer, benefit.benefit, trial)[0]?.measured ?? null)
    }
    return measures[objective]({ ...this.rules(), pricer, guards }, trial, pricer.price(trial))
  }

  private reasonRules() {
    const currencies = this.settings.map(({ venue }) => venue.currency)
    const first = this.task.venues[0]?.currency
    return { benefits: this.byId, currencies: [...new Set([...(first === undefined ? [] : [first]), ...currencies])] }
  }

  private *progress(): Generator<WorstProgress, void> {
    const { steps } = this.pricer
    if (steps - this.shown < progressEvery) return
    this.shown = steps
    yield { steps, stepsMax: this.task.stepsMax }
  }
}

/** Baskets of each benefit that are joined with those of others. */
const pairBaskets = 3
const tripleBaskets = 1

const madeVenue: VenueFacts = { venueId: 'any-venue', currency: 'EUR', timeZone: 'UTC', products: [] }
/** A made gift costs as much as a coffee. */
const madePrice = 4_500

/** A venue that can add what benefits give for nothing. */
function withGifts(venue: VenueFacts, products: readonly TrialProduct[], gifts: readonly string[]): VenueFacts {
  if (venue.products.length > 0) return venue
  const named = gifts.map((productId) => ({ ...products[0]!, productId, name: productId, unitPrice: madePrice }))
  return { ...venue, products: named.map((product) => ({ ...product, noDiscount: false })) }
}

function isAtOnePrice({ items }: Trial): boolean {
  return items.every(({ product }) => product.unitPrice === madePrice)
}

/** A venue with the hours that a changed programme gives it. */
function venueIn({ venues }: Programme, venue: VenueFacts): VenueFacts {
  const changed = venues.find(({ venueId }) => venueId === venue.venueId)
  return changed === undefined ? venue : { ...venue, dayStartsAt: changed.dayStartsAt ?? 0 }
}

interface Reasoned {
  readonly measured: Measured
  readonly reason: Reason
}

/** A finding that a worse one shows too: the same reason, and benefits of which one has all of the other. */
function isAlike(each: Reasoned, worse: Reasoned): boolean {
  if (each.reason !== worse.reason || each.measured.guardId !== worse.measured.guardId) return false
  if (each.measured.trial.setting.venue.currency !== worse.measured.trial.setting.venue.currency) return false
  const [few, many] = [each.measured.benefitIds, worse.measured.benefitIds].sort((a, b) => a.length - b.length)
  return few!.every((id) => many!.includes(id))
}

/** Far less bad than the worst of its objective in the same currency; a broken guard never is. */
function isMinor({ measured }: Reasoned, all: readonly Reasoned[]): boolean {
  const { currency } = measured.trial.setting.venue
  const worst = all.find((each) => each.measured.trial.setting.venue.currency === currency)!
  return measured.guardId === null && measured.score < worst.measured.score * listedShare
}

function isWorse(one: Measured, other: Measured): boolean {
  return one.score > other.score || (one.score === other.score && one.off > other.off)
}
