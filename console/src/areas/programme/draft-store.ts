import { useSyncExternalStore } from 'react'

/** A programme that is being written. */
export interface ProgrammeDraft {
  /** JSON, as it is typed. */
  readonly document: string
  /** The version it began with, or that its writer has seen since: only this one may be in force when it is published. 0: none was. */
  readonly baseVersion: number
  /** false: it is too large for the browser to keep, so a reload loses it. */
  readonly isKept: boolean
}

const item = 'draft/programme'
const listeners = new Set<() => void>()
let current: ProgrammeDraft | null | undefined

/** The draft of this tab; null: there is none. It survives a reload. */
export function useProgrammeDraft(): ProgrammeDraft | null {
  return useSyncExternalStore(subscribe, read)
}

export function storeDraft(draft: Omit<ProgrammeDraft, 'isKept'> | null): void {
  current = draft === null ? null : { ...draft, isKept: keep(draft) }
  if (draft === null) sessionStorage.removeItem(item)
  for (const listener of listeners) listener()
}

function keep(draft: Omit<ProgrammeDraft, 'isKept'>): boolean {
  try {
    sessionStorage.setItem(item, JSON.stringify(draft))
    return true
  } catch {
    sessionStorage.removeItem(item)
    return false
  }
}

function read(): ProgrammeDraft | null {
  if (current === undefined) {
    const stored = sessionStorage.getItem(item)
    current = stored === null ? null : { ...(JSON.parse(stored) as Omit<ProgrammeDraft, 'isKept'>), isKept: true }
  }
  return current
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
