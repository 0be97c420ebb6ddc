import { useLayoutEffect, useState } from 'react'

/** The width of an element, in pixels, as it changes; before it is laid out: endless. */
export function useWidth(element: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY)
  useLayoutEffect(() => {
    const measured = element.current
    if (measured === null) return
    const measure = () => measured.offsetParent !== null && setWidth(measured.clientWidth)
    const observer = new ResizeObserver(measure)
    observer.observe(measured)
    measure()
    return () => observer.disconnect()
  }, [element])
  return width
}
