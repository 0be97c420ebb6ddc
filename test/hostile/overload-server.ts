import { createRestListener } from '../../gateway/pos/listener.js'
import { createLog } from '../../gateway/telemetry/log.js'
import { createMetrics } from '../../gateway/telemetry/metrics.js'
import { createMemberMark } from '../../gateway/telemetry/pseudonym.js'
import { createRequestFeed } from '../../gateway/telemetry/request-feed.js'
import type { Call, Reply } from '../../gateway/use-cases/replies.js'
import { secret } from '../gateway/pos/a-listener.js'

/** Replaces threads and stores with a fixed capacity in calls a second, one after the other. */
const perSecond = Number(process.argv[2])
const deadlineMs = 450
const queue: { readonly call: Call; readonly resolve: (reply: Reply) => void }[] = []
let doneUntilMs = performance.now()

setInterval(() => {
  const nowMs = performance.now()
  if (queue.length === 0) doneUntilMs = nowMs
  for (; queue.length > 0 && doneUntilMs <= nowMs; doneUntilMs += 1_000 / perSecond) {
    const { call, resolve } = queue.shift()!
    const isLate = nowMs - call.arrivedAtMs > deadlineMs
    if (isLate) resolve({ kind: 'unavailable', cause: 'deadline', retryAfterS: 1 })
    else resolve({ kind: 'answered', body: call.body, replayed: false, outcome: 'applied' })
  }
}, 1)

const useCase = (call: Call) => new Promise<Reply>((resolve) => queue.push({ call, resolve }))
const listener = createRestListener({
  address: { host: '127.0.0.1', port: 0 },
  certificate: null,
  useCases: { calculateBasket: useCase, recordSale: useCase, recordReturn: useCase },
  rateLimiter: { take: async () => 0, isStrained: false },
  secrets: () => [Buffer.from(secret)],
  readiness: () => ({ ready: true, parts: {} }),
  bodyBytesMax: 262_144,
  linesMax: 200,
  posReturns: true,
  deadlineMs,
  log: createLog('error'),
  memberMark: createMemberMark('k', Date.now),
  metrics: createMetrics(),
  requests: createRequestFeed(),
  tracing: null,
  environment: 'staging',
  stagingVenues: null,
  partner: null,
})
const { port } = await listener.listen()
process.send!(port)
