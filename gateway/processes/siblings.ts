import type { ProcessName } from '../config/config.js'
import type { RequestLine, RequestMessage } from '../telemetry/request-feed.js'
import type { Announcement, FromProcess, ProcessCount, ToProcess } from './messages.js'
import { mergeMetrics } from './metrics-rounds.js'

/** The other processes of this start, as its supervisor reports them. */
export interface Siblings {
  /** This process's own: 1 and up. A process that takes the place of one that died has its number. */
  readonly number: number
  readonly name: ProcessName
  readonly processCount: ProcessCount
  readonly requestLine: RequestLine
  /** The metrics of all processes, each under its label `process`; of this one alone where the supervisor does not answer. */
  metricsOfAll(): Promise<string>
  /** Sets where this process's own metrics come from, whenever the supervisor asks. */
  provideMetrics(own: () => Promise<string>): void
  up(announcement: Announcement): void
}

export interface SupervisorLine {
  send(message: FromProcess): void
  onMessage(receive: (message: ToProcess) => void): void
}

/** How long the metrics of the others are waited for, in milliseconds: a scrape gives up after some seconds. */
const metricsMs = 2_000

/** @param stop  called when the supervisor says so */
export function createSiblings(options: {
  readonly number: number
  readonly name: ProcessName
  readonly line: SupervisorLine
  readonly stop: () => void
}): Siblings {
  const { number, name, line, stop } = options
  const waiting = new Map<number, (text: string) => void>()
  let processCount: ProcessCount = { up: 0, of: 0, complete: false }
  let own = async () => ''
  let tickets = 0
  let receiveRequest: (message: RequestMessage) => void = () => {}
  line.onMessage((message) => {
    if (message.kind === 'process_count') processCount = message.processCount
    if (message.kind === 'metrics_asked') void give(message.round)
    if (message.kind === 'metrics_gathered') waiting.get(message.ticket)?.(message.text)
    if (message.kind === 'requests_watched' || message.kind === 'request_answered') receiveRequest(message)
    if (message.kind === 'stop') stop()
  })

  async function give(round: number): Promise<void> {
    line.send({ kind: 'metrics_given', round, text: await own() })
  }

  async function gather(): Promise<string> {
    tickets += 1
    const ticket = tickets
    const gathered = await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), metricsMs)
      waiting.set(ticket, (text) => {
        clearTimeout(timer)
        resolve(text)
      })
      line.send({ kind: 'metrics_wanted', ticket })
    })
    waiting.delete(ticket)
    return gathered ?? mergeMetrics([await own()])
  }

  return {
    ...{ number, name },
    requestLine: {
      send: (message) => line.send(message),
      onMessage(receive) {
        receiveRequest = receive
      },
    },
    get processCount() {
      return processCount
    },
    provideMetrics(provide) {
      own = provide
    },
    up: (announcement) => line.send({ kind: 'up', announcement }),
    metricsOfAll: gather,
  }
}
