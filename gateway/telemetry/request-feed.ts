/** An answered request, as logged. */
export interface AnsweredRequest {
  /** Wall clock, milliseconds since the epoch. */
  readonly atMs: number
  readonly endpoint: string
  readonly status: number
  readonly outcome: string
  readonly code: string
  readonly durationMs: number
  readonly bytesIn: number
  readonly requestId: string
  readonly calculationId: string | null
  readonly cause: string | null
  readonly field?: string
  readonly venue?: string
  readonly register?: string
}

export interface RequestWatcher {
  /** Requests were lost because too many waited: no more will come. */
  readonly isOverrun: boolean
  /** Requests since the last call, oldest first. */
  take(): readonly AnsweredRequest[]
  /** Resolves when there is a request, after `ms`, or when the signal ends. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

/** Between the feeds of processes, in both directions. */
export type RequestMessage =
  /** The sender has watchers, or no longer. */
  | { readonly kind: 'requests_watched'; readonly watched: boolean }
  | { readonly kind: 'request_answered'; readonly request: AnsweredRequest }

/** The connection to the feeds of other processes. */
export interface RequestLine {
  send(message: RequestMessage): void
  onMessage(receive: (message: RequestMessage) => void): void
}

/** Requests as they are answered, by any process on the line. */
export interface RequestFeed {
  /** By this process or another one. */
  readonly isWatched: boolean
  publish(request: AnsweredRequest): void
  watch(): RequestWatcher | null
}

export const requestWatchersMax = 16
/** Requests that wait for one watcher; about 300 KB. */
export const requestsWaitingMax = 1_000

export function createRequestFeed(line: RequestLine | null = null): RequestFeed {
  const watchers = new Set<Watcher>()
  let isWatchedElsewhere = false
  line?.onMessage((message) => {
    if (message.kind === 'requests_watched') isWatchedElsewhere = message.watched
    else add(message.request)
  })

  function add(request: AnsweredRequest): void {
    for (const watcher of watchers) watcher.add(request)
  }

  function leave(watcher: Watcher): void {
    if (watchers.delete(watcher) && watchers.size === 0) line?.send({ kind: 'requests_watched', watched: false })
  }

  return {
    get isWatched() {
      return watchers.size > 0 || isWatchedElsewhere
    },
    publish(request) {
      add(request)
      if (isWatchedElsewhere) line?.send({ kind: 'request_answered', request })
    },
    watch() {
      if (watchers.size >= requestWatchersMax) return null
      const watcher = new Watcher(() => leave(watcher))
      if (watchers.size === 0) line?.send({ kind: 'requests_watched', watched: true })
      watchers.add(watcher)
      return watcher
    },
  }
}

class Watcher implements RequestWatcher {
  isOverrun = false
  #waiting: AnsweredRequest[] = []
  #wake: () => void = () => {}

  constructor(private readonly leave: () => void) {}

  add(request: AnsweredRequest): void {
    if (this.#waiting.length < requestsWaitingMax) this.#waiting.push(request)
    else {
      this.isOverrun = true
      this.close()
    }
    this.#wake()
  }

  take(): readonly AnsweredRequest[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    if (this.#waiting.length > 0 || this.isOverrun || signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        this.#wake = () => {}
        resolve()
      }
      const timer = setTimeout(done, ms)
      signal.addEventListener('abort', done)
      this.#wake = done
    })
  }

  close(): void {
    this.#waiting = []
    this.leave()
  }
}
