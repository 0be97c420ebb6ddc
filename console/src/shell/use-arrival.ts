import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useWords } from '../i18n/words.js'

const patienceMs = 10_000

/**
 * The page has the name of its screen, and going to another screen moves the focus to its heading: keyboard and screen reader go on
 * there.
 */
export function useArrival(main: { readonly current: HTMLElement | null }): void {
  const router = useRouter()
  const t = useWords()
  useEffect(() => {
    let stop = () => {}
    const arrive = (isMoved: boolean) => {
      stop()
      stop = whenThere(
        () => headingOf(main.current),
        (heading) => {
          document.title = `${heading.innerText} · ${t('shell.name')}`
          if (isMoved) focusOn(heading, main.current)
        },
      )
    }
    arrive(false)
    const unsubscribe = router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (pathChanged) arrive(fromLocation !== undefined)
    })
    return () => {
      stop()
      unsubscribe()
    }
  }, [router, main, t])
}

/** The heading of the panel next to a list, else of the screen. null: not there yet. */
function headingOf(main: HTMLElement | null): HTMLElement | null {
  const beside = main?.querySelector('[data-beside]')
  return beside?.querySelector<HTMLElement>('h2') ?? (beside ? null : main?.querySelector<HTMLElement>('h1')) ?? null
}

/** A focus on an element of the screen that still exists stays, unless a panel opened. */
function focusOn(heading: HTMLElement, main: HTMLElement | null): void {
  const { activeElement } = document
  const isBeside = heading.closest('[data-beside]') !== null
  if (document.querySelector('dialog[open]') !== null) return
  if (!isBeside && activeElement !== main && main?.contains(activeElement)) return
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/** Acts on an element as soon as it exists. @returns a function that ends the waiting */
function whenThere(find: () => HTMLElement | null, act: (found: HTMLElement) => void): () => void {
  const found = find()
  if (found !== null) {
    act(found)
    return () => {}
  }
  const observer = new MutationObserver(() => {
    const late = find()
    if (late === null) return
    end()
    act(late)
  })
  const timer = setTimeout(() => end(), patienceMs)
  const end = () => {
    clearTimeout(timer)
    observer.disconnect()
  }
  observer.observe(document.body, { childList: true, subtree: true })
  return end
}
