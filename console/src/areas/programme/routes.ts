import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'

/** Of a version that is open: the version that it is compared with. */
export interface VersionSearch {
  /** Absent: the one before. */
  readonly base?: number
}

/** What the form of a draft shows. */
export interface FormSearch {
  /** A list of the document, such as `currencies`; absent: benefits. */
  readonly part?: string
  /** Its place in that list, from 0. */
  readonly entry?: number
}

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme',
  component: lazyRouteComponent(async () => ({ default: (await import('./version-list.js')).VersionList })),
})

const versionRoute = createRoute({
  getParentRoute: () => listRoute,
  path: '$version',
  validateSearch: ({ base }: Record<string, unknown>): VersionSearch =>
    Number.isInteger(base) && Number(base) > 0 ? { base: Number(base) } : {},
  component: lazyRouteComponent(async () => ({ default: (await import('./version.js')).VersionDetail })),
})

const benefitRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme/benefits/$benefitId',
  component: lazyRouteComponent(async () => ({ default: (await import('./benefit.js')).Benefit })),
})

const draftRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme/draft',
  component: lazyRouteComponent(async () => ({ default: (await import('./draft.js')).Draft })),
})

const formRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: '/',
  validateSearch: ({ part, entry }: Record<string, unknown>): FormSearch => ({
    ...(typeof part === 'string' ? { part } : {}),
    ...(Number.isInteger(entry) && Number(entry) >= 0 ? { entry: Number(entry) } : {}),
  }),
  component: lazyRouteComponent(async () => ({ default: (await import('./form/form-screen.js')).FormScreen })),
})

const editRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: 'json',
  component: lazyRouteComponent(async () => ({ default: (await import('./editor.js')).EditorScreen })),
})

const tryRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: 'try',
  component: lazyRouteComponent(async () => ({ default: (await import('./draft-try.js')).DraftTry })),
})

const shadowRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: 'shadow',
  component: lazyRouteComponent(async () => ({ default: (await import('./draft-shadow.js')).DraftShadow })),
})

const takeOverRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: 'take-over',
  component: lazyRouteComponent(async () => ({ default: (await import('./take-over.js')).TakeOver })),
})

const proposalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme/proposals',
  component: lazyRouteComponent(async () => ({ default: (await import('./proposal-list.js')).ProposalList })),
})

const proposalRoute = createRoute({
  getParentRoute: () => proposalsRoute,
  path: '$proposalId',
  component: lazyRouteComponent(async () => ({ default: (await import('./proposal.js')).ProposalDetail })),
})

export const programmeRoutes = [
  listRoute.addChildren([versionRoute]),
  benefitRoute,
  proposalsRoute.addChildren([proposalRoute]),
  draftRoute.addChildren([formRoute, editRoute, tryRoute, shadowRoute, takeOverRoute]),
]
