import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root-route.js'

export const todayRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/today',
  component: lazyRouteComponent(async () => ({ default: (await import('./today.js')).Today })),
})
