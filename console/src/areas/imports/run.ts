import { useSyncExternalStore } from 'react'
import { newId, readError } from '../../api/transport.js'
import type { FileRow } from './read-file.js'

/** Numbers of a reply, such as new members. */
export type Counts = Readonly<Record<string, number>>

export interface Refused {
  readonly item: FileRow
  readonly why: string
}

export interface RunState {
  /** The job's; empty without one. */
  readonly key: string
  readonly phase: 'none' | 'checking' | 'checked' | 'running' | 'stopped' | 'done'
  /** Items that are behind it, in their order. */
  readonly done: number
  readonly total: number
  readonly counts: Counts
  readonly refused: readonly Refused[]
  /** The fault that stopped it; null: none. */
  readonly fault: unknown
}

export interface RunJob<Row> {
  /** The same for the same items sent in the same way. */
  readonly key: string
  readonly items: readonly FileRow[]
  /** null: `why` tells what is wrong with the item. */
  readonly read: (item: FileRow) => { readonly row: Row } | { readonly why: string }
  /** Sends rows, all or none; a refusal names them by their places, such as `members[3].tier`. */
  readonly send: (
    rows: readonly Row[],
    call: { readonly requestId: string; readonly isCheck: boolean },
  ) => Promise<Counts>
}

interface Stored {
  readonly key: string
  readonly id: string
  readonly done: number
}

const batchMax = 500
export const nothing: RunState = { key: '', phase: 'none', done: 0, total: 0, counts: {}, refused: [], fault: null }

/**
 * Sends many items in batches, and goes on where it stopped: after a fault, and in another window, because the browser keeps the place. A
 * batch has the same request id each time, so that the service takes it once. It runs on while other screens are open.
 */
export class Run {
  private readonly listeners = new Set<() => void>()
  private readonly place: string
  private state = nothing
  private isStopped = false

  /** @param name  of the kind of its items */
  constructor(name: string) {
    this.place = `import/${name}`
  }

  useState(): RunState {
    return useSyncExternalStore(
      (listener) => {
        this.listeners.add(listener)
        return () => this.listeners.delete(listener)
      },
      () => this.state,
    )
  }

  async run<Row>(job: RunJob<Row>, isCheck: boolean): Promise<void> {
    const stored = storedOf(this.place, job.key)
    const id = stored?.id ?? newId()
    this.isStopped = false
    if (isCheck || this.state.phase !== 'stopped' || this.state.key !== job.key)
      this.set({ ...nothing, key: job.key, done: stored?.done ?? 0 })
    this.set({ phase: isCheck ? 'checking' : 'running', total: job.items.length, fault: null })
    if (!isCheck) addEventListener('beforeunload', askBeforeUnload)
    try {
      while (this.state.done < job.items.length && !this.isStopped) {
        const { done } = this.state
        const batch = job.items.slice(done, done + batchMax)
        if (!isCheck) store(this.place, { key: job.key, id, done })
        await this.sendBatch(job, batch, (attempt) => ({ isCheck, requestId: requestIdOf(id, done, attempt) }))
        this.set({ done: done + batch.length })
      }
      const isWhole = this.state.done >= job.items.length
      if (!isCheck) store(this.place, isWhole ? null : { key: job.key, id, done: this.state.done })
      this.set({ phase: isCheck ? (isWhole ? 'checked' : 'none') : isWhole ? 'done' : 'stopped' })
    } catch (fault) {
      this.set({ phase: isCheck ? 'none' : 'stopped', fault })
    } finally {
      removeEventListener('beforeunload', askBeforeUnload)
    }
  }

  /** Leaves out what is refused, and sends the others. */
  private async sendBatch<Row>(
    { read, send }: RunJob<Row>,
    batch: readonly FileRow[],
    callOf: (attempt: number) => { readonly requestId: string; readonly isCheck: boolean },
  ): Promise<void> {
    let rest: { readonly item: FileRow; readonly row: Row }[] = []
    const refused: Refused[] = []
    for (const item of batch) {
      const result = read(item)
      if ('row' in result) rest.push({ item, row: result.row })
      else refused.push({ item, why: result.why })
    }
    let counts: Counts = {}
    for (let attempt = 0; rest.length > 0; attempt += 1) {
      try {
        counts = await send(
          rest.map(({ row }) => row),
          callOf(attempt),
        )
        break
      } catch (cause) {
        const why = refusedIn(cause, rest)
        if (why.size === 0) throw cause
        for (const [at, text] of why) refused.push({ item: rest[at]!.item, why: text })
        rest = rest.filter((_, at) => !why.has(at))
      }
    }
    refused.sort((one, other) => one.item.line - other.item.line)
    const names = new Set([...Object.keys(this.state.counts), ...Object.keys(counts)])
    const sums = [...names].map((each) => [each, (this.state.counts[each] ?? 0) + (counts[each] ?? 0)])
    this.set({ counts: Object.fromEntries(sums), refused: [...this.state.refused, ...refused] })
  }

  stop(): void {
    this.isStopped = true
  }

  /** Forgets the outcome; a stopped run goes on from its place later. */
  reset(): void {
    this.set(nothing)
  }

  /** Begins anew. */
  restart(): void {
    store(this.place, null)
    this.set(nothing)
  }

  /** The place at which these items go on; 0: from the beginning. */
  placeOf(key: string): number {
    return storedOf(this.place, key)?.done ?? 0
  }

  private set(next: Partial<RunState>): void {
    this.state = { ...this.state, ...next }
    for (const listener of this.listeners) listener()
  }
}

function askBeforeUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

/** Places of refused rows, and why. */
function refusedIn(cause: unknown, rows: readonly { readonly item: FileRow }[]): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const { field, description } of readError(cause).violations) {
    const [, at, part = ''] = /^\w+\[(\d+)\](?:\.(\w+))?/.exec(field) ?? []
    if (at === undefined) continue
    const name = part.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    // The service has numbered the rows of the call.
    const said = description
      .replace(/\b\w+\[(\d+)\]\S*/, (_, other) => `line ${rows[Number(other)]?.item.line}`)
      .replace('; move_cards moves it', '')
    const text = part === '' ? said : `${name}: ${said}`
    found.set(Number(at), [found.get(Number(at)), text].filter(Boolean).join('; '))
  }
  return found
}

/** A request id of a batch, and of each attempt without what was refused: their content differs. */
function requestIdOf(id: string, done: number, attempt: number): string {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0')
  return `${id.slice(0, 24)}${hex(done, 8)}${hex(attempt, 4)}`
}

function storedOf(place: string, key: string): Stored | null {
  const stored = JSON.parse(localStorage.getItem(place) ?? 'null') as Stored | null
  return stored?.key === key ? stored : null
}

function store(place: string, stored: Stored | null): void {
  if (stored === null) localStorage.removeItem(place)
  else localStorage.setItem(place, JSON.stringify(stored))
}
