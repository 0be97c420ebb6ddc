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

/** How many processes of this start are up. */
export interface ProcessCount {
  readonly up: number
  readonly of: number
  /** All of them have been up at once since the start: from then on one that is missing leaves the others ready. */
  readonly complete: boolean
}

/** Messages of a process to its supervisor. */
export type FromProcess =
  /** It listens. */
  | { readonly kind: 'up'; readonly announcement: Announcement }
  /** It was asked for the metrics of all. */
  | { readonly kind: 'metrics_wanted'; readonly ticket: number }
  /** Its own metrics, in Prometheus's text form. */
  | { readonly kind: 'metrics_given'; readonly round: number; readonly text: string }
  | RequestMessage

/** Messages of the supervisor to a process. */
export type ToProcess =
  | { readonly kind: 'process_count'; readonly processCount: ProcessCount }
  | { readonly kind: 'metrics_asked'; readonly round: number }
  | { readonly kind: 'metrics_gathered'; readonly ticket: number; readonly text: string }
  | RequestMessage
  /** Drain, and end. */
  | { readonly kind: 'stop' }
