import type { BasketBody } from '../e2e/basket.js'
import type { Sold } from './a-shop.js'

/** A screen of the console, as it is looked at. */
export interface Screen {
  /** As the router has it. */
  readonly route: string
  /** Its address below `/console`. */
  readonly path: string
  /** Needs a draft in the browser. */
  readonly isDraft?: boolean
  /** Loads nothing before its form is filled in. */
  readonly isForm?: boolean
  /** Filled by a stream alone. */
  readonly isLive?: boolean
  /** A list, which may have no rows. */
  readonly isList?: boolean
}

/** The ids in the addresses. */
export interface Shown extends Sold {
  readonly limit: { readonly limitId: string; readonly subject: string; readonly period: string }
  readonly webhookId: string
  readonly proposalId: string
  readonly auditId: string
}

/** Every screen, in the order of the navigation. A test holds it against the router. */
export function screensOf({ benefits, experiments, members, venues }: BasketBody, shown: Shown): readonly Screen[] {
  const name = (id: string) => encodeURIComponent(id)
  const member = name(members[0].memberId)
  const { limitId, subject, period } = shown.limit
  const venue = name(venues[0].venueId)
  return [
    { route: '/today', path: '/today' },
    { route: '/calculations', path: '/calculations', isList: true },
    { route: '/calculations/$calculationId', path: `/calculations/${shown.calculationId}` },
    { route: '/calculations/$calculationId', path: `/calculations/${shown.openId}` },
    { route: '/calculations/$calculationId', path: `/calculations/${shown.calculationId}?tool=as-if` },
    { route: '/requests', path: '/requests', isLive: true },
    { route: '/members', path: '/members?q=m' },
    { route: '/members/$memberId', path: `/members/${member}` },
    { route: '/imports/members', path: '/imports/members', isForm: true },
    { route: '/imports/codes', path: '/imports/codes', isForm: true },
    { route: '/imports/vouchers', path: '/imports/vouchers' },
    { route: '/sales', path: '/sales', isList: true },
    { route: '/sales', path: '/sales?discrepancy=any', isList: true },
    { route: '/sales/$calculationId', path: `/sales/${shown.disagreeingId}` },
    { route: '/limits', path: '/limits', isList: true },
    { route: '/limits/$openId', path: `/limits/${name(limitId)}?subject=${name(subject)}&period=${period}` },
    { route: '/programme', path: '/programme', isList: true },
    { route: '/programme/$version', path: '/programme/1' },
    { route: '/benefits', path: '/benefits', isList: true },
    { route: '/benefits/$benefitId', path: `/benefits/${name(benefits[0].benefitId)}` },
    { route: '/programme/proposals', path: '/programme/proposals', isList: true },
    { route: '/programme/proposals/$proposalId', path: `/programme/proposals/${shown.proposalId}` },
    { route: '/programme/drafts', path: '/programme/drafts', isList: true },
    { route: '/programme/draft', path: '/programme/draft', isDraft: true },
    { route: '/programme/draft/json', path: '/programme/draft/json', isDraft: true },
    { route: '/programme/draft/try', path: '/programme/draft/try', isDraft: true },
    { route: '/programme/draft/shadow', path: '/programme/draft/shadow', isDraft: true },
    { route: '/programme/draft/worst', path: '/programme/draft/worst', isDraft: true },
    { route: '/programme/draft/take-over', path: '/programme/draft/take-over', isDraft: true },
    { route: '/experiments', path: '/experiments', isList: true },
    { route: '/experiments/$experimentId', path: `/experiments/${name(experiments[0].experimentId)}` },
    { route: '/reports', path: '/reports' },
    { route: '/system', path: '/system' },
    { route: '/system/venues', path: '/system/venues', isList: true },
    { route: '/system/venues/$venueId', path: `/system/venues/${venue}` },
    { route: '/system/audit', path: '/system/audit', isList: true },
    { route: '/system/audit/$auditId', path: `/system/audit/${shown.auditId}` },
    { route: '/system/webhooks', path: '/system/webhooks', isList: true },
    { route: '/system/webhooks/$webhookId', path: `/system/webhooks/${shown.webhookId}` },
  ]
}
