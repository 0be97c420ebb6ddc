import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Who reads: whoever reaches the partner address, or the internal one. */
export type Edition = 'public' | 'internal'

export interface SitePage {
  readonly path: string
  /** HTML text, and so is `html`. */
  readonly title: string
  readonly html: string
  readonly headings: readonly { readonly anchor: string; readonly depth: number; readonly text: string }[]
  readonly markdown?: string
}

export interface SiteAnswer {
  readonly status: 200 | 304
  readonly contentType: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

export interface SiteHeaders {
  readonly accept?: string | undefined
  readonly 'if-none-match'?: string | undefined
}

/** The documentation under /docs, in memory. */
export interface Site {
  /**
   * @param path  without a query; a slash at its end changes nothing; of a page that has a source, `<path>.md` is that
   * @param headers  of the request; one that accepts markdown gets the source where there is one
   * @returns null: there is nothing at this path
   */
  find(path: string, headers: SiteHeaders): SiteAnswer | null
  /** Another page in the same frame, such as `GET /`. */
  frame(page: Omit<SitePage, 'path'>): Uint8Array
}

/** What `.ci/docs-site.mjs` writes. */
interface BuiltSite {
  readonly shell: string
  readonly pages: readonly SitePage[]
  /** Their paths hold a hash of their content. */
  readonly assets: readonly { readonly path: string; readonly contentType: string; readonly body: string }[]
}

/** Scripts, styles, images and the search index come from here alone, and nothing is run from text. */
const contentSecurityPolicy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'connect-src'].map((name) => `${name} 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

export const pageHeaders = {
  'Content-Security-Policy': contentSecurityPolicy,
  'Referrer-Policy': 'no-referrer',
} as const

const html = 'text/html; charset=utf-8'
const markdownType = 'text/markdown; charset=utf-8'
/** A browser asks each time whether a page has changed. An asset never does: another content has another path. */
const ofPages = { ...pageHeaders, 'Cache-Control': 'no-cache', Vary: 'Accept' }
const ofAssets = {
  // A picture has its styles inside.
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Cache-Control': 'public, max-age=31536000, immutable',
}

/** Opens the built site of an edition. @param more  pages that are made at the start, such as the contract with its settings */
export function openSite(edition: Edition, more: readonly SitePage[]): Site {
  const file = join(import.meta.dirname, `site-${edition}.json`)
  const { shell, pages, assets } = JSON.parse(readFileSync(file, 'utf8')) as BuiltSite
  const sources = new Map([
    ...assets.map((asset) => [asset.path, () => entryOf(asset.contentType, asset.body, ofAssets)] as const),
    ...[...pages, ...more].map((page) => [page.path, () => entryOf(html, framed(shell, page), ofPages)] as const),
    ...pages.flatMap(({ path, markdown }) =>
      markdown === undefined ? [] : [[`${path}.md`, () => entryOf(markdownType, markdown, ofPages)] as const],
    ),
  ])
  // Made when they are first asked for: all of them would take a start 50 ms.
  const made = new Map<string, SiteAnswer>()
  return {
    find(path, { accept = '', 'if-none-match': ifNoneMatch }) {
      const page = path.endsWith('/') ? path.slice(0, -1) : path
      const name = accept.includes('text/markdown') && sources.has(`${page}.md`) ? `${page}.md` : page
      const found = made.get(name) ?? sources.get(name)?.()
      if (found === undefined) return null
      made.set(name, found)
      const isKnown = ifNoneMatch?.split(/\s*,\s*/).some((tag) => tag.replace(/^W\//, '') === found.headers['ETag'])
      return isKnown ? { ...found, status: 304, body: nothing } : found
    },
    frame: (page) => Buffer.from(framed(shell, { path: '', ...page })),
  }
}

const nothing = Buffer.alloc(0)

function entryOf(contentType: string, text: string, headers: Readonly<Record<string, string>>): SiteAnswer {
  const body = Buffer.from(text)
  const tag = createHash('sha256').update(body).digest('hex').slice(0, 32)
  return { status: 200, contentType, body, headers: { ...headers, ETag: `"${tag}"` } }
}

function framed(shell: string, { path, title, html, headings }: SitePage): string {
  return shell
    .replace(`<a href="${path}">`, () => `<a href="${path}" aria-current="page">`)
    .replace('{{title}}', () => title)
    .replace('{{body}}', () => html)
    .replace('{{headings}}', () => listOf(headings))
}

function listOf(headings: SitePage['headings']): string {
  if (headings.length < 2) return ''
  const items = headings.map(
    ({ anchor, depth, text }) => `<li><a href="#${anchor}"${depth > 2 ? ' class="deep"' : ''}>${text}</a></li>`,
  )
  return `<nav class="on-page" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`
}
