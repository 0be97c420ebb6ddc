import { type Build, runningBuild } from '../config/build.js'
import { escaped, htmlPage } from './html-page.js'
import { pageHeaders } from './static-files.js'

export interface StagingVenue {
  readonly venueId: string
  readonly currency: string
  readonly baxIds: readonly string[]
}

export interface EntryLink {
  readonly path: string
  readonly about: string
}

export interface EntryOptions {
  readonly environment: 'staging' | 'production'
  /** In this order, by name in JSON. */
  readonly links: Readonly<Record<string, EntryLink>>
  /** Venues of staging; null where they are not shown, and always on production. */
  readonly venues: (() => Promise<readonly StagingVenue[]>) | null
}

export interface EntryAnswer {
  readonly contentType: string
  readonly body: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/** Loyalty ids that every staging environment has (wire decisions 8). */
const testLoyaltyIds = ['TEST-20-PERCENT', 'TEST-UNCHANGED', 'TEST-NOT-FOUND']

/**
 * `GET /`: a short description with links, as JSON, or as a page where `Accept` prefers HTML. On staging with data to try a POS with.
 * While the venues cannot be read it is answered without them.
 */
export function createEntryPage(options: EntryOptions): (accept: string | undefined) => Promise<EntryAnswer> {
  const build = runningBuild()
  return async (accept) => {
    const staging = options.environment === 'staging' ? await stagingOf(options) : null
    const { environment, links } = options
    const content = {
      service: 'Loyalty Partner Service',
      ...build,
      environment,
      ...Object.fromEntries(Object.entries(links).map(([name, { path }]) => [name, path])),
      ...(staging === null ? {} : { staging }),
    }
    if (!prefersHtml(accept)) {
      const body = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
      return { contentType: 'application/json', body, headers: { Vary: 'Accept' } }
    }
    const page = pageOf(options, build, staging)
    return {
      contentType: 'text/html; charset=utf-8',
      body: Buffer.from(page),
      headers: { ...pageHeaders(page), Vary: 'Accept' },
    }
  }
}

interface Staging {
  readonly loyaltyIds: readonly string[]
  readonly venues?: readonly StagingVenue[]
}

async function stagingOf({ venues }: EntryOptions): Promise<Staging> {
  const read = await venues?.().catch(() => undefined)
  return { loyaltyIds: testLoyaltyIds, ...(read === undefined ? {} : { venues: read }) }
}

/** True when `text/html` comes before, or has a higher weight than, `application/json` and any type. */
function prefersHtml(accept = ''): boolean {
  const weights = new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice('q='.length)
      return [type, weight === undefined ? 1 : Number(weight)]
    }),
  )
  const html = weights.get('text/html') ?? 0
  return html > 0 && html >= (weights.get('application/json') ?? 0)
}

function pageOf({ environment, links }: EntryOptions, { version, commit }: Build, staging: Staging | null): string {
  const items = Object.values(links).map(
    ({ path, about }) => `<li><a href="${path}">${about}</a> <code>${path}</code></li>`,
  )
  const about = `A POS calls this service in the middle of a card payment: which benefits does this member get on this basket? This is ${environment}, version ${version}, commit ${escaped(commit)}.`
  return htmlPage('Loyalty Partner Service', [
    '<h1>Loyalty Partner Service</h1>',
    `<p>${about}</p>`,
    `<ul>${items.join('')}</ul>`,
    ...(staging === null ? [] : [showStaging(staging)]),
  ])
}

function showStaging({ loyaltyIds, venues = [] }: Staging): string {
  const code = (text: string) => `<code>${escaped(text)}</code>`
  const rows = venues.map(
    ({ venueId, currency, baxIds }) =>
      `<tr><td>${code(venueId)}</td><td>${baxIds.map(code).join(' ')}</td><td>${escaped(currency)}</td></tr>`,
  )
  return [
    `<h2>To try a POS with</h2><p>Loyalty ids: ${loyaltyIds.map(code).join(' ')}</p>`,
    ...(rows.length === 0
      ? []
      : [
          `<div tabindex="0"><table><thead><tr><th>venueId</th><th>baxId</th><th>Currency</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
        ]),
  ].join('\n')
}
