import { useSyncExternalStore } from 'react'
import { forgetTyped } from '../../parts/use-draft.js'
import { withoutComments } from './builder/json-text.js'

export interface ProgrammeDraft {
  /** As its writer edits it: JSON, perhaps with comments. */
  readonly text: string
  /** As the service reads it, without comments. */
  readonly document: string
  /** The version that its writer began with or has seen since: it can be published only while this one is in force. 0: none was. */
  readonly baseVersion: number
  readonly isChanged: boolean
  /** false: too large for the browser to store, so a reload loses it. */
  readonly isKept: boolean
}

type Written = Omit<ProgrammeDraft, 'document' | 'isKept'>

export const noteKey = 'publish/note'

const item = 'draft/programme'
const listeners = new Set<() => void>()
let current: ProgrammeDraft | null | undefined

/** The draft of this browser, shared by all of its tabs; null: none. It survives a reload. */
export function useProgrammeDraft(): ProgrammeDraft | null {
  return useSyncExternalStore(subscribe, read)
}

/** Begins a draft, or stores that its writer has seen a newer version; null: it is published or discarded. */
export function storeDraft(draft: Written | null): void {
  current = draft === null ? null : draftOf(draft, keep(draft))
  if (draft === null) {
    localStorage.removeItem(item)
    forgetTyped(noteKey)
  }
  for (const listener of listeners) listener()
}

export function editDraft(text: string): void {
  const draft = read()
  if (draft !== null) storeDraft({ text, baseVersion: draft.baseVersion, isChanged: true })
}

export function draftSubject({ document, baseVersion }: ProgrammeDraft): Subject {
  return { key: 'programme/draft', document, baseVersion }
}

function draftOf(draft: Written, isKept: boolean): ProgrammeDraft {
  return { ...draft, document: withoutComments(draft.text), isKept }
}

function keep(draft: Written): boolean {
  try {
    localStorage.setItem(item, JSON.stringify(draft))
    return true
  } catch {
    localStorage.removeItem(item)
    return false
  }
}

function read(): ProgrammeDraft | null {
  if (current === undefined) {
    const stored = localStorage.getItem(item)
    current = stored === null ? null : draftOf(JSON.parse(stored) as Written, true)
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
