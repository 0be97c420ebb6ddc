import { useState } from 'react'

/** What is typed and not sent yet: it survives a reload of the page, and goes with the tab. */
export function useDraft(key: string, first: string): readonly [string, (text: string) => void, () => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(itemOf(key)) ?? first)
  const store = (next: string) => {
    sessionStorage.setItem(itemOf(key), next)
    setText(next)
  }
  return [text, store, () => forgetTyped(key)]
}

/** Keeps no longer what was typed. */
export function forgetTyped(key: string): void {
  sessionStorage.removeItem(itemOf(key))
}

const itemOf = (key: string) => `draft/${key}`
