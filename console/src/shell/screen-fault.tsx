import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { ErrorPanel } from '../parts/error-panel.js'
import { loadScreens } from './load-screens.js'

/** In place of a screen that failed, or whose code could not be loaded: navigation and search stay. */
export function ScreenFault({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return <ErrorPanel cause={error} onRetry={() => void loadScreens(router).then(reset)} />
}
