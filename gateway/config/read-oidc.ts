import { type GroupRole, type OidcConfig, roleNames } from './config.js'
import { isLoopback } from './networks.js'
import { quoted, readWhole, type Source } from './source.js'

const issuerName = 'LOYALTY_OIDC_ISSUER'
const needed = ['LOYALTY_OIDC_CLIENT_ID', 'LOYALTY_OIDC_BASE_URL', 'LOYALTY_OIDC_ROLES'] as const
const others = [
  'LOYALTY_OIDC_CLIENT_SECRET',
  'LOYALTY_OIDC_NAME',
  'LOYALTY_OIDC_SCOPES',
  'LOYALTY_OIDC_GROUPS_CLAIM',
  'LOYALTY_OIDC_SESSION_S',
] as const
const groupsMax = 256

/** The OpenID provider of the console; null: LOYALTY_OIDC_ISSUER is not set. */
export function readOidc(source: Source): OidcConfig | null {
  const issuer = source.text(issuerName)
  if (issuer === undefined) {
    const idle = [...needed, ...others].find((name) => source.text(name) !== undefined)
    if (idle !== undefined) source.fault(issuerName, `the address of a provider, since ${idle} is set`, 'nothing')
    return null
  }
  if (!isIssuer(issuer)) {
    source.fault(issuerName, 'https:// and the issuer, or http:// on this machine', quoted(issuer))
    return null
  }
  for (const name of needed) {
    if (source.text(name) === undefined) source.fault(name, `a value, since ${issuerName} is set`, 'nothing')
  }
  return {
    issuer,
    clientId: source.text('LOYALTY_OIDC_CLIENT_ID') ?? '',
    clientSecret: source.text('LOYALTY_OIDC_CLIENT_SECRET') ?? null,
    baseUrl: readBaseUrl(source),
    name: readName(source, new URL(issuer).host),
    scopes: readScopes(source),
    groupsClaim: source.text('LOYALTY_OIDC_GROUPS_CLAIM') ?? 'groups',
    roles: readRoles(source),
    sessionS: readWhole(source, 'LOYALTY_OIDC_SESSION_S', 28_800, [60, 86_400]),
  }
}

/** An attacker on the network path could sign in as any person: so TLS, or this machine only. */
function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, search, hash, username } = new URL(text)
  return (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))) && search + hash + username === ''
}

/** As browsers write an origin: no path, no slash at the end. */
function readBaseUrl(source: Source): string {
  const text = source.text('LOYALTY_OIDC_BASE_URL') ?? ''
  const isOrigin = /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
  if (text !== '' && !isOrigin) {
    source.fault('LOYALTY_OIDC_BASE_URL', 'an origin such as https://loyalty.example, without a path', quoted(text))
  }
  return text
}

function readName(source: Source, fallback: string): string {
  const name = source.text('LOYALTY_OIDC_NAME') ?? fallback
  if (/^[^\p{Cc}\p{Cs}]{1,64}$/u.test(name)) return name
  source.fault('LOYALTY_OIDC_NAME', '1 to 64 characters, no control characters', quoted(name))
  return fallback
}

function readScopes(source: Source): string {
  const scopes = source.text('LOYALTY_OIDC_SCOPES') ?? 'openid profile email'
  if (scopes.split(' ').includes('openid')) return scopes
  source.fault('LOYALTY_OIDC_SCOPES', 'scopes with spaces between, openid among them', quoted(scopes))
  return scopes
}

/** A group may hold commas and colons, like directory names: an entry ends where the next one begins. */
function readRoles(source: Source): readonly GroupRole[] {
  const text = source.text('LOYALTY_OIDC_ROLES')
  if (text === undefined) return []
  const names = roleNames.join('|')
  const entries = text.split(new RegExp(`,\\s*(?=(?:${names}):)`)).map((entry) => {
    const [, role, group] = new RegExp(`^\\s*(${names}):(.+?)\\s*$`).exec(entry) ?? []
    return { role: roleNames.find((name) => name === role), group }
  })
  const roles = entries.filter((entry): entry is GroupRole => entry.role !== undefined && entry.group !== undefined)
  if (roles.length === entries.length && roles.length <= groupsMax) return roles
  source.fault(
    'LOYALTY_OIDC_ROLES',
    `role:group, comma-separated, at most ${groupsMax}, roles ${roleNames.join(', ')}`,
    quoted(text),
  )
  return []
}
