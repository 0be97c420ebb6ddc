import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { LimitCounts, LimitScope } from '../../../../gateway/gen/loyalty/v1/enums_pb.js'
import type { LimitCounter, LimitPace } from '../../../../gateway/gen/loyalty/v1/limit_service_pb.js'
import { nowMs } from '../../api/clock.js'
import { useWords, type Words } from '../../i18n/words.js'
import { digitsOf, formatScaled, percentText } from '../../parts/scaled.js'
import { dateOf, Time } from '../../parts/values.js'

type Counted = Pick<LimitCounter, 'counts' | 'currency'>

/** Units left; never below 0. */
export function leftOf({ maximum, used, open, late }: LimitCounter): bigint {
  const left = maximum - used - open - late
  return left < 0n ? 0n : left
}

/** Open baskets hold the rest: it may come back. */
export function isHeld({ maximum, used, late }: LimitCounter): boolean {
  return used + late < maximum
}

export function takenOf({ used, open, late }: LimitCounter): bigint {
  return used + open + late
}

export function unitsText({ counts, currency }: Counted, units: bigint, locale: string): string {
  if (counts !== LimitCounts.AMOUNT || currency === '') return formatScaled(units, 0, locale)
  return `${formatScaled(units, digitsOf(currency), locale)} ${currency}`
}

/** Units taken of the maximum; for money without a currency, the share. */
export function ofMaximum(t: Words, counted: Counted & Pick<LimitCounter, 'maximum'>, taken: bigint): string {
  const { counts, currency, maximum } = counted
  if (counts !== LimitCounts.AMOUNT) return t('limits.ofMaximum', { taken, maximum })
  if (currency === '') return percentText(t, taken, maximum)
  return t('limits.ofMaximum', {
    taken: formatScaled(taken, digitsOf(currency), t.locale),
    maximum: unitsText(counted, maximum, t.locale),
  })
}

interface Paces {
  readonly hour?: LimitPace | undefined
  readonly day?: LimitPace | undefined
  readonly week?: LimitPace | undefined
}

const minuteMs = 60_000
/** A pace of the last hour that began later than this belongs to a young counter. */
const youngMs = 50 * minuteMs

export function paceText(t: Words, counted: Counted, { hour, day, week }: Paces): string {
  const units = (pace: LimitPace) => unitsText(counted, pace.taken, t.locale)
  if (hour !== undefined && hour.taken > 0n) {
    const ageMs = nowMs() - dateOf(hour.since!).getTime()
    if (ageMs >= youngMs) return t('pace.hour', { units: units(hour) })
    return t('pace.minutes', { units: units(hour), count: Math.max(1, Math.round(ageMs / minuteMs)) })
  }
  if (day !== undefined && day.taken > 0n) return t('pace.day', { units: units(day) })
  if (week !== undefined && week.taken > 0n) return t('pace.week', { units: units(week) })
  return hour === undefined && day === undefined && week === undefined ? t('closed.notKnown') : t('pace.none')
}

/** The service needs at least this time for an estimate. */
const tellingMs = 5 * minuteMs

function isTelling(pace: LimitPace | undefined): boolean {
  return pace !== undefined && nowMs() - dateOf(pace.since!).getTime() >= tellingMs
}

interface RunsOutProps {
  readonly left: bigint
  readonly isHeld: boolean
  readonly runsOutAt: Timestamp | undefined
  readonly periodEndsAt: Timestamp | undefined
  readonly isShared: boolean
  readonly venueId?: string
  readonly pace: LimitPace | undefined
}

export function RunsOut({ left, isHeld, runsOutAt, periodEndsAt, isShared, venueId, pace }: RunsOutProps) {
  const t = useWords()
  const zone = venueId === undefined ? {} : { venueId }
  if (left <= 0n && isHeld) return <span className="lost">{t('limits.held')}</span>
  if (left <= 0n) {
    const words = isShared ? <strong className="lost">{t('limits.gone')}</strong> : t('limits.gone')
    return (
      <>
        {words}
        {periodEndsAt !== undefined && (
          <span className="muted">
            {' '}
            {t('limits.until')} <Time at={periodEndsAt} {...zone} />
          </span>
        )}
      </>
    )
  }
  if (runsOutAt === undefined) {
    const lasts = isTelling(pace) ? 'limits.lasts' : 'closed.notKnown'
    return <span className="muted">{t(isShared ? lasts : 'limits.hasLeft')}</span>
  }
  return (
    <>
      {t('limits.about')} <Time at={runsOutAt} {...zone} />
    </>
  )
}

export function isSharedCounter({ scope }: Pick<LimitCounter, 'scope'>): boolean {
  return scope === LimitScope.EVERYONE || scope === LimitScope.VENUE
}
