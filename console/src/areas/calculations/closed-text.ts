import type { AudiencePart, BenefitPart, WindowPart } from '../../api/programme.js'
import type { Words } from '../../i18n/words.js'
import { type ClosedBy, closedBy, type Occasion } from './closed-by.js'
import { listText, momentText, type ReasonContext, restrictionsText } from './reasons.js'

/**
 * Why a benefit was not open to a member, there and then: the terms that failed, each with what they ask for and what was.
 *
 * @param occasion  null: not known, so every term is said
 */
export function closedText(context: ReasonContext, benefit: BenefitPart, occasion: Occasion | null): readonly string[] {
  const failed = occasion === null ? [] : closedBy(benefit, occasion)
  if (occasion === null || failed.length === 0) return restrictionsText(context, benefit)
  return failed.map((term) => termText(context, benefit, { term, occasion }))
}

interface Failed {
  readonly term: ClosedBy
  readonly occasion: Occasion
}

function termText(context: ReasonContext, benefit: BenefitPart, { term, occasion }: Failed): string {
  const { t } = context
  switch (term) {
    case 'enabled':
      return t('restriction.disabled')
    case 'validFrom':
      return t('restriction.from', { at: momentText(context, new Date(benefit.validFrom!)) })
    case 'validUntil':
      return t('closed.validUntil', { at: momentText(context, new Date(benefit.validUntil!)) })
    case 'venueIds':
      return t('restriction.venues', { venues: listText(benefit.venueIds!.map((id) => context.venueName?.(id) ?? id)) })
    case 'channels':
      return t('restriction.channels', { channels: listText(benefit.channels!) })
    case 'schedule':
      return t('closed.schedule', {
        windows: listText(benefit.schedule!.map((window) => windowText(t, window))),
        at: timeText(t, occasion),
      })
    default:
      return audienceText(t, benefit.audience!, { term, occasion })
  }
}

function audienceText(t: Words, audience: AudiencePart, { term, occasion: { buyer } }: Failed): string {
  switch (term) {
    case 'tiers': {
      const tiers = listText(audience.tiers!)
      return buyer.tier === undefined ? t('closed.tiersNone', { tiers }) : t('closed.tiers', { tiers, had: buyer.tier })
    }
    case 'segments':
      return t('closed.segments', { segments: listText(audience.segments!) })
    case 'visits': {
      const { from, to } = audience.visits!
      const visits = buyer.visits ?? 0n
      if (to === null || to === undefined) return t('closed.visitsFrom', { from: from ?? 0, visits })
      return t('closed.visits', { from: from ?? 0, to, visits })
    }
    case 'birthday': {
      const { daysBefore, daysAfter } = audience.birthday!
      return t('closed.birthday', { daysBefore, daysAfter, birthday: buyer.birthday ?? t('closed.notKnown') })
    }
    case 'joinedWithinDays': {
      const days = audience.joinedWithinDays!
      return t('closed.joined', { days, joined: buyer.joinedOn ?? t('closed.notKnown') })
    }
    default:
      return t('closed.members', { count: audience.memberIds!.length })
  }
}

const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** Days that follow each other as one span, such as `Mon–Fri 15:00–17:00`; every day needs no name. */
function windowText(t: Words, { days, from, until }: WindowPart): string {
  const places = week.flatMap((day, at) => (days.includes(day) ? [at] : []))
  const spans: number[][] = []
  for (const at of places) {
    const last = spans.at(-1)
    if (last?.at(-1) === at - 1) last.push(at)
    else spans.push([at])
  }
  const named = (at: number) => t.of('day', week[at]!)
  const text = spans.map((span) =>
    span.length < 3 ? span.map(named).join(', ') : `${named(span[0]!)}–${named(span.at(-1)!)}`,
  )
  return `${places.length === week.length ? '' : `${text.join(', ')} `}${from}–${until}`
}

function timeText(t: Words, { at, zone }: Occasion): string {
  const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', timeZone: zone } as const
  return new Intl.DateTimeFormat(t.locale, parts).format(at)
}
