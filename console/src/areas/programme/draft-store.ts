import { useSyncExternalStore } from 'react'
import { forgetTyped } from '../../parts/use-draft.js'

export interface ProgrammeDraft {
  readonly document: string
  /** The version that its writer began with or has seen since: it can be published only while this one is in force. 0: none was. */
  readonly baseVersion: number
  readonly isChanged: boolean
  /** false: too large for the browser to store, so a reload loses it. */
  readonly isKept: boolean
}

export const noteKey = 'publish/note'

const item = 'draft/programme'
const listeners = new Set<() => void>()
let current: ProgrammeDraft | null | undefined

/** The draft of this browser, shared by all of its tabs; null: none. It survives a reload. */
export function useProgrammeDraft(): ProgrammeDraft | null {
  return useSyncExternalStore(subscribe, read)
}

/** Begins a draft, or stores that its writer has seen a newer version; null: it is published or discarded. */
export function storeDraft(draft: Omit<ProgrammeDraft, 'isKept'> | null): void {
  current = draft === null ? null : { ...draft, isKept: keep(draft) }
  if (draft === null) {
    localStorage.removeItem(item)
    forgetTyped(noteKey)
  }
  for (const listener of listeners) listener()
}

export function editDraft(document: string): void {
  const draft = read()
  if (draft !== null) storeDraft({ document, baseVersion: draft.baseVersion, isChanged: true })
}

export function draftSubject({ document, baseVersion }: ProgrammeDraft): Subject {
  return { key: 'programme/draft', document, baseVersion }
}

function keep(draft: Omit<ProgrammeDraft, 'isKept'>): boolean {
  const { document, baseVersion, isChanged } = draft
  try {
    localStorage.setItem(item, JSON.stringify({ document, baseVersion, isChanged }))
    return true
  } catch {
    localStorage.removeItem(item)
    return false
  }
}

function read(): ProgrammeDraft | null {
  if (current === undefined) {
    const stored = localStorage.getItem(item)
    current = stored === null ? null : { ...(JSON.parse(stored) as Omit<ProgrammeDraft, 'isKept'>), isKept: true }
  }
  return current
}

function readAgain({ key }: StorageEvent): void {
  if (key !== item && key !== null) return
  current = undefined
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) addEventListener('storage', readAgain)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) removeEventListener('storage', readAgain)
  }
}

/** A programme that is not in force but open on a screen: a draft, or a proposal. */
export interface Subject {
  /** Key under which typed text about it survives a reload. */
  readonly key: string
  readonly document: string
  /** The version it was begun with; 0: none was published. */
  readonly baseVersion: number
}
