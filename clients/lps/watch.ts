import { setTimeout as sleep } from 'node:timers/promises'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import { EventSchema, EventService } from '../../gateway/gen/loyalty/v1/event_service_pb.js'
import {
  type AnsweredRequest,
  AnsweredRequestSchema,
  RequestService,
} from '../../gateway/gen/loyalty/v1/request_service_pb.js'
import { type InternalOptions, isLost, onInternal, withInternal } from './internal.js'
import { exits, print, printError, WrongUse } from './screen.js'
import { countFrom, momentText, several } from './words.js'

const resumeMs = 1_000

interface WatchOptions extends InternalOptions {
  readonly count?: number
  readonly json?: boolean
}

function withWatch(command: Command, what: string): Command {
  return withInternal(command)
    .option('--count <n>', `end after this many ${what}s`, countFrom)
    .option('--json', `one ${what} a line, as JSON`)
}

interface TailOptions extends WatchOptions {
  readonly venue?: string
  readonly pos?: string
  readonly failed?: boolean
}

export function addTail(program: Command): void {
  const command = program
    .command('tail')
    .summary('requests of POSs, as they are answered')
    .description(`Prints every request to the REST address as its answer leaves: time, endpoint, status, outcome, milliseconds, venue and
POS, calculation, and what was wrong. From now on: nothing is kept. Of all
processes of the gateway that answers this call.

  lps tail --failed`)
    .option('--venue <id>', 'only this venue')
    .option('--pos <id>', 'only this cashRegisterId')
    .option('--failed', 'only what was not answered with 200')
  withWatch(command, 'request').action(
    exits(async ({ venue = '', pos = '', failed = false, count, json, ...place }: TailOptions) => {
      const filter = { venueId: venue, cashRegisterId: pos, failedOnly: failed }
      return await onInternal(place, async (transport) => {
        const client = createClient(RequestService, transport)
        let hasBegun = false
        return await watch(count, {
          canResume: () => hasBegun,
          open: (options) => client.watchRequests(filter, options),
          show({ request }) {
            if (!hasBegun) printError('watching')
            hasBegun = true
            if (request === undefined) return false
            print(json ? JSON.stringify(toJson(AnsweredRequestSchema, request)) : requestText(request))
            return true
          },
        })
      })
    }),
  )
}

interface EventsOptions extends WatchOptions {
  readonly cursor?: string
  readonly fromBeginning?: boolean
  readonly type?: string[]
}

export function addEvents(program: Command): void {
  const command = program
    .command('events')
    .summary('what happens to value and budgets, as it happens')
    .description(`Prints every event as it becomes durable, until it is interrupted, and resumes where it was after the connection was lost.

  lps events --type value.earned --type value.spent`)
    .option('--cursor <text>', 'resume behind this cursor, which --json shows with each event. Default: from now on')
    .option('--from-beginning', 'from the oldest event that is kept')
    .option('--type <type>', 'only this type; may be repeated. Default: every one', several)
  withWatch(command, 'event').action(
    exits(async ({ cursor = '', fromBeginning = false, type = [], count, json, ...place }: EventsOptions) => {
      if (fromBeginning && cursor !== '') throw new WrongUse('expected either --cursor or --from-beginning')
      return await onInternal(place, async (transport) => {
        const client = createClient(EventService, transport)
        let from = cursor
        return await watch(count, {
          canResume: () => from !== '',
          open: (options) =>
            client.watchEvents({ cursor: from, types: type, fromBeginning: fromBeginning && from === '' }, options),
          show(message) {
            from = message.cursor
            const { event } = message
            if (event === undefined) return false
            if (json) print(JSON.stringify({ ...(toJson(EventSchema, event) as object), cursor: from }))
            else print([momentText(event.at), event.type, event.memberId || '-', event.bodyJson].join('  '))
            return true
          },
        })
      })
    }),
  )
}

interface Watched<Message> {
  readonly open: (options: { readonly timeoutMs: number; readonly signal: AbortSignal }) => AsyncIterable<Message>
  readonly show: (message: Message) => boolean
  readonly canResume: () => boolean
}

async function watch<Message>(count: number | undefined, { open, show, canResume }: Watched<Message>): Promise<number> {
  for (let left = count || Number.POSITIVE_INFINITY; ; ) {
    // Leaving the loop does not end the call.
    const leaving = new AbortController()
    try {
      // A deadline would look like a lost connection.
      for await (const message of open({ timeoutMs: 0, signal: leaving.signal })) {
        if (show(message)) left -= 1
        if (left === 0) return 0
      }
    } catch (error) {
      if (!canResume() || !isLost(error)) throw error
    } finally {
      leaving.abort()
    }
    printError('the connection was lost; watching on')
    await sleep(resumeMs)
  }
}

const widths = { endpoint: 6, outcome: 16, milliseconds: 8 }

function requestText(request: AnsweredRequest): string {
  const { at, endpoint, status, outcome, code, field, cause, durationMs, venueId, cashRegisterId } = request
  return [
    momentText(at).slice(11, 23),
    endpoint.padEnd(widths.endpoint),
    status === 0 ? '---' : String(status),
    outcome.padEnd(widths.outcome),
    `${durationMs.toFixed(1).padStart(widths.milliseconds)} ms`,
    `${venueId || '-'}/${cashRegisterId || '-'}`,
    request.calculationId || '-',
    [code, field, cause].filter((word) => word !== '').join(' '),
  ]
    .join('  ')
    .trimEnd()
}
