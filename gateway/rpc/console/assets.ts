import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { AnyRequest, AnyResponse } from '../response.js'

interface Asset {
  readonly contentType: string
  readonly plain: Buffer
  readonly br: Buffer | null
  readonly gzip: Buffer | null
  readonly etag: string
}

/** The files of the console, by path below `/console/`; read once, when first asked for. */
export type Assets = () => ReadonlyMap<string, Asset>

/** The page: every path of the console that is no file is the page, which reads the path itself. */
export const pageName = 'index.html'

const contentTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** @param folder  what the build made; where it is missing there are no assets */
export function createAssets(folder: string): Assets {
  let assets: ReadonlyMap<string, Asset> | null = null
  return () => {
    assets ??= readAssets(folder)
    return assets
  }
}

function readAssets(folder: string): ReadonlyMap<string, Asset> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { recursive: true }).map((name) => String(name).replaceAll('\\', '/'))
  const read = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : null)
  return new Map(
    names
      .filter((name) => extname(name) in contentTypes)
      .map((name) => {
        const plain = readFileSync(join(folder, name))
        // Weak: the same for every encoding of the file.
        const etag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
        return [
          name,
          { contentType: contentTypes[extname(name)]!, plain, br: read(`${name}.br`), gzip: read(`${name}.gz`), etag },
        ]
      }),
  )
}

/** Answers with a file. Below `assets/` names have a hash and never change; anything else is asked for anew each time. */
export function sendAsset(request: AnyRequest, response: AnyResponse, name: string, asset: Asset): void {
  const headers = {
    'content-type': asset.contentType,
    'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    etag: asset.etag,
    vary: 'Accept-Encoding',
    ...(name === pageName
      ? {
          'content-security-policy': pagePolicy,
          'cross-origin-opener-policy': 'same-origin',
          'permissions-policy': 'camera=(), geolocation=(), microphone=()',
          'referrer-policy': 'no-referrer',
          'x-frame-options': 'DENY',
        }
      : {}),
  }
  if (isKnown(request, asset)) {
    response.writeHead(304, headers)
    response.end()
    return
  }
  const { encoding, content } = chosen(request, asset)
  response.writeHead(200, {
    ...headers,
    'content-length': content.length,
    ...(encoding === null ? {} : { 'content-encoding': encoding }),
  })
  response.end(content)
}

/** Whether the browser has the file: it names one of several tags, or any. A proxy that compresses may have weakened one. */
function isKnown({ headers }: AnyRequest, { etag }: Asset): boolean {
  const tags = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^(?:W\/)?/, 'W/'))
  return tags.includes(etag) || tags.includes('W/*')
}

function chosen({ headers }: AnyRequest, { plain, br, gzip }: Asset) {
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((one) => one.trim().toLowerCase())
    .filter((one) => !/;\s*q=0(\.0*)?$/.test(one))
    .map((one) => one.split(';')[0]!)
  if (br !== null && accepted.includes('br')) return { encoding: 'br', content: br }
  if (gzip !== null && accepted.includes('gzip')) return { encoding: 'gzip', content: gzip }
  return { encoding: null, content: plain }
}
