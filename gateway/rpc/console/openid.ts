import { createHash } from 'node:crypto'
import * as openid from 'openid-client'
import type { OidcConfig } from '../../config/config.js'

export interface Person {
  /** For audit records: what the provider calls them, and in parentheses the id that never changes there. */
  readonly name: string
  readonly groups: readonly string[]
}

/** Why the provider signs nobody in. */
export type OpenidFault =
  /** It does not answer, or not as a provider does. */
  | 'provider_down'
  /** It says that the person, or this service, may not. */
  | 'denied'
  /** What it answered does not hold: a code used before, an id token that is not for us. */
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
  /** Where a browser goes to sign in. @param secret  of this attempt: only the browser that began it has it */
  signInUrl(secret: string): Promise<URL>
  /** Whom it brought back. @param query  with which the browser came back, from `?` on */
  personOf(query: string, secret: string): Promise<Person>
  /** Whether the browser came back from the attempt with this secret. */
  isOf(query: string, secret: string): boolean
}

export const callbackPath = '/console/oidc/callback'
/** Seconds for one call to the provider, and by which its clock may differ. */
const callS = 5
const clockToleranceS = 30
const nameCharactersMax = 128
/** Of its word for an error, such as `invalid_client`. */
const wordCharactersMax = 64

/** Authorization code with PKCE: the id token's signature, issuer, audience, expiry and nonce are checked (OpenID Connect Core, 3.1.3.7). */
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
      // Asked anew each time: a browser that is sent to a provider that is down shows a page that says nothing.
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

/** State, nonce and code verifier of an attempt are all of one secret: none of them gives away another. */
function derived(secret: string, purpose: 'state' | 'nonce' | 'verifier'): string {
  return createHash('sha256').update(`${purpose}.${secret}`).digest('base64url')
}

async function discover({ issuer, clientId, clientSecret }: OidcConfig): Promise<openid.Configuration> {
  // The settings allow plain HTTP to this machine alone.
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
  // Its signature too, though the id token comes from the provider itself.
  openid.enableNonRepudiationChecks(provider)
  return provider
}

/** A provider that does not say how it takes the secret takes it by the Authorization header (Discovery, section 3). */
function authentication(server: Readonly<openid.ServerMetadata>, secret: string | null): openid.ClientAuth {
  if (secret === null) return openid.None()
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  return methods.includes('client_secret_basic') ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret)
}

type Claims = Readonly<Record<string, unknown>>
type Tokens = Awaited<ReturnType<typeof openid.authorizationCodeGrant>>

/** Of the id token, and of the userinfo endpoint where groups are missing: many providers have them only there. */
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

/** The claim of this name, which may hold dots itself; else the one at the end of the path. */
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
  // It does not take our client secret.
  if (error instanceof openid.WWWAuthenticateChallengeError) return 'refused'
  const isAnswered = error instanceof openid.ClientError && !unanswered.includes(error.code ?? '')
  return isAnswered ? 'refused' : 'provider_down'
}

/** The provider's own word for an error; null: it has none. */
function wordOf(error: unknown): string | null {
  if (error instanceof openid.ResponseBodyError || error instanceof openid.AuthorizationResponseError)
    return error.error
  return error instanceof openid.WWWAuthenticateChallengeError ? (error.cause[0]?.parameters['error'] ?? null) : null
}
