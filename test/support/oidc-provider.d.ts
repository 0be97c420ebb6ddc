/** The parts of oidc-provider that our tests use; it has no types of its own. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Context {
    readonly oidc?: { readonly route: string }
    body: { id_token?: string } | undefined
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): this
    callback(): RequestListener
  }
}
