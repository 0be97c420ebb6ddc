import type { InspectedSale } from '../../../store/ledger/sales.js'
import type { KeptRequest } from '../../cache/kept-requests.js'
import { escaped, htmlPage } from '../../listeners/html-page.js'

/** The answer that a trial would have. */
export interface Tried {
  readonly status: number
  readonly answer: string
}

/** The fields of the form; empty ones leave the body as it is. */
export interface TrialForm {
  readonly body: string
  readonly loyaltyId: string
  readonly time: string
}

const styles = `
main { max-width: 72rem }
table { border-collapse: collapse; width: 100% }
tbody tr { border-top: 1px solid light-dark(#d4d8df, #343a43) }
th, td { vertical-align: top; white-space: nowrap }
pre, textarea, input { font: 0.875rem/1.5 ui-monospace, monospace }
pre, textarea, input, button { background: light-dark(#f3f5f8, #1b1f25); color: inherit; border: 1px solid light-dark(#7c8593, #7c8593); border-radius: 4px; padding: 0.5rem; box-sizing: border-box }
pre { overflow-x: auto; white-space: pre-wrap }
textarea { width: 100%; height: 24rem }
input { width: 100%; max-width: 32rem; display: block }
button { font: inherit; padding: 0.5rem 1rem; cursor: pointer }
label { display: block; margin: 1rem 0 0.25rem }
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: baseline; justify-content: space-between }
.bad { color: light-dark(#a3231b, #ff9d94) }
`

const code = (text: string) => `<code>${escaped(text)}</code>`
const whatYouSee = '<a href="/docs/integration#what-you-see">what it means</a>'

export function signInPage(fault: string | null): string {
  return page('Sign in', [
    '<h1>Your requests</h1>',
    '<p>Sign in with the key of your venue. We give it to you with the secret of this environment; it signs no call.</p>',
    '<form method="post" action="/partner/sign-in">',
    '<label for="key">Key of the venue</label>',
    '<input id="key" name="key" type="password" autocomplete="current-password" required>',
    ...(fault === null ? [] : [`<p class="bad" role="alert">${escaped(fault)}</p>`]),
    '<p><button>Sign in</button></p></form>',
  ])
}

export function requestListPage(
  venueId: string,
  requests: readonly KeptRequest[],
  sales: readonly InspectedSale[],
): string {
  return page(`Requests of ${venueId}`, [
    ownHeader(venueId),
    '<p>The latest requests of the last day, newest first; times are UTC. A request without a good signature is shown if it names the venue.</p>',
    table('Requests', ['Time', 'Call', 'Answer', 'Field', 'ms', 'Request'], requests.map(rowOfRequest)),
    '<h2>Discrepancies</h2>',
    `<p>Sales of the last day that do not agree with their calculation (${whatYouSee}).</p>`,
    table('Discrepancies', ['Recorded', 'Discrepancy', 'Status', 'Paid', 'calculationId'], sales.map(rowOfSale)),
  ])
}

function rowOfRequest({ id, atMs, endpoint, status, outcome, answer, durationMs, requestId }: KeptRequest): string[] {
  const { word, field } = faultIn(answer)
  const shown = `${status} ${status === 200 ? outcome : word}`
  return [
    timeOf(atMs),
    endpoint,
    status === 200 ? escaped(shown) : `<span class="bad">${escaped(shown)}</span>`,
    field === '' ? '' : code(field),
    durationMs.toFixed(1),
    `<a href="/partner/${id}">${code(requestId.slice(0, 8))}</a>`,
  ]
}

function rowOfSale({ recordedAt, discrepancies, status, paidTotal, calculationId }: InspectedSale): string[] {
  return [
    timeOf(recordedAt),
    discrepancies.map(code).join(' '),
    escaped(status),
    paidTotal === null ? '' : String(paidTotal),
    code(calculationId),
  ]
}

/** @param form  the fields as they were sent @param tried  null: nothing was tried yet */
export function requestPage(venueId: string, request: KeptRequest, form: TrialForm, tried: Tried | null): string {
  const { endpoint, atMs, status, outcome, durationMs, requestId, answer, isCut, isSigned } = request
  const facts = `${timeOf(atMs)} · ${status} ${status === 200 ? outcome : faultIn(answer).word} · ${durationMs.toFixed(1)} ms · X-Request-Id `
  const cut = 'It was too long to be kept whole.'
  return page(`A ${endpoint} of ${venueId}`, [
    ownHeader(venueId),
    '<p><a href="/partner">All requests</a></p>',
    `<h2>POST /v1/pos/${endpoint}</h2>`,
    `<p>${escaped(facts)}${code(requestId)}${isSigned ? '' : ' · <span class="bad">no good signature</span>'}</p>`,
    ...(isCut ? [`<p>${cut}</p>`] : []),
    ...(tried === null ? [shown('Answer', answer)] : [shown(`It would be answered ${tried.status}`, tried.answer)]),
    ...(tried === null ? [] : ['<p>Nothing was stored.</p>']),
    '<h3>Send this again as ...</h3>',
    '<p>Change what you like. The service says what it would answer now, and stores nothing. It checks no signature, and a return is quoted.</p>',
    `<form method="post" action="/partner/${request.id}">`,
    `<label for="loyaltyId">Another member (loyaltyId)</label><input id="loyaltyId" name="loyaltyId" value="${escaped(form.loyaltyId)}">`,
    `<label for="time">Another time</label><input id="time" name="time" value="${escaped(form.time)}" placeholder="2026-11-23T12:00:00+01:00">`,
    // HTML drops a line feed right after the tag.
    `<label for="body">Body</label><textarea id="body" name="body" spellcheck="false">\n${escaped(form.body)}</textarea>`,
    '<p><button>What would be answered?</button></p></form>',
  ])
}

function shown(heading: string, answer: string): string {
  return `<h3>${escaped(heading)}</h3><pre tabindex="0">${escaped(indented(answer))}</pre>`
}

function ownHeader(venueId: string): string {
  const signOut = '<form method="post" action="/partner/sign-out"><button>Sign out</button></form>'
  return `<header><h1>Requests of ${code(venueId)}</h1>${signOut}</header>`
}

function table(name: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>None.</p>'
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('')
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')
  const labels = `tabindex="0" role="region" aria-label="${name}"`
  return `<div ${labels}><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

/** Error code and faulty field of an answer; both empty where it has none. */
function faultIn(answer: string): { readonly word: string; readonly field: string } {
  try {
    const { error } = JSON.parse(answer) as { error?: { code?: unknown; details?: { field?: unknown } } }
    return { word: String(error?.code ?? ''), field: String(error?.details?.field ?? '') }
  } catch {
    return { word: '', field: '' }
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString().replace('T', ' ').slice(0, 19)
}

function page(title: string, body: readonly string[]): string {
  return htmlPage(`${title} · Loyalty Partner Service`, body, styles)
}
