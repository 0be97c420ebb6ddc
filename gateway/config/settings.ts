import { serverUrl } from '../../store/postgres/connection/options.js'
import type { Environment } from './source.js'

export interface ShownSetting {
  readonly name: string
  /** `set` where `isHidden`; empty: it is not set. */
  readonly value: string
  /** The value used where it is not set, as in docs/settings.md. */
  readonly fallback: string
  readonly isHidden: boolean
}

/** `hidden`: a secret, or the path of one; `address`: it may hold a password. */
type Kind = 'plain' | 'hidden' | 'address'

/** In the order of docs/settings.md; a test compares both. */
const settings: readonly (readonly [name: string, kind: Kind, fallback: string])[] = [
  ['LOYALTY_ENVIRONMENT', 'plain', 'staging'],
  ['LOYALTY_SECRETS', 'hidden', 'staging: one is made'],
  ['LOYALTY_SECRETS_FILE', 'hidden', ''],
  ['LOYALTY_SECRET_OVERLAP_S', 'plain', '600'],
  ['LOYALTY_PROGRAM', 'plain', 'the sample programme'],
  ['LOYALTY_HTTP', 'plain', '127.0.0.1:8080'],
  ['LOYALTY_GRPC', 'plain', '127.0.0.1:9090'],
  ['LOYALTY_TOKENS', 'hidden', 'staging: made; production: required'],
  ['LOYALTY_OIDC_ISSUER', 'plain', ''],
  ['LOYALTY_OIDC_CLIENT_ID', 'plain', ''],
  ['LOYALTY_OIDC_BASE_URL', 'plain', ''],
  ['LOYALTY_OIDC_ROLES', 'plain', ''],
  ['LOYALTY_OIDC_CLIENT_SECRET', 'hidden', 'none: a public client'],
  ['LOYALTY_OIDC_NAME', 'plain', "the issuer's host"],
  ['LOYALTY_OIDC_SCOPES', 'plain', 'openid profile email'],
  ['LOYALTY_OIDC_GROUPS_CLAIM', 'plain', 'groups'],
  ['LOYALTY_OIDC_SESSION_S', 'plain', '28800'],
  ['LOYALTY_CORS_ORIGINS', 'plain', ''],
  ['LOYALTY_TLS_CERT', 'hidden', ''],
  ['LOYALTY_TLS_KEY', 'hidden', ''],
  ['LOYALTY_TLS_CLIENT_CA', 'hidden', ''],
  ['REDIS_URL', 'address', 'embedded'],
  ['DATABASE_URL', 'address', 'embedded'],
  ['DATABASE_READ_URL', 'address', ''],
  ['LOYALTY_DATA', 'hidden', '.data'],
  ['LOYALTY_SERVE', 'plain', 'both'],
  ['LOYALTY_PROCESSES', 'plain', 'auto'],
  ['LOYALTY_WORKERS', 'plain', 'cores / processes - 1, at least 1'],
  ['LOYALTY_RATE', 'plain', '50'],
  ['LOYALTY_BURST', 'plain', '100'],
  ['LOYALTY_MAX_LINES', 'plain', '200'],
  ['LOYALTY_MAX_BODY', 'plain', '262144'],
  ['LOYALTY_CHANNELS', 'plain', ''],
  ['LOYALTY_DEADLINE_MS', 'plain', '450'],
  ['LOYALTY_EXPIRY_S', 'plain', '1800'],
  ['LOYALTY_IDEMPOTENCY_S', 'plain', '86400'],
  ['LOYALTY_BODY_DAYS', 'plain', '90'],
  ['LOYALTY_RECORD_DAYS', 'plain', '0'],
  ['LOYALTY_EVENT_DAYS', 'plain', '30'],
  ['LOYALTY_WEBHOOK_HTTP', 'plain', 'refused'],
  ['LOYALTY_WEBHOOK_NETWORKS', 'plain', ''],
  ['LOYALTY_PUBLISH_REVIEW', 'plain', 'optional'],
  ['LOYALTY_PUBLISH_WORST', 'plain', 'off'],
  ['LOYALTY_POS_RETURNS', 'plain', 'on'],
  ['LOYALTY_PARTNER_PAGE', 'plain', 'staging: on; production: off'],
  ['LOYALTY_PARTNER_KEY', 'hidden', 'staging: made'],
  ['LOYALTY_DISCOUNT_CODE', 'plain', 'THIRD_PARTY_LOYALTY'],
  ['LOYALTY_LOG', 'plain', 'info'],
  ['LOYALTY_LOG_KEY', 'hidden', 'made at each start'],
]

/** The settings of this start, without secrets, passwords and their paths. */
export function shownSettings(env: Environment): readonly ShownSetting[] {
  return settings.map(([name, kind, fallback]) => {
    const text = env[name] ?? ''
    const isHidden = kind === 'hidden'
    const value = text === '' ? '' : isHidden ? 'set' : kind === 'address' ? addressOf(text) : text
    return { name, value, fallback, isHidden }
  })
}

/** Only server and database, without user, password and parameters, which may name files with keys. */
function addressOf(text: string): string {
  const urls = /^postgres(ql)?:/.test(text)
    ? [serverUrl(text)]
    : text.split(',').map((node) => (URL.canParse(node.trim()) ? new URL(node.trim()) : null))
  if (!urls.every((url) => url !== null)) return 'set'
  return urls
    .map(({ protocol, host, pathname }) => `${protocol}//${host}${pathname === '/' ? '' : pathname}`)
    .join(', ')
}
