import { setTimeout as sleep } from 'node:timers/promises'
import { toJson } from '@bufbuild/protobuf'
import { createClient } from '@connectrpc/connect'
import type { Command } from 'commander'
import {
  type AnsweredRequest,
  AnsweredRequestSchema,
  RequestService,
} from '../../gateway/gen/loyalty/v1/request_service_pb.js'
import { type InternalOptions, isLost, onInternal, withInternal } from './internal.js'
import { exits, print, printError } from './screen.js'
import { countFrom, momentText } from './words.js'

const resumeMs = 1_000

interface TailOptions extends InternalOptions {
  readonly venue?: string
  readonly pos?: string
  readonly failed?: boolean
  readonly count?: number
  readonly json?: boolean
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
  withInternal(command)
    .option('--count <n>', 'end after this many requests', countFrom)
    .option('--json', 'one request a line, as JSON')
    .action(exits((options: TailOptions) => tail(options)))
}

async function tail({ venue = '', pos = '', failed = false, count, json, ...place }: TailOptions): Promise<number> {
  const filter = { venueId: venue, cashRegisterId: pos, failedOnly: failed }
  return await onInternal(place, async (transport) => {
    const client = createClient(RequestService, transport)
    let hasBegun = false
    for (let left = count || Number.POSITIVE_INFINITY; ; ) {
      // Leaving the loop does not end the call.
      const leaving = new AbortController()
      try {
        // A deadline would look like a lost connection.
        for await (const { request } of client.watchRequests(filter, { timeoutMs: 0, signal: leaving.signal })) {
          if (!hasBegun) printError('watching')
          hasBegun = true
          if (request === undefined) continue
          print(json ? JSON.stringify(toJson(AnsweredRequestSchema, request)) : requestText(request))
          left -= 1
          if (left === 0) return 0
        }
      } catch (error) {
        if (!hasBegun || !isLost(error)) throw error
      } finally {
        leaving.abort()
      }
      printError('the connection was lost; watching on')
      await sleep(resumeMs)
    }
  })
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
