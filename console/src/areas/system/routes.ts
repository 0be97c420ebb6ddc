import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'
import type { AuditSearch, WebhookSearch } from './search.js'

const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/system',
  component: lazyRouteComponent(async () => ({ default: (await import('./system.js')).System })),
})

const overviewRoute = createRoute({
  getParentRoute: () => systemRoute,
  path: '/',
  component: lazyRouteComponent(async () => ({ default: (await import('./overview.js')).Overview })),
})

const venuesRoute = createRoute({
  getParentRoute: () => systemRoute,
  path: 'venues',
  component: lazyRouteComponent(async () => ({ default: (await import('./venue-list.js')).VenueList })),
})

const venueRoute = createRoute({
  getParentRoute: () => venuesRoute,
  path: '$venueId',
  component: lazyRouteComponent(async () => ({ default: (await import('./venue.js')).VenueDetail })),
})

const auditRoute = createRoute({
  getParentRoute: () => systemRoute,
  path: 'audit',
  validateSearch: (search: Record<string, unknown>): AuditSearch => {
    const given = auditKeys.filter((key) => Boolean(search[key]) && (!/^(from|until)$/.test(key) || isDay(search[key])))
    return Object.fromEntries(given.map((key) => [key, String(search[key])]))
  },
  component: lazyRouteComponent(async () => ({ default: (await import('./audit-list.js')).AuditList })),
})

const recordRoute = createRoute({
  getParentRoute: () => auditRoute,
  path: '$auditId',
  component: lazyRouteComponent(async () => ({ default: (await import('./audit-detail.js')).AuditDetail })),
})

const webhooksRoute = createRoute({
  getParentRoute: () => systemRoute,
  path: 'webhooks',
  validateSearch: ({ state }: Record<string, unknown>): WebhookSearch => (state ? { state: String(state) } : {}),
  component: lazyRouteComponent(async () => ({ default: (await import('./webhook-list.js')).WebhookList })),
})

const webhookRoute = createRoute({
  getParentRoute: () => webhooksRoute,
  path: '$webhookId',
  component: lazyRouteComponent(async () => ({ default: (await import('./webhook.js')).WebhookDetail })),
})

const auditKeys = ['kind', 'subject', 'actor', 'call', 'from', 'until'] as const

function isDay(text: unknown): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(String(text))
}

export const systemRoutes = systemRoute.addChildren([
  overviewRoute,
  venuesRoute.addChildren([venueRoute]),
  auditRoute.addChildren([recordRoute]),
  webhooksRoute.addChildren([webhookRoute]),
])
