import type { VenueFacts } from '../core/base/basket.js'
import { quantityOne } from '../core/base/money.js'
import type { Benefit, Guard, Selector } from '../core/base/programme.js'
import { type CompiledProgramme, compileProgramme } from '../core/match/compile.js'
import type { Programme } from '../programme/read-programme.js'
import { catalogueOf, selectorsOf } from './catalogue.js'
import { differentOf, type Reasoned } from './different.js'
import { type Finding, type Objective, objectives } from './finding.js'
import { type GuardProof, proofsOf } from './guard-proofs.js'
import { combinations, joined, neighboursOf, product, seededRandom, withExtras } from './join-baskets.js'
import { type Measured, type MeasureRules, measures, noteRate } from './measures.js'
import { choicesMax, worstMonth } from './month.js'
import { basketsFor, earningBaskets, filledFor, keyOf } from './needs.js'
import { tooOften } from './often.js'
import { reasonOf } from './reasons.js'
import { reduced } from './reduce.js'
import { remediesFor } from './remedies.js'
import { type OpenSetting, settingsOf } from './settings.js'
import { Pricer, type Trial, type TrialItem, type TrialPrice, type TrialProduct } from './trial.js'

export interface WorstTask {
  readonly programme: Programme
  readonly venues: readonly VenueFacts[]
  readonly objectives: readonly Objective[]
  readonly stepsMax: number
  readonly nowMs: number
}

export interface WorstProgress {
  readonly steps: number
  readonly stepsMax: number
}

export interface WorstReport {
  readonly findings: readonly Finding[]
  readonly proofs: readonly GuardProof[]
  readonly searched: Searched
}

export interface Searched {
  readonly steps: number
  readonly settings: number
  readonly products: number
  readonly isMadeUp: boolean
  readonly isWhole: boolean
}

