import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { Provider } from 'oidc-provider'

/** An OpenID provider that we did not write (oidc-provider), on this machine. A typed login is the person. */
export interface OpenidProvider {
  /** On `localhost`: for a browser another site than 127.0.0.1. */
  readonly issuer: string
  /** Forges its id tokens from now on; null: off. */
  forge: Forge | null
  stop(): Promise<void>
}

/** Makes another id token of the claims of one. @param sign  signs as the provider does, which a thief of its network cannot */
export type Forge = (claims: JWTPayload, sign: (claims: JWTPayload) => Promise<string>) => Promise<string>

interface ProviderOptions {
  readonly redirectUri: string
  readonly clientId: string
  /** Absent: a public client. */
  readonly clientSecret?: string
  /** Groups by login. */
  readonly groups: Readonly<Record<string, readonly string[]>>
  /** Where the groups stand. */
  readonly claimsIn: 'id_token' | 'userinfo'
  /** Absent: a free one. */
  readonly port?: number
}

const algorithm = 'RS256'

export async function startOpenidProvider(options: ProviderOptions): Promise<OpenidProvider> {
  const server = http.createServer()
  await once(server.listen(options.port ?? 0, 'localhost'), 'listening')
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'a-key', alg: algorithm, use: 'sig' }
  const sign = (claims: JWTPayload) =>
    new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: 'a-key' }).sign(privateKey)
  const provider = new Provider(issuer, configurationOf(options, key))
  const running: OpenidProvider = {
    issuer,
    forge: null,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  provider.use(async (context, next) => {
    await next()
    const { forge } = running
    if (context.oidc?.route !== 'token' || forge === null || context.body?.id_token === undefined) return
    context.body.id_token = await forge(decodeJwt(context.body.id_token), sign)
  })
  server.on('request', provider.callback())
  return running
}

function configurationOf({ redirectUri, clientId, clientSecret, groups, claimsIn }: ProviderOptions, key: object) {
  const secret = clientSecret === undefined ? {} : { client_secret: clientSecret }
  return {
    clients: [
      {
        ...{ client_id: clientId, redirect_uris: [redirectUri], ...secret },
        token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    cookies: { keys: ['a key of the test'] },
    jwks: { keys: [key] },
    // By default claims are at the userinfo endpoint alone.
    conformIdTokenClaims: claimsIn === 'userinfo',
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
    pkce: { required: () => true },
    findAccount: (_context: unknown, login: string) => ({
      accountId: login,
      claims: () => ({
        sub: login,
        preferred_username: `${login}@shop.example`,
        ...(groups[login] === undefined ? {} : { groups: groups[login] }),
      }),
    }),
  }
}
