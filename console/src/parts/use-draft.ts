import { useEffect, useRef, useState } from 'react'

export function useDraft(key: string, first: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(itemOf(key)) ?? first)
  const store = (next: string) => {
    sessionStorage.setItem(itemOf(key), next)
    setText(next)
  }
  return [text, store]
}

/** A call for each letter would be wasted. */
const settledMs = 300

/** A value once it has not changed for a moment. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledMs)
    return () => clearTimeout(timer)
  }, [value])
  return settled
}

/** Drops the text typed under a key, and under those that begin with it and a slash. */
export function forgetTyped(key: string): void {
  const items = Object.keys(sessionStorage)
  for (const item of items.filter((one) => `${one}/`.startsWith(`${itemOf(key)}/`))) sessionStorage.removeItem(item)
}

const itemOf = (key: string) => `draft/${key}`

type Keys = Readonly<Record<string, ((event: KeyboardEvent) => void) | undefined>>

/** Acts on keys pressed outside fields and dialogs, and on Enter except on elements that it presses itself; those with `mod` everywhere. */
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
