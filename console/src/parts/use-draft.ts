import { useState } from 'react'

/** What is typed and not sent yet: it survives a reload of the page, and goes with the tab. */
export function useDraft(key: string, first: string): readonly [string, (text: string) => void, () => void] {
  const item = `draft/${key}`
  const [text, setText] = useState(() => sessionStorage.getItem(item) ?? first)
  const store = (next: string) => {
    sessionStorage.setItem(item, next)
    setText(next)
  }
  return [text, store, () => sessionStorage.removeItem(item)]
}
