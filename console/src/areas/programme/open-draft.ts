import { useSyncExternalStore } from 'react'

const item = 'draft/open'
const listeners = new Set<() => void>()
let openId = localStorage.getItem(item)

/** The draft that this tab works on; at first the last one of this browser. null: none. */
export function openDraftId(): string | null {
  return openId
}

export function useOpenDraftId(): string | null {
  return useSyncExternalStore(subscribe, openDraftId)
}

export function openDraft(draftId: string | null): void {
  if (draftId === openId) return
  openId = draftId
  if (draftId === null) localStorage.removeItem(item)
  else localStorage.setItem(item, draftId)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
