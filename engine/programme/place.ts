import type { Selector } from '../core/base/programme.js'

export interface Fault {
  /** Such as `benefits[3].reward.percentage`; `document` for the whole document. */
  readonly path: string
  readonly expected: string
  /** The value found, at most 64 characters; `nothing` where it is missing. */
  readonly received: string
}

export const faultsListedMax = 100

const receivedMax = 64

/** A number that no double holds exactly. It is of no field's type, so every reader reports it as a fault. */
export class InexactNumber {
  constructor(readonly text: string) {}
}

export class Faults {
  readonly listed: Fault[] = []
  count = 0
  private readonly paths = new Set<string>()

  add(fault: Fault): void {
    if (this.paths.has(fault.path)) return
    this.paths.add(fault.path)
    this.count += 1
    if (this.listed.length < faultsListedMax) this.listed.push(fault)
  }
}

/** A value that is being read, with its path. Readers report faults and return a substitute, so that one pass finds every fault. */
export class Place {
  private constructor(
    readonly value: unknown,
    private readonly faults: Faults | null,
    private readonly parent: Place | null,
    private readonly step: string | number,
    /** Collections of the document that were read before, by collectionId. */
    readonly collections: Map<string, Selector>,
  ) {}

  static root(value: unknown, faults: Faults): Place {
    return new Place(value, faults, null, 'document', new Map())
  }

  /** null counts as missing, as in a basket (wire decisions 9). */
  get absent(): boolean {
    return this.value === undefined || this.value === null
  }

  get path(): string {
    if (this.parent === null) return String(this.step)
    return pathBelow(this.parent.parent === null ? '' : this.parent.path, this.step)
  }

  below(step: string | number, value: unknown): Place {
    return new Place(value, this.faults, this, step, this.collections)
  }

  silenced(): Place {
    return new Place(this.value, null, this.parent, this.step, this.collections)
  }

  fault(expected: string): void {
    this.faults?.add({ path: this.path, expected, received: received(this.value) })
  }
}

function pathBelow(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`
  if (!/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(step)) return `${path}[${cut(JSON.stringify(step))}]`
  return path === '' ? step : `${path}.${cut(step)}`
}

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
