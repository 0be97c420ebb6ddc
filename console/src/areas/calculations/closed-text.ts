import { type ClosedBenefit, OpeningTerm } from '../../../../gateway/gen/loyalty/v1/explanation_pb.js'
import type { AudiencePart, BenefitPart, WindowPart } from '../../api/programme.js'
import type { Words } from '../../i18n/words.js'
import { wordOf } from '../../parts/enum-word.js'
import type { Occasion } from './occasion.js'
import { listText, momentText, type ReasonContext } from './reasons.js'

/** Why a benefit was not open to a member, there and then: the terms that failed, each with what it asks for and what was. */
export function closedText(
  context: ReasonContext,
  { benefitId, terms }: ClosedBenefit,
  occasion: Occasion | null,
): readonly string[] {
  const benefit = context.names.benefits.get(benefitId)
  const { t } = context
  // The names of a large programme are not loaded.
  if (benefit === undefined || occasion === null)
    return terms.map((term) => wordOf(t, 'opening_term', OpeningTerm, term))
  return terms.map((term) => termText(context, benefit, { term, occasion }))
}

interface Failed {
  readonly term: OpeningTerm
  readonly occasion: Occasion
}

function termText(context: ReasonContext, benefit: BenefitPart, { term, occasion }: Failed): string {
  const { t } = context
  switch (term) {
    case OpeningTerm.ENABLED:
      return t('closed.disabled')
    case OpeningTerm.VALID_FROM:
      return t('closed.validFrom', { at: momentText(context, new Date(benefit.validFrom!)) })
    case OpeningTerm.VALID_UNTIL:
      return t('closed.validUntil', { at: momentText(context, new Date(benefit.validUntil!)) })
    case OpeningTerm.VENUE_IDS:
      return t('closed.venues', { venues: listText(benefit.venueIds!.map((id) => context.venueName?.(id) ?? id)) })
    case OpeningTerm.CHANNELS:
      return t('closed.channels', { channels: listText(benefit.channels!) })
    case OpeningTerm.SCHEDULE:
      return t('closed.schedule', {
        windows: listText(benefit.schedule!.map((window) => windowText(t, window))),
        at: timeText(context, occasion),
      })
    default:
      return benefit.audience ? audienceText(t, benefit.audience, { term, occasion }) : t('reason.unknown')
  }
}

function audienceText(t: Words, audience: AudiencePart, { term, occasion: { buyer } }: Failed): string {
  switch (term) {
    case OpeningTerm.TIERS: {
      const tiers = listText(audience.tiers!)
      return buyer.tier === undefined ? t('closed.tiersNone', { tiers }) : t('closed.tiers', { tiers, had: buyer.tier })
    }
    case OpeningTerm.SEGMENTS:
      return t('closed.segments', { segments: listText(audience.segments!) })
    case OpeningTerm.VISITS: {
      const { from, to } = audience.visits!
      const visits = buyer.visits ?? t('closed.notKnown')
      if (to === null || to === undefined) return t('closed.visitsFrom', { from: from ?? 0, visits })
      return t('closed.visits', { from: from ?? 0, to, visits })
    }
    case OpeningTerm.BIRTHDAY: {
      const { daysBefore, daysAfter } = audience.birthday!
      return t('closed.birthday', { daysBefore, daysAfter, birthday: buyer.birthday ?? t('closed.notKnown') })
    }
    case OpeningTerm.JOINED_WITHIN_DAYS: {
      const days = audience.joinedWithinDays!
      return t('closed.joined', { days, joined: buyer.joinedOn ?? t('closed.notKnown') })
    }
    case OpeningTerm.MEMBER_IDS:
      return t('closed.members', { count: audience.memberIds!.length })
    default:
      return t('reason.unknown')
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

function timeText({ t, zone }: ReasonContext, { at }: Occasion): string {
  const timeZone = zone === undefined ? {} : { timeZone: zone }
  const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', ...timeZone } as const
  return new Intl.DateTimeFormat(t.locale, parts).format(at)
}
