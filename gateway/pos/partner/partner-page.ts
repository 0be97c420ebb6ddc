import { randomUUID } from 'node:crypto'
import { StoreFault } from '../../../store/fault.js'
import type { InspectedSale } from '../../../store/ledger/sales.js'
import { type KeptRequest, type KeptRequests, textBytesMax } from '../../cache/kept-requests.js'
import { isSameOrigin, readSession, sessionHeader } from '../../listeners/browser.js'
import { pageHeaders } from '../../listeners/static-files.js'
import { createTurns } from '../../listeners/turns.js'
import type { Log } from '../../telemetry/log.js'
import { originAt } from '../../use-cases/peek-basket.js'
import type { Trial, TryAgain } from '../../use-cases/try-again.js'
import type { Admission } from '../admission.js'
import { checkDeclaredLength, readBody } from '../body.js'
import { errorBody, httpFault, type Refused, refusedFrom, statusOf, unavailable } from '../errors.js'
import type { Answer, Exchange, SentBody } from '../response.js'
import { beginSession, partnerSessionS, venueOfKey, venueOfSession } from './access.js'
import { requestListPage, requestPage, signInPage, type TrialForm, type Tried } from './views.js'

export interface PartnerParts {
  /** LOYALTY_PARTNER_KEY. */
  readonly rootKey: string
  readonly requests: KeptRequests
  readonly tryAgain: TryAgain
  /** Sales of a venue in the last day that disagree with their calculation, newest first. Rejects with StoreFault. */
  readonly listDiscrepancies: (venueId: string) => Promise<readonly InspectedSale[]>
}

interface PageParts extends PartnerParts {
  readonly admission: Admission
  readonly log: Log
  readonly nowMs: () => number
}

/** Ten a second; at most those of 2 s wait. */
const turns = { count: 1, everyMs: 100, waitingMax: 20 }
/** Bytes of a form without a session: it has a key. */
const signInBytesMax = 4_096
/** Bytes of a kept body and the other fields, in a form. */
const formBytesMax = 4 * textBytesMax

/** The page on which a POS developer sees the requests of one venue. It has no scripts, and its forms need its own session and origin. */
export function createPartnerPage(parts: PageParts) {
  const { rootKey, requests, admission, nowMs } = parts
  const signInTurn = createTurns(turns)
  const ownTurn = createTurns(turns)

  async function show(exchange: Exchange, path: string): Promise<void> {
    const { request } = exchange
    const session = readSession(request, 'loyalty_partner')
    const venueId = session === null ? null : venueOfSession(rootKey, session, nowMs())
    try {
      if (request.method === 'POST') await takeForm(exchange, path, venueId)
      else if (venueId === null) exchange.send(pageAnswer(path === '/partner' ? 200 : 401, signInPage(null)))
      else await showOwn(exchange, path, venueId)
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      exchange.refuse(unavailable(`${error.store} ${error.kind}`))
    }
  }

  async function showOwn(exchange: Exchange, path: string, venueId: string): Promise<void> {
    if (!(await ownTurn())) return exchange.refuse(tooManyWait)
    if (path === '/partner') {
      const [list, sales] = await Promise.all([requests.list(venueId), parts.listDiscrepancies(venueId)])
      return exchange.send(pageAnswer(200, requestListPage(venueId, list, sales)))
    }
    const found = await findKept(requests, path, venueId)
    if (found === undefined) return exchange.refuse(httpFault(404, 'There is nothing at this path.'))
    exchange.send(pageAnswer(200, requestPage(venueId, found, { body: found.body, loyaltyId: '', time: '' }, null)))
  }

  async function takeForm(exchange: Exchange, path: string, venueId: string | null): Promise<void> {
    const { request } = exchange
    const bytesMax = venueId === null ? signInBytesMax : formBytesMax
    const early = checkDeclaredLength(request, bytesMax)
    if (early !== null) return exchange.refuse(early)
    if (!isSameOrigin(request)) return exchange.refuse(httpFault(400, 'Only the page itself may send this.'))
    // Its body comes after its turn: while it waits it takes no room of a POS.
    const isTurn = await (venueId === null ? signInTurn() : ownTurn())
    if (!isTurn) return exchange.refuse(tooManyWait)
    if (request.socket.destroyed) return
    if (exchange.awaitsContinue) exchange.sayContinue()
    const read = await readBody(exchange, admission, bytesMax)
    if (read.kind === 'gone') return
    if (read.kind === 'refused') return exchange.refuse(read.refused)
    const form = new URLSearchParams(Buffer.from(read.body).toString())
    if (path === '/partner/sign-in') return signIn(parts, exchange, form.get('key') ?? '')
    if (path === '/partner/sign-out') return redirect(exchange, '')
    if (venueId === null) return exchange.send(pageAnswer(401, signInPage(null)))
    await tryAgain(parts, exchange, { path, venueId, form })
  }

  return {
    show,
    /** Keeps a call and its answer, for which no POS waits. */
    keep(exchange: Exchange, sent: SentBody, { status, outcome, body }: Answer): void {
      const { bytes, isCut, isSigned } = sent
      const venueId = sent.venueId ?? originAt(bytes).venueId
      if (venueId === null) return
      const answer = Buffer.from(body)
      requests.keep(venueId, {
        ...{ id: randomUUID(), atMs: nowMs(), isSigned, requestId: exchange.requestId, status, outcome },
        endpoint: exchange.endpoint as KeptRequest['endpoint'],
        durationMs: (exchange.answeredAtMs ?? exchange.arrivedAtMs) - exchange.arrivedAtMs,
        body: bytes.toString(),
        answer: answer.subarray(0, textBytesMax).toString(),
        isCut: isCut || answer.length > textBytesMax,
      })
    },
  }
}

