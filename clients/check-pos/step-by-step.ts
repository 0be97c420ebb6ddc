import { setTimeout as sleep } from 'node:timers/promises'
import { type Calculation, createRun, type Run, type Seen } from './run.js'
import type { Step } from './steps.js'

export interface StepsOptions {
  readonly steps: readonly Step[]
  readonly waitMs: number
  readonly quietMs: number
  readonly awayMs: number
  readonly onStep: (step: Step, at: number) => void
  readonly onEnd: (run: Run) => void
}

export interface Listening {
  stop(): Promise<void>
  listen(): Promise<void>
}

export interface Next {
  readonly do: 'pay' | 'abandon' | 'change' | 'return' | 'wait' | 'end'
  readonly step?: string
  readonly title?: string
}

export interface Place {
  readonly run: Run | null
  readonly calculation: Calculation
}

/** Assigns requests to steps by calculationId. A step ends some time after its event was answered, with the next basket, or by silence. */
export class Steps {
  readonly ended: Promise<readonly Run[]>
  private readonly runs: Run[] = []
  private readonly places = new Map<string, Place>()
  private resolveEnded: (runs: readonly Run[]) => void = () => {}
  private current: Run | null = null
  private isSettled = false
  private isOver = false
  private away = Promise.resolve()
  private readonly stopped = new AbortController()
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly options: StepsOptions,
    private readonly listening: Listening,
  ) {
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve
    })
  }

  begin(): void {
    const { steps, waitMs, awayMs, onStep } = this.options
    const step = steps[this.runs.length]
    this.current = null
    if (step === undefined) {
      this.finish(this.runs)
      return
    }
    const run = createRun(step)
    this.current = run
    this.isSettled = false
    this.runs.push(run)
    this.wait(waitMs + awayMs)
    onStep(step, this.runs.length)
    if (step.doing === 'away') this.away = this.goAway()
  }

  next(): Next {
    if (this.isOver) return { do: 'end' }
    if (this.current === null) return { do: 'wait' }
    const { step, calculations } = this.current
    const { name, title, doing } = step
    return doing === 'away' || calculations.length > 0 ? { do: 'wait' } : { do: doing, step: name, title }
  }

  basketCame(id: string, seen: Seen): Place {
    const known = this.places.get(id)
    if (known === undefined && this.isSettled) this.end()
    const place = known ?? this.placeOf(id, true)
    place.calculation.baskets.push(seen)
    return place
  }

  saleCame(id: string, seen: Seen): Place {
    const place = this.places.get(id) ?? this.placeOf(id, this.current?.step.doing === 'away')
    place.calculation.sales.push(seen)
    return place
  }

  returnCame(id: string, seen: Seen): Place {
    const transactionId = seen.value?.['transactionId'] ?? null
    const isOfIt = ({ calculation: { sales } }: Place) =>
      transactionId !== null && sales.some(({ value }) => value?.['transactionId'] === transactionId)
    const sold = [...this.places.values()].findLast(isOfIt)
    const place = this.places.get(id) ?? sold ?? this.placeOf(id, true)
    place.calculation.returns.push(seen)
    return place
  }

  /** A return was answered: the step is settled if no further attempt is due. */
  returnAnswered({ run, calculation }: Place): void {
    if (run === null || run !== this.current || calculation.returns.length < run.step.returnAnswers.length) return
    this.isSettled = true
    this.wait(this.options.quietMs)
  }

  saleAnswered(id: string): void {
    const place = this.places.get(id)
    if (place === undefined || place.run === null || place.run !== this.current) return
    const { step, calculations } = place.run
    const isLast = place.calculation === calculations.at(-1)
    const isChanged = step.doing !== 'change' || calculations.length > 1
    if (!isLast || !isChanged || step.returnAnswers.length > 0 || place.calculation.sales.length < step.expect.attempts)
      return
    this.isSettled = true
    this.wait(this.options.quietMs)
  }

  stop(): void {
    const isPart = this.current !== null && !this.isSettled
    this.current = null
    this.finish(isPart ? this.runs.slice(0, -1) : this.runs)
  }

  async close(): Promise<void> {
    clearTimeout(this.timer)
    this.stopped.abort()
    await this.away
    await this.listening.stop()
  }

  private async goAway(): Promise<void> {
    await this.listening.stop()
    await sleep(this.options.awayMs, undefined, { signal: this.stopped.signal }).catch(() => {})
    await this.listening.listen()
  }

  /** Listens from here on, so that `end` is answered. */
  private finish(runs: readonly Run[]): void {
    clearTimeout(this.timer)
    this.isOver = true
    this.stopped.abort()
    this.resolveEnded(runs)
  }

  private wait(ms: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.end(), ms)
  }

  private end(): void {
    const run = this.current
    clearTimeout(this.timer)
    if (run === null) return
    run.endedMs = performance.now()
    this.options.onEnd(run)
    this.begin()
  }

  private placeOf(id: string, counts: boolean): Place {
    const run = counts ? this.current : null
    const calculation: Calculation = { id, baskets: [], sales: [], returns: [], sent: null, returned: null }
    run?.calculations.push(calculation)
    const place = { run, calculation }
    this.places.set(id, place)
    return place
  }
}
