/** What is wrong at one place of a programme document: its path, what must stand there, and what does. */
export interface Fault {
  /** Such as `benefits[3].reward.percentage`; `document` is the whole of it. */
  readonly path: string
  readonly expected: string
  /** What stands there, at most 64 characters of it; `nothing` where it is missing. */
  readonly received: string
}

/** How many faults are listed by their path; the rest are counted. */
export const faultsListedMax = 100

/** Characters of the document that a fault repeats at most. */
const receivedMax = 64

/** A number of the document that no double holds exactly: of no field's kind, so that it is a fault wherever it stands. */
export class InexactNumber {
  constructor(readonly text: string) {}
}

/** Collects faults in the order in which they are found. */
export class Faults {
  readonly listed: Fault[] = []
  count = 0

  add(fault: Fault): void {
    this.count += 1
    if (this.listed.length < faultsListedMax) this.listed.push(fault)
  }
}

/**
 * A place in a document that is being read: the value there and the way to it. Readers report what is wrong through it and go
 * on with a stand-in, so that one reading names every fault; what they return of a faulty document is never used.
 */
export class Place {
  private constructor(
    readonly value: unknown,
    private readonly faults: Faults | null,
    private readonly parent: Place | null,
    private readonly step: string | number,
  ) {}

  static root(value: unknown, faults: Faults): Place {
    return new Place(value, faults, null, 'document')
  }

  /** Whether nothing stands here; null counts as nothing, as in a basket (wire decisions 9). */
  get absent(): boolean {
    return this.value === undefined || this.value === null
  }

  get path(): string {
    if (this.parent === null) return String(this.step)
    return pathBelow(this.parent.parent === null ? '' : this.parent.path, this.step)
  }

  /** The place one step further, holding `value`. */
  below(step: string | number, value: unknown): Place {
    return new Place(value, this.faults, this, step)
  }

  /** Places below report nothing any more: what is wrong here is said already. */
  silenced(): Place {
    return new Place(this.value, null, this.parent, this.step)
  }

  fault(expected: string): void {
    this.faults?.add({ path: this.path, expected, received: received(this.value) })
  }
}

/** The path one step below `path` ('' for the document itself). */
function pathBelow(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`
  if (!/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(step)) return `${path}[${cut(JSON.stringify(step))}]`
  return path === '' ? step : `${path}.${cut(step)}`
}

/** What stands at a place, in at most 64 characters. */
function received(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (value instanceof InexactNumber) return cut(value.text)
  if (typeof value === 'object' && value !== null) return 'an object'
  return cut(typeof value === 'string' ? JSON.stringify(cut(value)) : String(value))
}

function cut(text: string): string {
  if (text.length <= receivedMax) return text
  return Array.from(text.slice(0, 2 * receivedMax))
    .slice(0, receivedMax - 1)
    .join('')
    .concat('…')
}
