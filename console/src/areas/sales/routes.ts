import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'
import { readSearch } from './search.js'

const listRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sales',
  validateSearch: readSearch,
  component: lazyRouteComponent(async () => ({ default: (await import('./sale-list.js')).SaleList })),
})

const oneRoute = createRoute({
  getParentRoute: () => listRoute,
  path: '$calculationId',
  component: lazyRouteComponent(async () => ({ default: (await import('./sale.js')).SaleDetail })),
})

export const saleRoutes = listRoute.addChildren([oneRoute])
