import { percentageWhole } from '../core/base/money.js'
import type { Benefit } from '../core/base/programme.js'
import { wallClock } from '../core/match/calendar.js'
import type { CompiledProgramme } from '../core/match/compile.js'
import type { Reason } from './finding.js'
import type { Measured } from './measures.js'
import { openIn } from './settings.js'
import { leftAfter, type Pricer, type Trial } from './trial.js'

const halfHourMs = 1_800_000
const dayMs = 86_400_000
const nightMs = 6 * 3_600_000

export interface OftenMeasured {
  readonly measured: Measured
  readonly reason: Reason
}

export function tooOften(pricer: Pricer, benefit: Benefit, trial: Trial): readonly OftenMeasured[] {
  const found = [overMidnight(pricer, benefit, trial), eachDay(pricer, benefit, trial), atOnce(pricer, benefit, trial)]
  return found.flatMap((each) => (each === null ? [] : [each]))
}

function isWhole({ reward }: Benefit): boolean {
  if (reward.kind === 'free_product') return true
  const share = reward.kind === 'buy_get' ? reward.get.percentage : 'percentage' in reward ? reward.percentage : 0
  return share === percentageWhole
}

function overMidnight(pricer: Pricer, benefit: Benefit, trial: Trial): OftenMeasured | null {
  if (!benefit.limits.some(({ scope, period }) => scope === 'member' && period === 'day')) return null
  if (benefit.schedule === null) return null
  const night = nightOf(pricer.programme, benefit, trial)
  if (night === null) return null
  return repeated(pricer, benefit, { trial, moments: night, reason: 'limit_new_at_midnight' })
}

function nightOf(programme: CompiledProgramme, { benefitId }: Benefit, { setting }: Trial): readonly number[] | null {
  const { timeZone } = setting.venue
  const isOpenAt = (requestedAt: number) => openIn(programme, { ...setting, requestedAt }).has(benefitId)
  for (let at = setting.requestedAt; at < setting.requestedAt + 7 * dayMs; at += halfHourMs) {
    const { day, minute } = wallClock(at, timeZone)
    const next = wallClock(at + halfHourMs, timeZone)
    if (day === next.day || minute < next.minute) continue
    if (!isOpenAt(at)) continue
    for (let after = at + halfHourMs; after <= at + nightMs; after += halfHourMs)
      if (isOpenAt(after)) return [at, after]
  }
  return null
}

function eachDay(pricer: Pricer, benefit: Benefit, trial: Trial): OftenMeasured | null {
  const around = benefit.audience?.birthday ?? benefit.audience?.anniversary
  if (around === undefined || !isWhole(benefit) || benefit.costs !== null) return null
  const { daysBefore, daysAfter } = around
  const moments = Array.from({ length: daysBefore + daysAfter + 1 }, (_, day) => {
    return trial.setting.requestedAt + (day - daysBefore) * dayMs
  })
  return repeated(pricer, benefit, { trial, moments, reason: 'again_each_day' })
}

function atOnce(pricer: Pricer, benefit: Benefit, trial: Trial): OftenMeasured | null {
  const { reward, conditions, costs, limits } = benefit
  if (reward.kind !== 'free_product' || reward.per !== undefined) return null
  if (conditions !== null || costs !== null || limits.length > 0) return null
  const { requestedAt } = trial.setting
  return repeated(pricer, benefit, { trial, moments: [requestedAt, requestedAt + 60_000], reason: 'again_at_once' })
}

interface Repeating {
  readonly trial: Trial
  readonly moments: readonly number[]
  readonly reason: Reason
}

function repeated(pricer: Pricer, { benefitId }: Benefit, { trial, moments, reason }: Repeating): OftenMeasured | null {
  let left: Record<string, number> = {}
  const given = []
  for (const requestedAt of moments) {
    const again = { ...trial, setting: { ...trial.setting, requestedAt } }
    const price = pricer.price(again, left)
    if (price.benefitIds.includes(benefitId)) given.push({ trial: again, price })
    left = leftAfter(price.calculation.wants, left)
  }
  const [first, second] = given
  if (first === undefined || second === undefined) return null
  const off = given.reduce((sum, { price }) => sum + price.before - price.after, 0)
  const measured = {
    ...{ objective: 'too_often' as const, score: given.length, off, trial: first.trial, price: first.price },
    ...{ other: second, benefitIds: [benefitId], guardId: null },
  }
  return { measured, reason }
}
