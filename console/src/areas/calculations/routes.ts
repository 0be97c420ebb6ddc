import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'
import { readSearch } from './search.js'

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/calculations',
  validateSearch: readSearch,
  component: lazyRouteComponent(async () => ({ default: (await import('./calculation-list.js')).CalculationList })),
})

const oneRoute = createRoute({
  getParentRoute: () => listRoute,
  path: '$calculationId',
  component: lazyRouteComponent(async () => ({ default: (await import('./calculation.js')).Calculation })),
})

export const calculationRoutes = listRoute.addChildren([oneRoute])
