import { useEffect, useRef } from 'react'

/** What each key does; `mod+k` is Ctrl or Cmd with k. */
type Keys = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>

/** Acts on keys pressed anywhere but in a field or a dialog, and on Enter but on what it presses itself; those with `mod` everywhere. */
export function useKeys(keys: Keys): void {
  const current = useRef(keys)
  current.current = keys
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.altKey || event.defaultPrevented) return
      const isMod = event.ctrlKey || event.metaKey
      if (!isMod && (isTyping(event.target) || document.querySelector('dialog[open]') !== null)) return
      if (event.key === 'Enter' && isPressed(event.target)) return
      const act = current.current[isMod ? `mod+${event.key.toLowerCase()}` : event.key]
      if (act === undefined) return
      event.preventDefault()
      act(event)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.matches('input, textarea, select') || target.isContentEditable)
}

function isPressed(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('a, button, summary') !== null
}
