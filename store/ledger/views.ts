import type { Command, CommandConflict } from './calls.js'

export const viewLists = ['calculations', 'sales', 'limits', 'reports'] as const

export interface SavedViews {
  /** The actor's own views and shared ones, by name. */
  list(list: string, actor: string): Promise<readonly SavedView[]>
  /** @param max  shared views of a list at most, and as many private ones of an actor */
  store(command: Command, view: NewView, max: number): Promise<ViewReply>
  /** The actor's own view; an admin's also a shared one. */
  remove(command: Command, viewId: string, isAdmin: boolean): Promise<ViewReply>
}

export interface NewView {
  readonly list: string
  readonly name: string
  readonly query: string
  readonly shared: boolean
}

export interface SavedView extends NewView {
  readonly viewId: string
  readonly storedBy: string
  readonly storedAt: number
}

export type ViewReply = { readonly kind: 'done' | 'too_many_views' | 'unknown_view' } | CommandConflict
