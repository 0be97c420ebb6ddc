import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'
import type { LimitSearch } from './search.js'

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/limits',
  validateSearch: ({ show, limitId, who, subject, period }: Record<string, unknown>): LimitSearch => ({
    ...(show === 'member' || show === 'all' ? { show } : {}),
    ...(limitId ? { limitId: String(limitId) } : {}),
    ...(who ? { who: String(who) } : {}),
    ...(subject ? { subject: String(subject) } : {}),
    ...(period ? { period: String(period) } : {}),
  }),
  component: lazyRouteComponent(async () => ({ default: (await import('./limit-list.js')).LimitList })),
})

const oneRoute = createRoute({
  getParentRoute: () => listRoute,
  path: '$openId',
  component: lazyRouteComponent(async () => ({ default: (await import('./limit.js')).LimitDetail })),
})

export const limitRoutes = listRoute.addChildren([oneRoute])
