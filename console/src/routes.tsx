import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
  redirect,
  useRouter,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { openDraft } from './areas/programme/open-draft.js'
import { useWords } from './i18n/words.js'
import { Page } from './parts/page.js'
import { ErrorPanel } from './parts/states.js'
import * as search from './search.js'
import { loadScreens } from './shell/load-screens.js'
import { Shell } from './shell/shell.js'

function NotFound() {
  const t = useWords()
  return (
    <Page title={t('notFound.why')}>
      <p className="muted">{t('notFound.what')}</p>
    </Page>
  )
}

/** Replaces a screen that failed, or whose code could not be loaded: navigation and search stay. */
function ScreenFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return <ErrorPanel cause={error} onRetry={() => void loadScreens(router).then(reset)} />
}

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <ErrorPanel cause={error} onRetry={reset} />,
})

/** Loads the code of a screen once it is opened. */
function screen(load: () => Promise<() => ReactNode>) {
  return lazyRouteComponent(async () => ({ default: await load() }))
}

const screens = {
  today: screen(async () => (await import('./areas/today/today.js')).Today),
  calculations: screen(async () => (await import('./areas/calculations/calculation-list.js')).CalculationList),
  calculation: screen(async () => (await import('./areas/calculations/calculation.js')).Calculation),
  requests: screen(async () => (await import('./areas/calculations/live-requests.js')).LiveRequests),
  members: screen(async () => (await import('./areas/members/member-search.js')).MemberSearch),
  member: screen(async () => (await import('./areas/members/member.js')).MemberDetail),
  memberImport: screen(async () => (await import('./areas/imports/member-import.js')).MemberImport),
  codeImport: screen(async () => (await import('./areas/imports/code-import.js')).CodeImport),
  voucherGrant: screen(async () => (await import('./areas/imports/voucher-grant.js')).VoucherGrant),
  sales: screen(async () => (await import('./areas/sales/sale-list.js')).SaleList),
  sale: screen(async () => (await import('./areas/sales/sale.js')).SaleDetail),
  limits: screen(async () => (await import('./areas/limits/limit-list.js')).LimitList),
  limit: screen(async () => (await import('./areas/limits/limit.js')).LimitDetail),
  versions: screen(async () => (await import('./areas/programme/version.js')).VersionList),
  version: screen(async () => (await import('./areas/programme/version.js')).VersionDetail),
  benefits: screen(async () => (await import('./areas/benefits/benefit-list.js')).BenefitList),
  benefit: screen(async () => (await import('./areas/benefits/benefit.js')).Benefit),
  draft: screen(async () => (await import('./areas/programme/draft.js')).Draft),
  draftForm: screen(async () => (await import('./areas/programme/builder/builder-screen.js')).BuilderScreen),
  draftJson: screen(async () => (await import('./areas/programme/json-screen.js')).JsonScreen),
  draftTry: screen(async () => (await import('./areas/programme/try/try-screen.js')).DraftTry),
  draftShadow: screen(async () => (await import('./areas/programme/shadow/shadow-screen.js')).DraftShadow),
  draftWorst: screen(async () => (await import('./areas/programme/worst/worst-screen.js')).DraftWorst),
  takeOver: screen(async () => (await import('./areas/programme/take-over.js')).TakeOver),
  drafts: screen(async () => (await import('./areas/programme/draft-list.js')).DraftList),
  proposals: screen(async () => (await import('./areas/programme/proposal.js')).ProposalList),
  proposal: screen(async () => (await import('./areas/programme/proposal.js')).ProposalDetail),
  experiments: screen(async () => (await import('./areas/experiments/experiment-list.js')).ExperimentList),
  experiment: screen(async () => (await import('./areas/experiments/experiment.js')).ExperimentDetail),
  reports: screen(async () => (await import('./areas/reports/reports.js')).Reports),
  system: screen(async () => (await import('./areas/system/overview.js')).System),
  overview: screen(async () => (await import('./areas/system/overview.js')).Overview),
  venues: screen(async () => (await import('./areas/system/venue.js')).VenueList),
  venue: screen(async () => (await import('./areas/system/venue.js')).VenueDetail),
  audit: screen(async () => (await import('./areas/system/audit.js')).AuditList),
  auditRecord: screen(async () => (await import('./areas/system/audit.js')).AuditDetail),
  webhooks: screen(async () => (await import('./areas/system/webhook.js')).WebhookList),
  webhook: screen(async () => (await import('./areas/system/webhook.js')).WebhookDetail),
}

