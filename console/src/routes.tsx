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

/** Loads the code of a screen once it is opened. */
function screen(load: () => Promise<() => ReactNode>) {
  return lazyRouteComponent(async () => ({ default: await load() }))
}

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

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/today' })
  },
})

const today = createRoute({
  getParentRoute: () => rootRoute,
  path: '/today',
  component: screen(async () => (await import('./areas/today/today.js')).Today),
})

const calculations = createRoute({
  getParentRoute: () => rootRoute,
  path: '/calculations',
  validateSearch: search.readCalculationSearch,
  component: screen(async () => (await import('./areas/calculations/calculation-list.js')).CalculationList),
})

const calculation = createRoute({
  getParentRoute: () => calculations,
  path: '$calculationId',
  component: screen(async () => (await import('./areas/calculations/calculation.js')).Calculation),
})

const requests = createRoute({
  getParentRoute: () => rootRoute,
  path: '/requests',
  validateSearch: search.readRequestSearch,
  component: screen(async () => (await import('./areas/calculations/live-requests.js')).LiveRequests),
})

const members = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members',
  validateSearch: search.readMembersSearch,
  component: screen(async () => (await import('./areas/members/member-search.js')).MemberSearch),
})

const member = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members/$memberId',
  validateSearch: search.readMemberSearch,
  component: screen(async () => (await import('./areas/members/member.js')).MemberDetail),
})

const memberImport = createRoute({
  getParentRoute: () => rootRoute,
  path: '/imports/members',
  component: screen(async () => (await import('./areas/imports/member-import.js')).MemberImport),
})

const codeImport = createRoute({
  getParentRoute: () => rootRoute,
  path: '/imports/codes',
  component: screen(async () => (await import('./areas/imports/code-import.js')).CodeImport),
})

const voucherGrant = createRoute({
  getParentRoute: () => rootRoute,
  path: '/imports/vouchers',
  component: screen(async () => (await import('./areas/imports/voucher-grant.js')).VoucherGrant),
})

const sales = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sales',
  validateSearch: search.readSaleSearch,
  component: screen(async () => (await import('./areas/sales/sale-list.js')).SaleList),
})

const sale = createRoute({
  getParentRoute: () => sales,
  path: '$calculationId',
  component: screen(async () => (await import('./areas/sales/sale.js')).SaleDetail),
})

const limits = createRoute({
  getParentRoute: () => rootRoute,
  path: '/limits',
  validateSearch: search.readLimitSearch,
  component: screen(async () => (await import('./areas/limits/limit-list.js')).LimitList),
})

const limit = createRoute({
  getParentRoute: () => limits,
  path: '$openId',
  component: screen(async () => (await import('./areas/limits/limit.js')).LimitDetail),
})

const versions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme',
  component: screen(async () => (await import('./areas/programme/version.js')).VersionList),
})

const version = createRoute({
  getParentRoute: () => versions,
  path: '$version',
  validateSearch: search.readVersionSearch,
  component: screen(async () => (await import('./areas/programme/version.js')).VersionDetail),
})

const benefits = createRoute({
  getParentRoute: () => rootRoute,
  path: '/benefits',
  validateSearch: search.readBenefitsSearch,
  component: screen(async () => (await import('./areas/benefits/benefit-list.js')).BenefitList),
})

const benefit = createRoute({
  getParentRoute: () => rootRoute,
  path: '/benefits/$benefitId',
  validateSearch: search.readBenefitSearch,
  component: screen(async () => (await import('./areas/benefits/benefit.js')).Benefit),
})

const draft = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme/draft',
  validateSearch: search.readDraftSearch,
  // Every screen of a draft has it in its address, which a colleague can open.
  search: {
    middlewares: [({ search, next }) => ({ ...(search.draftId && { draftId: search.draftId }), ...next(search) })],
  },
  beforeLoad: ({ search: { draftId } }) => {
    if (draftId !== undefined) openDraft(draftId)
  },
  component: screen(async () => (await import('./areas/programme/draft.js')).Draft),
})

const draftForm = createRoute({
  getParentRoute: () => draft,
  path: '/',
  validateSearch: search.readFormSearch,
  component: screen(async () => (await import('./areas/programme/builder/builder-screen.js')).BuilderScreen),
})

const draftJson = createRoute({
  getParentRoute: () => draft,
  path: 'json',
  component: screen(async () => (await import('./areas/programme/json-screen.js')).JsonScreen),
})

const draftTry = createRoute({
  getParentRoute: () => draft,
  path: 'try',
  component: screen(async () => (await import('./areas/programme/try/try-screen.js')).DraftTry),
})

const draftShadow = createRoute({
  getParentRoute: () => draft,
  path: 'shadow',
  component: screen(async () => (await import('./areas/programme/shadow/shadow-screen.js')).DraftShadow),
})

const draftWorst = createRoute({
  getParentRoute: () => draft,
  path: 'worst',
  component: screen(async () => (await import('./areas/programme/worst/worst-screen.js')).DraftWorst),
})

const takeOver = createRoute({
  getParentRoute: () => draft,
  path: 'take-over',
  component: screen(async () => (await import('./areas/programme/take-over.js')).TakeOver),
})

const drafts = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme/drafts',
  component: screen(async () => (await import('./areas/programme/draft-list.js')).DraftList),
})

const proposals = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme/proposals',
  component: screen(async () => (await import('./areas/programme/proposal.js')).ProposalList),
})

const proposal = createRoute({
  getParentRoute: () => proposals,
  path: '$proposalId',
  component: screen(async () => (await import('./areas/programme/proposal.js')).ProposalDetail),
})

const experiments = createRoute({
  getParentRoute: () => rootRoute,
  path: '/experiments',
  component: screen(async () => (await import('./areas/experiments/experiment-list.js')).ExperimentList),
})

const experiment = createRoute({
  getParentRoute: () => experiments,
  path: '$experimentId',
  component: screen(async () => (await import('./areas/experiments/experiment.js')).ExperimentDetail),
})

const reports = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reports',
  validateSearch: search.readReportSearch,
  component: screen(async () => (await import('./areas/reports/reports.js')).Reports),
})

const system = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  component: screen(async () => (await import('./areas/system/overview.js')).System),
})

const overview = createRoute({
  getParentRoute: () => system,
  path: '/',
  component: screen(async () => (await import('./areas/system/overview.js')).Overview),
})

const venues = createRoute({
  getParentRoute: () => system,
  path: 'venues',
  component: screen(async () => (await import('./areas/system/venue.js')).VenueList),
})

const venue = createRoute({
  getParentRoute: () => venues,
  path: '$venueId',
  component: screen(async () => (await import('./areas/system/venue.js')).VenueDetail),
})

const audit = createRoute({
  getParentRoute: () => system,
  path: 'audit',
  validateSearch: search.readAuditSearch,
  component: screen(async () => (await import('./areas/system/audit.js')).AuditList),
})

const auditRecord = createRoute({
  getParentRoute: () => audit,
  path: '$auditId',
  component: screen(async () => (await import('./areas/system/audit.js')).AuditDetail),
})

const webhooks = createRoute({
  getParentRoute: () => system,
  path: 'webhooks',
  validateSearch: search.readWebhookSearch,
  component: screen(async () => (await import('./areas/system/webhook.js')).WebhookList),
})

const webhook = createRoute({
  getParentRoute: () => webhooks,
  path: '$webhookId',
  component: screen(async () => (await import('./areas/system/webhook.js')).WebhookDetail),
})

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
