import { fileURLToPath } from 'node:url'
import type { ConsoleSessions } from '../../../store/ledger/console-sessions.js'
import type { OidcConfig } from '../../config/config.js'
import { openStaticFiles } from '../../listeners/static-files.js'
import { refusal } from '../errors.js'
import { type AnyRequest, type AnyResponse, refuseCall, sendPage } from '../response.js'
import type { OpenidSignIn, OpenidSignInParts } from './openid-sign-in.js'
import { createSessions } from './sessions.js'
import { createSignIn, type SignIn, type SignInParts } from './sign-in.js'

export interface Console extends Pick<SignIn, 'sessionOf'> {
  answer(request: AnyRequest, response: AnyResponse, path: string): Promise<void>
  /** Path of the console; on staging a link that signs in once. */
  signInPath(): Promise<string>
}

export interface ConsoleOptions extends Omit<SignInParts, 'sessions'> {
  readonly folder?: string
  readonly store: ConsoleSessions
  /** The OpenID provider for sign-ins; null: only tokens sign in. */
  readonly oidc: OidcConfig | null
}

const builtFolder = fileURLToPath(new URL('../../../console/', import.meta.url))

/** The console, a web application; it calls the services of this listener, with a session instead of a token. */
export function createConsole({ folder = builtFolder, store, oidc, ...parts }: ConsoleOptions): Console {
  const { tokens, log } = parts
  const sessions = createSessions({ store, tokens, issuer: oidc?.issuer ?? null })
  const signIn = createSignIn({ ...parts, sessions })
  // Its library takes tens of milliseconds to load.
  const openidSignIn = oidc === null ? null : loadOpenid({ oidc, sessions, log })
  const files = openStaticFiles(folder)

  async function answer(request: AnyRequest, response: AnyResponse, path: string): Promise<void> {
    if (path === '/console/session') return signIn.answer(request, response)
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return refuseCall(request, response, refusal('UNIMPLEMENTED', 'no such path'))
    }
    if (path === '/console/oidc' || path.startsWith('/console/oidc/')) {
      if (openidSignIn !== null) return (await openidSignIn).answer(request, response, path)
      if (path === '/console/oidc') return sendPage(response, 200, 'application/json', 'null')
      return refuseCall(request, response, refusal('UNIMPLEMENTED', 'no such path'))
    }
    const name = path.slice('/console/'.length)
    // A missing asset belongs to an earlier version, whose page then loads the new one. Any other path is the page, which reads the path
    // itself.
    const isOld = name.startsWith('assets/')
    const found = files.find(name, request.headers) ?? (isOld ? null : files.find('index.html', request.headers))
    if (found !== null) return sendPage(response, found.status, found.contentType, found.body, found.headers)
    sendPage(response, 404, 'text/plain', isOld ? 'no such file\n' : 'the console is not built: npm run build\n')
  }

  return {
    answer,
    sessionOf: (request) => signIn.sessionOf(request),
    async signInPath() {
      const ticket = parts.environment === 'staging' ? await signIn.issueTicket() : null
      return ticket === null ? '/console' : `/console#ticket=${ticket}`
    },
  }
}

async function loadOpenid(parts: OpenidSignInParts): Promise<OpenidSignIn> {
  const { createOpenidSignIn } = await import('./openid-sign-in.js')
  return createOpenidSignIn(parts)
}
