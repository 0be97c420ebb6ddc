import type { Command, CommandConflict } from './calls.js'

export const viewLists = ['calculations', 'sales', 'limits', 'reports'] as const

export interface SavedViews {
  /** The actor's own views and shared ones, by name. */
  list(list: string, actor: string): Promise<readonly SavedView[]>
  /** @param max  shared views of a list at most, and as many private ones of an actor */
  store(command: Command, view: NewView, max: number): Promise<ViewReply<'too_many_views'>>
  /** The actor's own view; for an admin any. */
  remove(command: Command, viewId: string, isAdmin: boolean): Promise<ViewReply<'unknown_view'>>
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

export type ViewReply<Refusal extends string> = { readonly kind: 'done' } | { readonly kind: Refusal } | CommandConflict
