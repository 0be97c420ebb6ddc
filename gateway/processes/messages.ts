import type { Address } from '../config/config.js'
import type { RequestMessage } from '../telemetry/request-feed.js'

/** Shown to a person once a service listens. null: this process does not have it. */
export interface Announcement {
  readonly http: Address | null
  readonly internal: Address | null
  readonly secretsFile: string | null
  readonly tokensFile: string | null
  readonly programmeVersion: number
  /** A link to the console, below the internal address; on staging it signs in once. */
  readonly consolePath: string | null
  /** Settings that production should not run with, a line each; empty on staging. */
  readonly warnings: readonly string[]
}

export interface ProcessCount {
  readonly up: number
  readonly of: number
  /** All of them have been up at once since the start: from then on one that is missing leaves the others ready. */
  readonly complete: boolean
}

export type FromProcess =
  | { readonly kind: 'up'; readonly announcement: Announcement }
  | { readonly kind: 'metrics_wanted'; readonly ticket: number }
  | { readonly kind: 'metrics_given'; readonly round: number; readonly text: string }
  | RequestMessage

export type ToProcess =
  | { readonly kind: 'process_count'; readonly processCount: ProcessCount }
  | { readonly kind: 'metrics_asked'; readonly round: number }
  | { readonly kind: 'metrics_gathered'; readonly ticket: number; readonly text: string }
  | RequestMessage
  | { readonly kind: 'stop' }