const root = () => rootRoute
const indexRoute = createRoute({
  getParentRoute: root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/today' })
  },
})
const today = createRoute({ getParentRoute: root, path: '/today', component: screens.today })
const calculations = createRoute({
  getParentRoute: root,
  path: '/calculations',
  validateSearch: search.readCalculationSearch,
  component: screens.calculations,
})
const calculation = createRoute({
  getParentRoute: () => calculations,
  path: '$calculationId',
  component: screens.calculation,
})
const requests = createRoute({
  getParentRoute: root,
  path: '/requests',
  validateSearch: search.readRequestSearch,
  component: screens.requests,
})
const members = createRoute({
  getParentRoute: root,
  path: '/members',
  validateSearch: search.readMembersSearch,
  component: screens.members,
})
const member = createRoute({
  getParentRoute: root,
  path: '/members/$memberId',
  validateSearch: search.readMemberSearch,
  component: screens.member,
})
const memberImport = createRoute({ getParentRoute: root, path: '/imports/members', component: screens.memberImport })
const codeImport = createRoute({ getParentRoute: root, path: '/imports/codes', component: screens.codeImport })
const voucherGrant = createRoute({ getParentRoute: root, path: '/imports/vouchers', component: screens.voucherGrant })
const sales = createRoute({
  getParentRoute: root,
  path: '/sales',
  validateSearch: search.readSaleSearch,
  component: screens.sales,
})
const sale = createRoute({ getParentRoute: () => sales, path: '$calculationId', component: screens.sale })
const limits = createRoute({
  getParentRoute: root,
  path: '/limits',
  validateSearch: search.readLimitSearch,
  component: screens.limits,
})
const limit = createRoute({ getParentRoute: () => limits, path: '$openId', component: screens.limit })
const versions = createRoute({ getParentRoute: root, path: '/programme', component: screens.versions })
const version = createRoute({
  getParentRoute: () => versions,
  path: '$version',
  validateSearch: search.readVersionSearch,
  component: screens.version,
})
const benefits = createRoute({
  getParentRoute: root,
  path: '/benefits',
  validateSearch: search.readBenefitsSearch,
  component: screens.benefits,
})
const benefit = createRoute({
  getParentRoute: root,
  path: '/benefits/$benefitId',
  validateSearch: search.readBenefitSearch,
  component: screens.benefit,
})
const draft = createRoute({
  getParentRoute: root,
  path: '/programme/draft',
  validateSearch: search.readDraftSearch,
  // Every screen of a draft has it in its address, which a colleague can open.
  search: {
    middlewares: [({ search, next }) => ({ ...(search.draftId && { draftId: search.draftId }), ...next(search) })],
  },
  beforeLoad: ({ search: { draftId } }) => {
    if (draftId !== undefined) openDraft(draftId)
  },
  component: screens.draft,
})
const draftForm = createRoute({
  getParentRoute: () => draft,
  path: '/',
  validateSearch: search.readFormSearch,
  component: screens.draftForm,
})
const draftJson = createRoute({ getParentRoute: () => draft, path: 'json', component: screens.draftJson })
const draftTry = createRoute({ getParentRoute: () => draft, path: 'try', component: screens.draftTry })
const draftShadow = createRoute({ getParentRoute: () => draft, path: 'shadow', component: screens.draftShadow })
const draftWorst = createRoute({ getParentRoute: () => draft, path: 'worst', component: screens.draftWorst })
const takeOver = createRoute({ getParentRoute: () => draft, path: 'take-over', component: screens.takeOver })
const drafts = createRoute({ getParentRoute: root, path: '/programme/drafts', component: screens.drafts })
const proposals = createRoute({ getParentRoute: root, path: '/programme/proposals', component: screens.proposals })
const proposal = createRoute({ getParentRoute: () => proposals, path: '$proposalId', component: screens.proposal })
const experiments = createRoute({ getParentRoute: root, path: '/experiments', component: screens.experiments })
const experiment = createRoute({
  getParentRoute: () => experiments,
  path: '$experimentId',
  component: screens.experiment,
})
const reports = createRoute({
  getParentRoute: root,
  path: '/reports',
  validateSearch: search.readReportSearch,
  component: screens.reports,
})
const system = createRoute({ getParentRoute: root, path: '/system', component: screens.system })
const overview = createRoute({ getParentRoute: () => system, path: '/', component: screens.overview })
const venues = createRoute({ getParentRoute: () => system, path: 'venues', component: screens.venues })
const venue = createRoute({ getParentRoute: () => venues, path: '$venueId', component: screens.venue })
const audit = createRoute({
  getParentRoute: () => system,
  path: 'audit',
  validateSearch: search.readAuditSearch,
  component: screens.audit,
})
const auditRecord = createRoute({ getParentRoute: () => audit, path: '$auditId', component: screens.auditRecord })
const webhooks = createRoute({
  getParentRoute: () => system,
  path: 'webhooks',
  validateSearch: search.readWebhookSearch,
  component: screens.webhooks,
})
const webhook = createRoute({ getParentRoute: () => webhooks, path: '$webhookId', component: screens.webhook })

/** Every path of the console; a path names its content, so that it can be sent to a colleague. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    indexRoute,
    today,
    calculations.addChildren([calculation]),
    requests,
    members,
    member,
    memberImport,
    codeImport,
    voucherGrant,
    sales.addChildren([sale]),
    limits.addChildren([limit]),
    versions.addChildren([version]),
    benefits,
    benefit,
    drafts,
    proposals.addChildren([proposal]),
    draft.addChildren([draftForm, draftJson, draftTry, draftShadow, draftWorst, takeOver]),
    experiments.addChildren([experiment]),
    reports,
    system.addChildren([
      overview,
      venues.addChildren([venue]),
      audit.addChildren([auditRecord]),
      webhooks.addChildren([webhook]),
    ]),
  ]),
  basepath: '/console',
  defaultPreload: false,
  search: { strict: true },
  defaultErrorComponent: ScreenFault,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
