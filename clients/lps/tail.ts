import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { timestampMs } from '@bufbuild/protobuf/wkt'
import { type Client, createClient } from '@connectrpc/connect'
import {
  type AnsweredRequest,
  AnsweredRequestSchema,
  RequestService,
} from '../../gateway/gen/loyalty/v1/request_service_pb.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, isLost, orExplained } from './internal.js'

/** Pause before a call that was cut off is made again, in milliseconds. */
const resumeMs = 1_000

export const tail: Command = {
  name: 'tail',
  summary: 'requests of POSs, as they are answered',
  help: `lps tail

Prints every request to the REST address as its answer leaves: time, endpoint, status, outcome, milliseconds, venue and
POS, calculation, and what was wrong. From now on: nothing is kept. Of several processes that share the ports, those of
the one that answers this call.

  lps tail --failed

  --venue ID          only this venue
  --pos ID            only this cashRegisterId
  --failed            only what was not answered with 200
  --count N           end after so many requests
  --json              one request a line, as JSON
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const { count = '0', venue = '', pos = '', failed = false } = values
    if (!/^\d{1,9}$/.test(count)) throw new WrongUse(`--count: expected a whole number, received ${count}`)
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(RequestService, transport)
    const filter = { venueId: venue, cashRegisterId: pos, failedOnly: failed }
    const print = (request: AnsweredRequest) => screen.print(values.json ? jsonOf(request) : textOf(request))
    return await orExplained(url, screen, async () => {
      await watch(client, { filter, most: Number(count) || Number.POSITIVE_INFINITY, print, screen })
      return 0
    })
  },
}

interface Watching {
  readonly filter: { readonly venueId: string; readonly cashRegisterId: string; readonly failedOnly: boolean }
  /** Requests at most. */
  readonly most: number
  readonly print: (request: AnsweredRequest) => void
  readonly screen: Screen
}

/** Prints requests, and begins again when the connection was lost: what came between is not shown. */
async function watch(client: Client<typeof RequestService>, { filter, most, print, screen }: Watching): Promise<void> {
  let [seen, hasBegun] = [0, false]
  for (;;) {
    // Leaving the loop does not end the call.
    const leaving = new AbortController()
    try {
      // A deadline would look like a lost connection.
      for await (const { request } of client.watchRequests(filter, { timeoutMs: 0, signal: leaving.signal })) {
        if (!hasBegun) screen.tell('watching')
        hasBegun = true
        if (request === undefined) continue
        print(request)
        seen += 1
        if (seen >= most) return
      }
    } catch (error) {
      if (!hasBegun || !isLost(error)) throw error
    } finally {
      leaving.abort()
    }
    screen.tell('the connection was lost; watching on')
    await sleep(resumeMs)
  }
}

function jsonOf(request: AnsweredRequest): string {
  return JSON.stringify(toJson(AnsweredRequestSchema, request))
}

const widths = { endpoint: 6, outcome: 16, milliseconds: 8 }

function textOf(request: AnsweredRequest): string {
  const { at, endpoint, status, outcome, code, field, cause, durationMs, venueId, cashRegisterId } = request
  const time = at === undefined ? '' : new Date(timestampMs(at)).toISOString().slice(11, 23)
  const fault = [code, field, cause].filter((word) => word !== '').join(' ')
  return [
    time,
    endpoint.padEnd(widths.endpoint),
    status === 0 ? '---' : String(status),
    outcome.padEnd(widths.outcome),
    `${durationMs.toFixed(1).padStart(widths.milliseconds)} ms`,
    `${venueId || '-'}/${cashRegisterId || '-'}`,
    request.calculationId || '-',
    fault,
  ]
    .join('  ')
    .trimEnd()
}

const options = {
  ...internalOptions,
  venue: { type: 'string' },
  pos: { type: 'string' },
  failed: { type: 'boolean' },
  count: { type: 'string' },
  json: { type: 'boolean' },
} as const