const tooManyWait: Refused = { code: 'rate_limited', message: 'Too many use this page.', retryAfterS: 2, close: true }

async function findKept(requests: KeptRequests, path: string, venueId: string): Promise<KeptRequest | undefined> {
  const list = await requests.list(venueId)
  return list.find(({ id }) => path === `/partner/${id}`)
}

function signIn({ rootKey, log, nowMs }: PageParts, exchange: Exchange, key: string): void {
  const venueId = venueOfKey(rootKey, key.trim())
  log.info({ outcome: venueId === null ? 'refused' : 'done', ...(venueId && { venue: venueId }) }, 'partner sign-in')
  if (venueId === null) exchange.send(pageAnswer(401, signInPage('This is not the key of a venue.')))
  else redirect(exchange, beginSession(rootKey, venueId, nowMs()))
}

/** @param session  empty: it ends */
function redirect(exchange: Exchange, session: string): void {
  const cookie = sessionHeader(exchange.request, 'loyalty_partner', session, partnerSessionS)
  exchange.send({ ...pageAnswer(303, ''), headers: { Location: '/partner', 'Set-Cookie': cookie } })
}

async function tryAgain(
  parts: PageParts,
  exchange: Exchange,
  { path, venueId, form }: { readonly path: string; readonly venueId: string; readonly form: URLSearchParams },
): Promise<void> {
  const found = await findKept(parts.requests, path, venueId)
  if (found === undefined) return exchange.refuse(httpFault(404, 'There is nothing at this path.'))
  const field = (name: string) => (form.get(name) ?? '').trim()
  const sent = { body: field('body'), loyaltyId: field('loyaltyId'), time: field('time') }
  const body = changedBody(found.endpoint, sent)
  const tried = await triedOf(parts.tryAgain, { endpoint: found.endpoint, body, venueId }, exchange.requestId)
  exchange.send(pageAnswer(200, requestPage(venueId, found, { ...sent, body }, tried)))
}

/** A body that is no JSON object stays as it is: the answer names its fault. */
function changedBody(endpoint: Trial['endpoint'], { body, loyaltyId, time }: TrialForm): string {
  if (loyaltyId === '' && time === '') return body
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return body
    const changes = {
      ...(loyaltyId === '' ? {} : { loyaltyId }),
      ...(time === '' ? {} : { [endpoint === 'basket' ? 'requestedAt' : 'occurredAt']: time }),
    }
    return JSON.stringify({ ...value, ...changes }, null, 2)
  } catch {
    return body
  }
}

async function triedOf(tryAgain: TryAgain, trial: Trial, requestId: string): Promise<Tried> {
  const reply = await tryAgain(trial)
  if (reply.kind === 'answered') return { status: 200, answer: Buffer.from(reply.body).toString() }
  const refused = refusedFrom(reply)
  return { status: statusOf(refused), answer: errorBody(refused, requestId) }
}

function pageAnswer(status: number, html: string): Answer {
  return {
    ...{ status, contentType: 'text/html; charset=utf-8', body: html, code: '' },
    headers: pageHeaders(html, { forms: "'self'" }),
    outcome: status < 400 ? 'served' : 'refused',
  }
}
