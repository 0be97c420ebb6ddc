import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'

/** An answer to GET or HEAD of a file. */
export interface StaticAnswer {
  readonly status: 200 | 304 | 503
  readonly contentType: string
  /** Empty with 304. */
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** Headers of a request that choose the answer. */
export interface StaticHeaders {
  readonly accept?: string | undefined
  readonly 'accept-encoding'?: string | string[] | undefined
  readonly 'if-none-match'?: string | undefined
}

/** The files of a built folder, such as the console. */
export interface StaticFiles {
  /** @param name  path below the folder; null: there is no such file */
  find(name: string, headers: StaticHeaders): StaticAnswer | null
}

/** Sources of a folder's pages in addition to scripts, styles, images and fetches of this address. */
export interface PageSources {
  readonly images?: 'data:'
  /** Names of trusted-types policies; none by default. */
  readonly trustedTypes?: string
  /** Receivers of its forms; none by default. */
  readonly forms?: "'self'"
}

/** A file in each encoding that its build made. */
interface StaticFile {
  readonly contentType: string
  readonly plain: Buffer
  readonly br: Buffer | null
  readonly gzip: Buffer | null
  readonly headers: Readonly<Record<string, string>>
}

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.proto': 'text/plain; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
}

/** Reads each file at its first request, and again after a new build. @param folder  where it is missing there are no files */
export function openStaticFiles(folder: string, sources: PageSources = {}): StaticFiles {
  let builtAtMs = 0
  let names: ReadonlySet<string> = new Set()
  const files = new Map<string, StaticFile>()

  function readFolder(): void {
    const changedAtMs = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (changedAtMs === builtAtMs) return
    builtAtMs = changedAtMs
    files.clear()
    const found = changedAtMs === 0 ? [] : readdirSync(folder, { recursive: true })
    names = new Set(found.map((name) => String(name).replaceAll('\\', '/')))
  }

  return {
    find(name, headers) {
      readFolder()
      if (!names.has(name) || !(extname(name) in contentTypes)) return null
      const file = files.get(name) ?? readFile(folder, name, sources)
      files.set(name, file)
      return answerOf(file, headers)
    },
  }
}

function readFile(folder: string, name: string, sources: PageSources): StaticFile {
  const plain = readFileSync(join(folder, name))
  const encoded = (ending: string) => {
    const file = join(folder, name + ending)
    return existsSync(file) ? readFileSync(file) : null
  }
  const headers = {
    // Below `assets/` names have a hash of their content; for other files a browser asks each time.
    'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
    // Weak: the same for every encoding of the file.
    ETag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`,
    Vary: 'Accept-Encoding',
    ...(extname(name) === '.html' ? pageHeaders(plain.toString(), sources) : {}),
  }
  return { contentType: contentTypes[extname(name)]!, plain, br: encoded('.br'), gzip: encoded('.gz'), headers }
}

/** Headers of a page: its content security policy names its own inline scripts and styles by digest. */
export function pageHeaders(html: string, { images, trustedTypes = "'none'", forms }: PageSources = {}) {
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...digestsOf(html, 'script')].join(' '),
    ["style-src 'self'", ...digestsOf(html, 'style')].join(' '),
    ["img-src 'self'", ...(images === undefined ? [] : [images])].join(' '),
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${forms ?? "'none'"}`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    // With no-referrer browsers send `Origin: null` with a form.
    'Referrer-Policy': forms === undefined ? 'no-referrer' : 'same-origin',
    'X-Frame-Options': 'DENY',
  }
}

function digestsOf(html: string, element: 'script' | 'style'): string[] {
  const inline = new RegExp(`<${element}(?![^>]* src=)[^>]*>([\\s\\S]*?)</${element}>`, 'g')
  return [...html.matchAll(inline)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
}

function answerOf({ contentType, plain, br, gzip, headers }: StaticFile, request: StaticHeaders): StaticAnswer {
  if (isKnown(request, headers['ETag']!)) return { status: 304, contentType, body: Buffer.alloc(0), headers }
  const accepted = String(request['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(';')[0])
  const encoded = (body: Buffer, encoding: string) => ({
    ...{ status: 200 as const, contentType, body },
    headers: { ...headers, 'Content-Encoding': encoding },
  })
  if (br !== null && accepted.includes('br')) return encoded(br, 'br')
  if (gzip !== null && accepted.includes('gzip')) return encoded(gzip, 'gzip')
  return { status: 200, contentType, body: plain, headers }
}

/** True when the browser has the file: it names one of several tags, or any. A proxy that compresses may have weakened one. */
function isKnown(request: StaticHeaders, etag: string): boolean {
  const tags = (request['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^(?:W\/)?/, 'W/'))
  return tags.includes(etag) || tags.includes('W/*')
}

/**
 * The documentation under /docs of the partner address, or the internal one. A page is also markdown, with `.md` after its path or by
 * `Accept: text/markdown`. 503 until they are built, which `npm start` does not wait for.
 */
export function openDocs(edition: 'public' | 'internal', built = builtDocs): StaticFiles {
  const files = openStaticFiles(join(built, edition), { images: 'data:', trustedTypes: 'vue' })
  return {
    find(path, headers) {
      const name = path.replace(/^\/docs\/?/, '') || 'index'
      const markdown = headers.accept?.includes('text/markdown') ? files.find(`${name}.md`, headers) : null
      const found = markdown ?? files.find(name, headers) ?? files.find(`${name}.html`, headers)
      if (found === null) return files.find('index.html', {}) === null ? notBuilt : null
      return { ...found, headers: { ...found.headers, Vary: 'Accept, Accept-Encoding' } }
    },
  }
}

const builtDocs = join(import.meta.dirname, '..', '..', 'docs')

const notBuilt: StaticAnswer = {
  status: 503,
  contentType: 'text/plain; charset=utf-8',
  body: Buffer.from('The pages are being built. If this does not end, `npm run build` says why.\n'),
  headers: { 'Retry-After': '10' },
}
