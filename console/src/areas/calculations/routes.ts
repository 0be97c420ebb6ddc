import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'
import type { CalculationSearch } from './search.js'

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/calculations',
  validateSearch: (search: Record<string, unknown>): CalculationSearch => ({
    ...textOf(search, 'venueId'),
    ...textOf(search, 'memberId'),
    ...textOf(search, 'loyaltyId'),
    ...textOf(search, 'status'),
    ...textOf(search, 'state'),
  }),
  component: lazyRouteComponent(async () => ({ default: (await import('./calculation-list.js')).CalculationList })),
})

const oneRoute = createRoute({
  getParentRoute: () => listRoute,
  path: '$calculationId',
  component: lazyRouteComponent(async () => ({ default: (await import('./calculation.js')).Calculation })),
})

export const calculationRoutes = listRoute.addChildren([oneRoute])

function textOf<Name extends string>(search: Record<string, unknown>, name: Name): Partial<Record<Name, string>> {
  const value = search[name]
  if (value === undefined || value === null || value === '') return {}
  return { [name]: String(value) } as Partial<Record<Name, string>>
}
