import { type AnyRouter, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'

const firstScreenMs = 1_500

/**
 * Loads the code of every screen, one after the other: 100 KB in all. So another screen shows at once, and an open page works on while
 * the service is down.
 */
export async function loadScreens(router: AnyRouter): Promise<void> {
  for (const { options } of Object.values(router.routesById)) {
    const screen = options.component as { preload?: () => Promise<unknown> } | undefined
    await screen?.preload?.()
  }
}

export function useScreensLoaded(): void {
  const router = useRouter()
  useEffect(() => {
    const timer = setTimeout(() => void loadScreens(router), firstScreenMs)
    return () => clearTimeout(timer)
  }, [router])
}
