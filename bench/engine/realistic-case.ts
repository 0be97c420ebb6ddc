import { calculate } from '../../engine/core/index.js'
import { Dice } from '../../test/support/dice.js'
import type { BenchCase } from '../cases/bench-case.js'
import type { BenchSettings } from '../run/bench.js'
import { engineCase, type Row } from './engine-case.js'
import { spreadOf } from './measure.js'
import { type RealisticPricing, realisticPricing } from './realistic-pricing.js'

/** Smallest proven shares: of all baskets, and of the large ones. */
const provenShareMin = 0.999
const largeProvenShareMin = 0.99
const meanGapMax = 0.001

const largeLinesMin = 40
const benefitCounts = [20, 50, 100, 300, 1000]

/** Baskets like those of POS systems (`realistic-pricing`): the share proven optimal within the budget, by family. */
export const realisticCase: BenchCase = engineCase('engine/search/realistic', searchRealistic)

interface Priced {
  readonly families: readonly string[]
  readonly tookMs: number
  readonly steps: number
  readonly optimal: boolean
  readonly gap: number
}

function searchRealistic({ seed, stepsMax, baskets }: BenchSettings): Row[] {
  const families = new Map<string, Priced[]>()
  const all: Priced[] = []
  for (let at = 0; at < baskets; at++) {
    const priced = price(realisticPricing(new Dice(seed + at), stepsMax))
    all.push(priced)
    for (const family of priced.families) {
      const own = families.get(family)
      if (own === undefined) families.set(family, [priced])
      else own.push(priced)
    }
  }
  const names = [...families.keys()].sort()
  return [
    rowOf('', all, provenShareMin),
    ...names.map((name) => rowOf(`/${name}`, families.get(name)!, shareMinOf(name))),
  ]
}

function price(pricing: RealisticPricing): Priced {
  const { programme, input } = pricing
  const began = performance.now()
  const { optimal, gap, value, steps } = calculate(programme, input)
  const tookMs = performance.now() - began
  return { families: familiesOf(pricing), tookMs, steps, optimal, gap: gap / Math.max(1, value) }
}

function familiesOf({ programme, input, discounts }: RealisticPricing): string[] {
  const size = input.basket.lines.length < largeLinesMin ? '1-30 lines' : '40-200 lines'
  const most = benefitCounts.find((count, at) => at > 0 && programme.benefits.length <= count)!
  const least = benefitCounts[benefitCounts.indexOf(most) - 1]!
  return [size, `${discounts}/${size}`, `${least}-${most} benefits`]
}

function shareMinOf(family: string): number | null {
  return family === '40-200 lines' ? largeProvenShareMin : null
}

function rowOf(family: string, priced: readonly Priced[], shareMin: number | null): Row {
  const open = priced.filter(({ optimal }) => !optimal)
  const share = 1 - open.length / priced.length
  const steps = spreadOf(priced.map((each) => each.steps))
  const meanGap = open.length === 0 ? 0 : open.reduce((sum, { gap }) => sum + gap, 0) / open.length
  const gaps = open.length === 0 ? '' : `, mean gap of the others ${(meanGap * 100).toFixed(2)} % of the value`
  const note = `${(share * 100).toFixed(3)} % of ${priced.length} proven optimal${gaps}; steps median ${steps.median}, p99 ${steps.p99}`
  const text = `at least ${(shareMin ?? 0) * 100} % optimal, mean gap of the others below ${meanGapMax * 100} % of the value`
  const target = shareMin === null ? null : { text, met: share >= shareMin && meanGap < meanGapMax }
  const spread = spreadOf(priced.map(({ tookMs }) => tookMs))
  return { name: `engine/search/realistic${family}`, spread, unit: 'ms', note, target }
}
