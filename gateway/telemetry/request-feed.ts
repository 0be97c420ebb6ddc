/** A request that was answered: what the log has of it. */
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

/** One who watches. */
export interface RequestWatcher {
  /** Whether requests were lost because more waited than may: nothing more comes. */
  readonly isOverrun: boolean
  /** What came since the last time, oldest first. */
  take(): readonly AnsweredRequest[]
  /** Resolves when something is there, when so many milliseconds have passed, or when the signal ends. */
  wait(ms: number, signal: AbortSignal): Promise<void>
  close(): void
}

/** Requests as they are answered, for those who watch; without a watcher it costs one comparison a request. */
export interface RequestFeed {
  readonly isWatched: boolean
  publish(request: AnsweredRequest): void
  /** null: there are as many watchers as may be. */
  watch(): RequestWatcher | null
}

export const requestWatchersMax = 16
/** Requests that wait for one watcher; about 300 KB. */
export const requestsWaitingMax = 1_000

export function createRequestFeed(): RequestFeed {
  const watchers = new Set<Watcher>()
  return {
    get isWatched() {
      return watchers.size > 0
    },
    publish(request) {
      for (const watcher of watchers) watcher.add(request)
    },
    watch() {
      if (watchers.size >= requestWatchersMax) return null
      const watcher = new Watcher(() => watchers.delete(watcher))
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
