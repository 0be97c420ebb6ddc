import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'
import { readMemberSearch, readMembersSearch } from './search.js'

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members',
  validateSearch: readMembersSearch,
  component: lazyRouteComponent(async () => ({ default: (await import('./member-search.js')).MemberSearch })),
})

const oneRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members/$memberId',
  validateSearch: readMemberSearch,
  component: lazyRouteComponent(async () => ({ default: (await import('./member.js')).MemberDetail })),
})

export const memberRoutes = [searchRoute, oneRoute] as const
