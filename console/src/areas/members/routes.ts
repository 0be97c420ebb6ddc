import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members',
  component: lazyRouteComponent(async () => ({ default: (await import('./member-search.js')).MemberSearch })),
})

const oneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members/$memberId',
  component: lazyRouteComponent(async () => ({ default: (await import('./member.js')).MemberDetail })),
})

export const memberRoutes = [searchRoute, oneRoute] as const
