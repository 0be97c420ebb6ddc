import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'
import type { ReportSearch } from './search.js'

const isDay = (day: unknown): day is string =>
  typeof day === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day))

export const reportRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reports',
  validateSearch: ({ from, until, venueId }: Record<string, unknown>): ReportSearch => ({
    ...(isDay(from) ? { from } : {}),
    ...(isDay(until) ? { until } : {}),
    ...(venueId ? { venueId: String(venueId) } : {}),
  }),
  component: lazyRouteComponent(async () => ({ default: (await import('./reports.js')).Reports })),
})
