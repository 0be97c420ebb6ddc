import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { toJson } from '@bufbuild/protobuf'
import { type Client, createClient } from '@connectrpc/connect'
import { type Event, EventSchema, EventService } from '../../gateway/gen/loyalty/v1/event_service_pb.js'
import { type Command, type Screen, WrongUse } from './command.js'
import { findInternal, internalHelp, internalOptions, isLost, orExplained } from './internal.js'
import { momentText } from './value-words.js'

/** Pause before a call that was cut off is made again, in milliseconds. */
const resumeMs = 1_000

export const eventsWatch: Command = {
  name: 'events watch',
  summary: 'what happens to value and budgets, as it happens',
  help: `lps events watch

Prints every event as it becomes durable, until it is interrupted, and resumes where it was after the connection was lost.

  lps events watch --type value.earned --type value.spent

  --cursor TEXT       resume behind this cursor. Default: from now on
  --from-beginning    from the oldest event that is kept
  --type TYPE         only this type; may be repeated. Default: every one
  --count N           end after so many events
  --json              one event a line, as JSON, with its cursor
${internalHelp}`,
  async run(words, screen) {
    const { values } = parseArgs({ args: [...words], options })
    const { type: types = [], cursor = '', count = '0' } = values
    if (!/^\d{1,9}$/.test(count)) throw new WrongUse(`--count: expected a whole number, received ${count}`)
    if (values['from-beginning'] && cursor !== '') throw new WrongUse('expected either --cursor or --from-beginning')
    const { url, transport } = findInternal(values, 'reader')
    const client = createClient(EventService, transport)
    const print = values.json ? printJson : printText
    const request = { cursor, types, fromBeginning: values['from-beginning'] === true }
    const most = Number(count) || Number.POSITIVE_INFINITY
    return await orExplained(url, screen, async () => {
      await watch(client, request, { most, print, screen })
      return 0
    })
  },
}

interface Request {
  readonly cursor: string
  readonly types: string[]
  readonly fromBeginning: boolean
}

interface Watching {
  /** Events at most. */
  readonly most: number
  readonly print: (screen: Screen, event: Event, cursor: string) => void
  readonly screen: Screen
}

/** Prints events, and begins again behind the last one whenever the connection was lost. */
async function watch(
  client: Client<typeof EventService>,
  { cursor, types, fromBeginning }: Request,
  { most, print, screen }: Watching,
): Promise<void> {
  let [place, seen] = [cursor, 0]
  for (;;) {
    // Leaving the loop does not end the call.
    const leaving = new AbortController()
    try {
      const request = { cursor: place, types, fromBeginning: fromBeginning && place === '' }
      // A deadline would look like a lost connection.
      for await (const message of client.watchEvents(request, { timeoutMs: 0, signal: leaving.signal })) {
        place = message.cursor
        if (message.event === undefined) continue
        print(screen, message.event, place)
        seen += 1
        if (seen >= most) return
      }
    } catch (error) {
      if (place === '' || !isLost(error)) throw error
    } finally {
      leaving.abort()
    }
    screen.tell('the connection was lost; watching on')
    await sleep(resumeMs)
  }
}

function printJson({ print }: Screen, event: Event, cursor: string): void {
  print(JSON.stringify({ ...(toJson(EventSchema, event) as object), cursor }))
}

function printText({ print }: Screen, { at, type, memberId, bodyJson }: Event): void {
  print([momentText(at), type, memberId || '-', bodyJson].join('  '))
}

const options = {
  ...internalOptions,
  cursor: { type: 'string' },
  'from-beginning': { type: 'boolean' },
  type: { type: 'string', multiple: true },
  count: { type: 'string' },
  json: { type: 'boolean' },
} as const
