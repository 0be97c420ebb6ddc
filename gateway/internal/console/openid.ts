import { createHash } from 'node:crypto'
import * as openid from 'openid-client'
import type { OidcConfig } from '../../config/config.js'

export interface Person {
  /** For audit records: the person's name at the provider, and in parentheses the id that never changes there. */
  readonly name: string
  readonly groups: readonly string[]
}

/** The reason why the provider signed no person in. */
export type OpenidFault =
  /** It does not answer, or not like a provider. */
  | 'provider_down'
  /** It refuses the person, or this service. */
  | 'denied'
  /** Its answer is invalid: a code used before, an id token for another service. */
  | 'refused'

/** Rejections of `OpenidProvider`; message and `cause` are for the log. */
export class OpenidError extends Error {
  readonly kind: OpenidFault

  constructor(kind: OpenidFault, cause: unknown) {
    super(`the OpenID provider: ${wordOf(cause)?.slice(0, wordCharactersMax) ?? kind}`, { cause })
    this.kind = kind
  }
}

/** An OpenID provider. Each call may reject with OpenidError. */
export interface OpenidProvider {
  /** The address of the provider's sign-in. @param secret  of this attempt: only the browser that began it has it */
  signInUrl(secret: string): Promise<URL>
  /** The person who signed in. @param query  of the address that the browser returned to, from `?` on */
  personOf(query: string, secret: string): Promise<Person>
  /** True when the browser returned from the attempt with this secret. */
  isOf(query: string, secret: string): boolean
}

export const callbackPath = '/console/oidc/callback'
/** Seconds for one call to the provider, and tolerance for its clock. */
const callS = 5
const clockToleranceS = 30
const nameCharactersMax = 128
/** Maximum for its error words, such as `invalid_client`. */
const wordCharactersMax = 64

/**
 * Authorization code flow with PKCE: the id token's signature, issuer, audience, expiry and nonce are checked (OpenID Connect Core,
 * 3.1.3.7).
 */
export function createOpenidProvider(config: OidcConfig): OpenidProvider {
  const redirectUri = config.baseUrl + callbackPath
  let found: Promise<openid.Configuration> | null = null

  async function withProvider<T>(work: (provider: openid.Configuration) => Promise<T>): Promise<T> {
    try {
      found ??= discover(config)
      return await work(await found)
    } catch (error) {
      found = null
      throw new OpenidError(faultOf(error), error)
    }
  }

  return {
    signInUrl(secret) {
      // Discovered anew each time, so that a browser is not sent to a provider that is down.
      found = null
      return withProvider(async (provider) =>
        openid.buildAuthorizationUrl(provider, {
          redirect_uri: redirectUri,
          scope: config.scopes,
          state: derived(secret, 'state'),
          nonce: derived(secret, 'nonce'),
          code_challenge: await openid.calculatePKCECodeChallenge(derived(secret, 'verifier')),
          code_challenge_method: 'S256',
        }),
      )
    },
    isOf: (query, secret) => new URLSearchParams(query).get('state') === derived(secret, 'state'),
    personOf: (query, secret) =>
      withProvider(async (provider) => {
        const tokens = await openid.authorizationCodeGrant(provider, new URL(redirectUri + query), {
          pkceCodeVerifier: derived(secret, 'verifier'),
          expectedState: derived(secret, 'state'),
          expectedNonce: derived(secret, 'nonce'),
          idTokenExpected: true,
        })
        return personFrom(await claimsOf(provider, tokens, config), config)
      }),
  }
}

/** Derives state, nonce and code verifier of an attempt from one secret: none of them reveals another. */
function derived(secret: string, purpose: 'state' | 'nonce' | 'verifier'): string {
  return createHash('sha256').update(`${purpose}.${secret}`).digest('base64url')
}

async function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<openid.Configuration> {
  // The settings allow plain HTTP only to this machine.
  const isPlain = issuer.startsWith('http:')
  const found = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
    timeout: callS,
    execute: isPlain ? [openid.allowInsecureRequests] : [],
  })
  const server = found.serverMetadata()
  const metadata = { [openid.clockTolerance]: clockToleranceS }
  const provider = new openid.Configuration(server, clientId, metadata, authentication(server, clientSecret))
  provider.timeout = callS
  if (isPlain) openid.allowInsecureRequests(provider)
  // Checks the signature as well, though the id token comes from the provider itself.
  openid.enableNonRepudiationChecks(provider)
  return provider
}

/** The default for a provider that lists no method is the Authorization header (Discovery, section 3). */
function authentication(server: Readonly<openid.ServerMetadata>, secret: string | null): openid.ClientAuth {
  if (secret === null) return openid.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic') ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret)
}

type Claims = Readonly<Record<string, unknown>>
type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>

/** Claims of the id token, and of the userinfo endpoint where groups are missing: many providers have them only there. */
async function claimsOf(provider: openid.Configuration, tokens: Tokens, { groupsClaim }: OidcConfig): Promise<Claims> {
  const claims = tokens.claims()!
  if (claimAt(claims, groupsClaim) !== undefined) return claims
  if (provider.serverMetadata().userinfo_endpoint === undefined) return claims
  return { ...(await openid.fetchUserInfo(provider, tokens.access_token, claims.sub)), ...claims }
}

function personFrom(claims: Claims, { groupsClaim }: OidcConfig): Person {
  const called = [claims['preferred_username'], claims['email'], claims['name']].find((one) => typeof one === 'string')
  const label = String(called ?? 'person').replaceAll(/[\p{C}()]/gu, '')
  const groups = [claimAt(claims, groupsClaim)].flat().filter((group): group is string => typeof group === 'string')
  return { name: `${label.slice(0, nameCharactersMax)} (${String(claims['sub'])})`, groups }
}

/** The claim of this name, which may hold dots itself; else the claim at this path. */
function claimAt(claims: Claims, name: string): unknown {
  if (name in claims) return claims[name]
  let at: unknown = claims
  for (const step of name.split('.')) {
    at = typeof at === 'object' && at !== null ? (at as Claims)[step] : undefined
  }
  return at
}

const unanswered = ['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON']

function faultOf(error: unknown): OpenidFault {
  if (error instanceof openid.AuthorizationResponseError) return 'denied'
  if (error instanceof openid.ResponseBodyError) return error.status >= 500 ? 'provider_down' : 'refused'
  // The provider refuses our client secret.
  if (error instanceof openid.WWWAuthenticateChallengeError) return 'refused'
  const isAnswered = error instanceof openid.ClientError && !unanswered.includes(error.code ?? '')
  return isAnswered ? 'refused' : 'provider_down'
}

/** The provider's own error word; null: it has none. */
function wordOf(error: unknown): string | null {
  if (error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError)
    return error.error
  return error instanceof openid.WWWAuthenticateChallengeError ? (error.cause[0]?.parameters['error'] ?? null) : null
}