const listedMax = 10
const variedMax = 8
const neighboursMax = 150
/** Parts of the steps: for baskets as built, their variations, and histories; the rest reduces what was found. */
const builtShare = 0.5
const variedShare = 0.65
const oftenShare = 0.75
const earningMax = 5_000
const progressEvery = 500
const reducingMax = 300
/** Lines of which other baskets are made; larger ones would price longer than they find. */
const linesMax = 8

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
  private readonly parents: readonly Selector[]
  private readonly built = new Map<string, readonly (readonly TrialItem[])[]>()
  isWhole = true
  private shown = 0

  constructor(readonly task: WorstTask) {
    const { benefits, rules, guards } = task.programme
    this.programme = compileProgramme(benefits, rules)
    this.pricer = new Pricer(this.programme)
    this.byId = new Map(benefits.map((benefit) => [benefit.benefitId, benefit]))
    const selectors = selectorsOf(benefits, rules, guards)
    this.parents = selectors.filter(({ children }) => children === true)
    const asked = task.venues.length === 0 ? [madeVenue] : task.venues
    this.isMadeUp = asked.every(({ products }) => products.length === 0)
    const listed = asked.map((venue) => ({ venue, products: catalogueOf(selectors, venue.products) }))
    this.products = new Map(listed.map(({ venue, products }) => [venue.venueId, products]))
    const venues = listed.map(({ venue, products }) => withGifts(venue, products, this.programme.freeProductIds))
    this.settings = settingsOf({ programme: this.programme, venues, nowMs: task.nowMs })
  }

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
    const { guards } = this.task.programme
    const open = [...setting.open].map((id) => this.basketsFor(setting, id))
    if (size === 1) {
      for (const baskets of open)
        for (const items of baskets) yield* withExtras(items, { guards, products, parents: this.parents })
      for (const product of products) yield [{ product, quantity: quantityOne }]
    }
    const taken = size === 2 ? pairBaskets : tripleBaskets
    for (const group of size === 1 ? [] : combinations(open, size))
      for (const parts of product(group.map((baskets) => baskets.slice(0, taken)))) yield joined(parts)
    if (size === 2) yield* this.thresholdsOf(setting, products)
  }

  private *thresholdsOf(setting: OpenSetting, products: readonly TrialProduct[]): Generator<readonly TrialItem[]> {
    const open = [...setting.open].map((id) => this.byId.get(id)!)
    for (const benefit of open) {
      if (benefit.conditions?.minimumSpend === undefined) continue
      for (const { benefitId } of open)
        if (benefitId !== benefit.benefitId)
          for (const items of this.basketsFor(setting, benefitId).slice(0, pairBaskets))
            yield* filledFor(benefit, items, products)
    }
  }

  private measure(trial: Trial): void {
    const price = this.pricer.price(trial)
    if (isAtOnePrice(trial) || !this.isMadeUp) noteRate(this.rates, trial, price)
    if (price.calculation.earning !== null && this.earning.length < earningMax) this.earning.push({ trial, price })
    for (const objective of this.task.objectives) {
      if (objective === 'too_often' || objective === 'value_for_nothing') continue
      for (const measured of measures[objective](this.rules(), trial, price)) this.keep(measured)
    }
  }

  measureEarning(): void {
    if (!this.task.objectives.includes('value_for_nothing')) return
    for (const { trial, price } of this.earning) {
      for (const measured of measures.value_for_nothing(this.rules(), trial, price)) this.keep(measured)
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

  *vary(): Generator<WorstProgress, void> {
    const random = seededRandom(1)
    const varied = this.task.objectives.filter((each) => each !== 'too_often')
    for (const [at, objective] of varied.entries()) {
      const left = this.task.stepsMax * variedShare - this.pricer.steps
      const stepsMax = this.pricer.steps + left / (varied.length - at)
      for (const start of this.worstOf(objective).slice(0, variedMax)) {
        let current: Measured | null = start
        while (current !== null && this.pricer.steps < stepsMax) {
          current = this.worseThan(objective, current, { random, stepsMax })
          yield* this.progress()
        }
      }
    }
  }

  private worseThan(
    objective: keyof typeof measures,
    current: Measured,
    { random, stepsMax }: { readonly random: () => number; readonly stepsMax: number },
  ): Measured | null {
    const { trial, guardId } = current
    const products = this.products.get(trial.setting.venue.venueId)!
    const moves = neighboursOf(trial.items, { products, parents: this.parents })
    for (let tried = 0; tried < Math.min(moves.count, neighboursMax); tried++) {
      if (this.pricer.steps >= stepsMax) return null
      const items = moves.take(Math.floor(random() * (moves.count - tried)))
      if (items.length === 0 || items.length > linesMax) continue
      const next = { ...trial, items }
      const found = measures[objective](this.rules(), next, this.pricer.price(next))
      for (const measured of found) this.keep(measured)
      const worse = found.find((each) => each.guardId === guardId && isWorse(each, current))
      if (worse !== undefined) return worse
    }
    return null
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
    yield* this.listMonths()
  }

  private *listMonths(): Generator<WorstProgress, void> {
    const { rules } = this.task.programme
    const poor = this.settings.filter(({ member }) =>
      Object.values(member.balances ?? {}).every((amount) => amount === 0),
    )
    for (const setting of poor.slice(0, monthsMax)) {
      if (this.pricer.steps > this.task.stepsMax * oftenShare) return
      const products = this.products.get(setting.venue.venueId)!
      const earning = rules.flatMap((rule) => earningBaskets(rule, products).slice(0, 2)).slice(0, choicesMax / 2)
      const giving = [...setting.open].flatMap((id) => this.basketsFor(setting, id).slice(0, 2))
      const found = worstMonth(this.pricer, setting, [...earning, ...giving].slice(0, choicesMax))
      yield* this.progress()
      if (found !== null) this.often.push(found)
    }
  }

  private worstOf(objective: Objective): Measured[] {
    const found = [...this.best.values()]
      .filter((each) => each.objective === objective)
      .sort((a, b) => (isWorse(a, b) ? -1 : isWorse(b, a) ? 1 : 0))
    const isFirst = (each: Measured) => found.find(({ guardId }) => guardId === each.guardId) === each
    return objective === 'guards' ? [...found.filter(isFirst), ...found.filter((each) => !isFirst(each))] : found
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
    const objectivesLeft = objectives.length - objectives.indexOf(objective)
    const most = objective === 'guards' ? Math.max(listedMax, this.task.programme.guards.length) : listedMax
    const found =
      objective === 'too_often'
        ? this.often
        : this.worstOf(objective)
            .slice(0, 2 * most)
            .map((measured, at, all) => this.reduce(measured, (all.length - at) * objectivesLeft))
            .map((measured) => ({ measured, reason: reasonOf(this.reasonRules(), measured) }))
    return differentOf(found, this.byId, most).map((each) => this.findingFrom(each))
  }

  /** @param others  findings that share the steps that are left, this one included */
  private reduce(measured: Measured, others: number): Measured {
    const { steps } = this.pricer
    const until = steps + Math.min(reducingMax, (this.task.stepsMax - steps) / others)
    return reduced(measured, (trial) =>
      this.pricer.steps < until ? this.measureAgain(this.pricer, trial, measured) : 'over',
    )
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
        return this.measureAgain(new Pricer(compileProgramme(benefits, rules)), again, measured, guards)
      },
    })
    return { objective, score, trial, price, other, benefitIds, guardId, reason, remedies, off }
  }

  private measureAgain(
    pricer: Pricer,
    trial: Trial,
    { objective, benefitIds, guardId }: Measured,
    guards: readonly Guard[] = this.task.programme.guards,
  ): Measured | null {
    if (objective === 'too_often') {
      const benefit = pricer.programme.benefits.find(({ benefit: { benefitId } }) => benefitId === benefitIds[0])
      return benefit === undefined ? null : (tooOften(pricer, benefit.benefit, trial)[0]?.measured ?? null)
    }
    const found = measures[objective]({ ...this.rules(), pricer, guards }, trial, pricer.price(trial))
    return found.find((each) => each.guardId === guardId) ?? null
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

const monthsMax = 4

const pairBaskets = 3
const tripleBaskets = 1

const madeVenue: VenueFacts = { venueId: 'any-venue', currency: 'EUR', timeZone: 'UTC', products: [] }
/** A made gift costs as much as a coffee. */
const madePrice = 4_500

function withGifts(venue: VenueFacts, products: readonly TrialProduct[], gifts: readonly string[]): VenueFacts {
  if (venue.products.length > 0) return venue
  const named = gifts.map((productId) => ({ ...products[0]!, productId, name: productId, unitPrice: madePrice }))
  return { ...venue, products: named.map((product) => ({ ...product, noDiscount: false })) }
}

function isAtOnePrice({ items }: Trial): boolean {
  return items.every(({ product }) => product.unitPrice === madePrice)
}

function venueIn({ venues }: Programme, venue: VenueFacts): VenueFacts {
  const changed = venues.find(({ venueId }) => venueId === venue.venueId)
  return changed === undefined ? venue : { ...venue, dayStartsAt: changed.dayStartsAt ?? 0 }
}

function isWorse(one: Measured, other: Measured): boolean {
  return one.score > other.score || (one.score === other.score && one.off > other.off)
}
