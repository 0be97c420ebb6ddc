import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'

/** Of a version that is open: the version that it is compared with. */
export interface VersionSearch {
  /** Absent: the one before. */
  readonly base?: number
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

const draftRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/programme/draft',
  component: lazyRouteComponent(async () => ({ default: (await import('./draft.js')).Draft })),
})

const editRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: '/',
  component: lazyRouteComponent(async () => ({ default: (await import('./editor.js')).EditorScreen })),
})

const tryRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: 'try',
  component: lazyRouteComponent(async () => ({ default: (await import('./try-basket.js')).TryBasket })),
})

const shadowRoute = createRoute({
  getParentRoute: () => draftRoute,
  path: 'shadow',
  component: lazyRouteComponent(async () => ({ default: (await import('./shadow-run.js')).ShadowRun })),
})

export const programmeRoutes = [
  listRoute.addChildren([versionRoute]),
  draftRoute.addChildren([editRoute, tryRoute, shadowRoute]),
]
