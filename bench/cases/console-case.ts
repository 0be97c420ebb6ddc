import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type Transport } from '@connectrpc/connect'
import { createGrpcTransport } from '@connectrpc/connect-node'
import { CalculationService } from '../../gateway/gen/loyalty/v1/calculation_service_pb.js'
import { ProgrammeService } from '../../gateway/gen/loyalty/v1/programme_service_pb.js'
import { ReportService } from '../../gateway/gen/loyalty/v1/report_service_pb.js'
import { SystemService } from '../../gateway/gen/loyalty/v1/system_service_pb.js'
import type { Bench } from '../run/bench.js'
import type { Result } from '../run/result.js'
import type { StartedServer } from '../run/start-server.js'
import { type BenchCase, figure, middleOf, resultOf, target } from './bench-case.js'
import { loadTurn, loadTurns, turnsNote } from './take-turns.js'

const consoles = 20
/** Largest p99 of a basket while consoles are open, as a ratio. */
const ratioMax = 1.05
/** Intervals of the console's first screen: the newest calculations with the health of gateways and stores, and the last day. */
const healthEveryMs = 10_000
const dayEveryMs = 30_000
const recentShown = 8
/** Time until all are open, in milliseconds: people open them at different moments. */
const openedMs = 10_000

/** Baskets while people have the console's first screen open, against the same with no console open. */
export const consoleCase: BenchCase = { name: 'console/open', run: openCase }

async function* openCase(bench: Bench): AsyncGenerator<Result> {
  const server = await bench.service()
  const updates: number[] = []
  const turn = (name: string) => loadTurn(bench, server, { name: `console/${name}`, seconds: bench.settings.seconds })
  await turn('warm')
  const { p50, p99, last } = await loadTurns(
    (at) => turn(`closed/${at}`),
    async (at) => {
      const opened = openConsoles(server)
      await sleep(openedMs)
      const taken = await turn(`open/${at}`)
      updates.push(await opened.close())
      return taken
    },
  )
  yield resultOf('console/open', last.stream, {
    report: last.report,
    note: `${consoles} consoles show Today, against none; ${turnsNote}`,
    figures: [
      figure('p50 against none open', p50, 'x'),
      figure('p99 against none open', p99, 'x'),
      figure('updates a turn', middleOf(updates), ''),
    ],
    targets: [target(`p99 at most ${ratioMax} of that with none open`, p99 <= ratioMax)],
  })
}

/** Each has a connection of its own, as browsers have. `close` resolves to the number of updates. */
function openConsoles({ internal, token }: StartedServer): { close: () => Promise<number> } {
  const gone = new AbortController()
  setMaxListeners(0, gone.signal)
  const open = Array.from({ length: consoles }, async (_, at) => {
    await sleep((at * openedMs) / consoles)
    const transport = createGrpcTransport({
      baseUrl: `http://${internal}`,
      interceptors: [
        (next) => (request) => {
          request.header.set('authorization', `Bearer ${token}`)
          return next(request)
        },
      ],
    })
    return Promise.all([watch(transport, gone.signal), ...askAgain(transport, gone.signal)])
  })
  return {
    async close() {
      gone.abort()
      const ended = await Promise.all(open)
      return ended.reduce((sum, [updates]) => sum + updates, 0)
    },
  }
}

async function watch(transport: Transport, signal: AbortSignal): Promise<number> {
  let updates = 0
  try {
    for await (const _ of createClient(ReportService, transport).watchToday({}, { signal })) updates += 1
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return updates
}

/** The repeated calls of the screen. */
function askAgain(transport: Transport, signal: AbortSignal): readonly Promise<void>[] {
  const calculations = createClient(CalculationService, transport)
  const system = createClient(SystemService, transport)
  const reports = createClient(ReportService, transport)
  const programmes = createClient(ProgrammeService, transport)
  const every = async (everyMs: number, ask: () => Promise<unknown>) => {
    try {
      for (;;) {
        await ask()
        await sleep(everyMs, undefined, { signal })
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
  return [
    every(healthEveryMs, () => calculations.listCalculations({ pageSize: recentShown }, { signal })),
    every(healthEveryMs, () => system.listGateways({}, { signal })),
    every(healthEveryMs, () => system.getStores({}, { signal })),
    every(dayEveryMs, () => programmes.getProgramme({ version: 0, withoutDocument: true }, { signal })),
    every(dayEveryMs, () => reports.reportTraffic({ stepMinutes: 10 }, { signal })),
  ]
}
