import { createRootRoute } from '@tanstack/react-router'
import { ErrorPanel } from '../parts/error-panel.js'
import { NotFound } from './not-found.js'
import { Shell } from './shell.js'

/** The frame around every screen; each area's routes are its children. */
export const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  errorComponent: ({ error, reset }) => <ErrorPanel cause={error} onRetry={reset} />,
})
