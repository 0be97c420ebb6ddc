import { useEffect, useRef } from 'react'

interface Nearness {
  /** What scrolls. */
  readonly root: { readonly current: HTMLElement | null }
  /** How far beyond its edges counts as near, as CSS has margins. */
  readonly margin: string
}

/**
 * The element to watch: says when it comes near what is in sight, and when it is far again. An element that is not laid out is neither.
 *
 * @param onChange  null: nothing is watched
 */
export function useIsNear<Watched extends HTMLElement>(
  onChange: ((isNear: boolean, element: Watched) => void) | null,
  { root, margin }: Nearness,
) {
  const element = useRef<Watched>(null)
  const latest = useRef(onChange)
  latest.current = onChange
  const isWatching = onChange !== null
  useEffect(() => {
    const watched = element.current
    if (!isWatching || watched === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        // A busy page is given several at once: the last one is how it is now.
        if (watched.offsetParent !== null) latest.current?.(entries.at(-1)!.isIntersecting, watched)
      },
      { root: root.current, rootMargin: margin },
    )
    observer.observe(watched)
    return () => observer.disconnect()
  }, [isWatching, root, margin])
  return element
}
