import type { ShownSetting } from './settings.js'

/** Settings of the service (wire decisions 7), read and checked once at start. */
export interface Config {
  readonly environment: 'staging' | 'production'
  /** LOYALTY_SECRETS; empty when not set (staging makes one in the data folder, or LOYALTY_SECRETS_FILE serves). */
  readonly secrets: readonly string[]
  readonly secretsFile: string | null
  /** LOYALTY_SECRET_OVERLAP_S: seconds for which a secret stays active after it left its file. */
  readonly secretOverlapS: number
  /** Programme file; null: the sample programme. */
  readonly programmeFile: string | null
  readonly http: Address
  readonly grpc: Address
  readonly tokens: readonly Token[]
  /** LOYALTY_OIDC_*: the OpenID provider for sign-ins to the console; null: only tokens sign in. */
  readonly oidc: OidcConfig | null
  /** LOYALTY_CORS_ORIGINS: origins whose pages may call the internal listener from a browser; empty when not set. */
  readonly corsOrigins: readonly string[]
  /** PEM files; `clientCaFile` null: clients of the internal listener need no certificate. */
  readonly tls: { readonly certFile: string; readonly keyFile: string; readonly clientCaFile: string | null } | null
  readonly redisUrl: string | null
  readonly databaseUrl: string | null
  readonly databaseReadUrl: string | null
  readonly dataFolder: string
  /** LOYALTY_SERVE. */
  readonly serve: Serve
  /** LOYALTY_PROCESSES: processes that share a port, 1 or more; more than one only with both stores outside. */
  readonly processes: number
  /** Internal calls have a process of their own; false: each process serves all calls of this start. */
  readonly internalApart: boolean
  /** Pricing threads of each process that serves POSs. */
  readonly workers: number
  /** Requests a second; 0: no limit. */
  readonly rate: number
  readonly burst: number
  readonly linesMax: number
  /** LOYALTY_CHANNELS: values of `channel` besides the contract's. */
  readonly channels: readonly string[]
  readonly bodyBytesMax: number
  readonly deadlineMs: number
  readonly expiryS: number
  readonly idempotencyS: number
  /** LOYALTY_BODY_DAYS: days for which request, answer and explanation of a calculation are stored. */
  readonly bodyDays: number
  /** LOYALTY_RECORD_DAYS: days for which calculations and sales are stored; 0: for ever. */
  readonly recordDays: number
  /** LOYALTY_EVENT_DAYS: days for which events are stored. */
  readonly eventDays: number
  /** LOYALTY_WEBHOOK_HTTP, LOYALTY_WEBHOOK_NETWORKS: the allowed addresses of webhooks. */
  readonly webhooks: { readonly http: 'refused' | 'allowed'; readonly networks: readonly string[] }
  /** LOYALTY_PUBLISH_REVIEW: `required`: a programme is published only as a proposal that another person approves. */
  readonly publishReview: 'optional' | 'required'
  /** LOYALTY_PUBLISH_WORST: worst baskets of a publication are not searched, given as warnings, or to be acknowledged. */
  readonly publishWorst: 'off' | 'warn' | 'require'
  /** LOYALTY_POS_RETURNS: `POST /v1/pos/return` is there. */
  readonly posReturns: boolean
  /** LOYALTY_PARTNER_PAGE: POS developers see the requests of their venue at `/partner`. */
  readonly partnerPage: boolean
  /** LOYALTY_PARTNER_KEY, of which the keys of venues are made; null: staging makes one in the data folder. */
  readonly partnerKey: string | null
  readonly discountCode: string
  /** LOYALTY_LOG_KEY: key of the members' marks in the log; null: a random key of this start. */
  readonly logKey: string | null
  /** Receiver of traces, by OpenTelemetry's own variables; null: no traces, and no code for them is loaded. */
  readonly traces: TracesConfig | null
  readonly shown: readonly ShownSetting[]
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
}

/** Calls of POSs over REST, calls of internal services and the console, or both. */
export type Serve = 'pos' | 'internal' | 'both'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Token {
  readonly role: RoleName
  readonly token: string
}

/** An OpenID provider, and the roles of its groups. */
export interface OidcConfig {
  /** Exactly as the provider writes it in its id tokens. */
  readonly issuer: string
  readonly clientId: string
  /** null: a public client, protected only by PKCE. */
  readonly clientSecret: string | null
  /** Origin at which browsers reach the console, such as `https://loyalty.example`. */
  readonly baseUrl: string
  readonly name: string
  readonly scopes: string
  /** Name of the claim, or a path into it with dots. */
  readonly groupsClaim: string
  /** A person with several roles has the last one in `roleNames`. */
  readonly roles: readonly GroupRole[]
  /** Seconds until a person has to sign in again. */
  readonly sessionS: number
}

export interface GroupRole {
  readonly role: RoleName
  readonly group: string
}

/** Names a process in metrics and log where there are several: those that share a port by number, from 1. */
export type ProcessName = number | 'internal' | 'supervisor'

/** Roles of tokens in the order of their rights (`Role` in roles.proto). Calls wait in the opposite order. */
export const roleNames = ['reader', 'support', 'marketing', 'admin'] as const

export type RoleName = (typeof roleNames)[number]

/** The receiver of spans and their share, by OpenTelemetry's own environment variables. */
export interface TracesConfig {
  /** OTLP over HTTP, JSON: the whole address, such as http://collector:4318/v1/traces. */
  readonly url: string
  readonly serviceName: string
  readonly sampler: TracesSampler
  /** For the samplers that take a ratio, 0 to 1. */
  readonly ratio: number
}

export const tracesSamplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type TracesSampler = (typeof tracesSamplers)[number]

export interface FileState {
  readonly goodAgeS: number
  /** The reason why its present content does not count, one of a small fixed set of words; null: it does. */
  readonly fault: string | null
}

/** A start that cannot go on: its message is one clear line for a person, with the cause to correct. */
export class StartFault extends Error {}
