import { createRoute, createRouter, redirect } from '@tanstack/react-router'
import { calculationRoutes } from './areas/calculations/routes.js'
import { limitRoutes } from './areas/limits/routes.js'
import { memberRoutes } from './areas/members/routes.js'
import { programmeRoutes } from './areas/programme/routes.js'
import { reportRoute } from './areas/reports/routes.js'
import { saleRoutes } from './areas/sales/routes.js'
import { systemRoutes } from './areas/system/routes.js'
import { todayRoute } from './areas/today/routes.js'
import { rootRoute } from './shell/root-route.js'
import { ScreenFault } from './shell/screen-fault.js'

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/today' })
  },
})

/** Every path of the console; a path names what it shows, so that it can be sent to a colleague. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    indexRoute,
    todayRoute,
    calculationRoutes,
    ...memberRoutes,
    saleRoutes,
    limitRoutes,
    ...programmeRoutes,
    reportRoute,
    systemRoutes,
  ]),
  basepath: '/console',
  defaultPreload: false,
  // What a route does not take of an address is dropped: it would else come to the screen as it was typed.
  search: { strict: true },
  defaultErrorComponent: ScreenFault,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
