import { type Profiler, Session } from 'node:inspector'

/** Samples of V8's CPU profiler on one thread. */
export interface ThreadProfile {
  /** `main`, or `thread 1` and so on in the order of their start. */
  readonly name: string
  /** The kernel's id of the thread; 0: unknown. */
  readonly threadId: number
  readonly profile: Profiler.Profile
}

type Post = <T>(method: string, params?: object) => Promise<T>

interface ProfiledThread {
  readonly name: string
  readonly post: Post
}

export interface RunningProfiles {
  stop(): Promise<ThreadProfile[]>
}

/** Evaluated in each thread: the link's target ends with the kernel's id of the thread that reads it. */
const threadIdExpression = "process.getBuiltinModule('fs').readlinkSync('/proc/thread-self')"

/**
 * Starts the CPU profiler of V8 in every thread of this process, the main thread included. Threads that start later are
 * not profiled.
 *
 * @param intervalMicros  between two samples of a thread
 */
export async function startProfiles(intervalMicros: number): Promise<RunningProfiles> {
  const session = new Session()
  session.connect()
  const threads: ProfiledThread[] = [{ name: 'main', post: posting(session) }]
  for (const sessionId of await attachWorkers(session)) {
    threads.push({ name: `thread ${threads.length}`, post: postingToWorker(session, sessionId) })
  }
  for (const { post } of threads) {
    await post('Profiler.enable')
    await post('Profiler.setSamplingInterval', { interval: intervalMicros })
  }
  await Promise.all(threads.map(({ post }) => post('Profiler.start')))
  return {
    async stop() {
      const profiles = await Promise.all(threads.map(stopped))
      session.disconnect()
      return profiles
    },
  }
}

async function stopped({ name, post }: ProfiledThread): Promise<ThreadProfile> {
  const { profile } = await post<Profiler.StopReturnType>('Profiler.stop')
  const { result } = await post<{ result: { value?: string } }>('Runtime.evaluate', { expression: threadIdExpression })
  await post('Profiler.disable')
  return { name, threadId: Number(result.value?.split('/').at(-1) ?? 0), profile }
}

function posting(session: Session): Post {
  return (method, params) =>
    new Promise((resolve, reject) => {
      session.post(method, params, (error, answer) => (error === null ? resolve(answer as never) : reject(error)))
    })
}

/** Sessions of the worker threads that run now. */
async function attachWorkers(session: Session): Promise<string[]> {
  const sessionIds: string[] = []
  session.on('NodeWorker.attachedToWorker', ({ params }) => sessionIds.push(params.sessionId))
  await posting(session)('NodeWorker.enable', { waitForDebuggerOnStart: false })
  return sessionIds
}

/** A worker's answers arrive as messages in the main thread's session. */
function postingToWorker(session: Session, sessionId: string): Post {
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    if (params.sessionId !== sessionId) return
    const { id, result, error } = JSON.parse(params.message)
    if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(error.message))
    waiting.delete(id)
  })
  let last = 0
  return (method, params) =>
    new Promise((resolve, reject) => {
      last += 1
      waiting.set(last, { resolve: resolve as (answer: unknown) => void, reject })
      const message = JSON.stringify({ id: last, method, params })
      void posting(session)('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(reject)
    })
}
