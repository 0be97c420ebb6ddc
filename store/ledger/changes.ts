/** What gateways follow to keep their facts fresh. */
export interface Changes {
  /** Revision now, and what has changed after `revision`; `changes` null where that is too far back to tell. */
  since(revision: number): Promise<{ readonly revision: number; readonly changes: readonly Change[] | null }>
}

/** `id`: the version, the venueId, or a loyaltyId (every old and new one of a changed member); '' stands for every loyaltyId. */
export type Change = { readonly kind: 'programme' | 'venue' | 'member'; readonly id: string }
