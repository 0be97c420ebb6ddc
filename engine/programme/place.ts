import type { EarningRule } from '../core/base/earning.js'
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

/** Parts of the document that were read before and that others name. */
interface Known {
  readonly collections: Map<string, Selector>
  readonly currencies: Map<string, Pick<EarningRule, 'opensAfterDays' | 'expires' | 'onReturn'>>
  readonly firsts: Map<string, Place>
}

/** A value that is being read, with its path. Readers report faults and return a substitute, so that one pass finds every fault. */
export class Place {
  private constructor(
    readonly value: unknown,
    private readonly faults: Faults | null,
    private readonly parent: Place | null,
    private readonly step: string | number,
    readonly known: Known,
  ) {}

  static root(value: unknown, faults: Faults): Place {
    const known = { collections: new Map(), currencies: new Map(), firsts: new Map() }
    return new Place(value, faults, null, 'document', known)
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
    return new Place(value, this.faults, this, step, this.known)
  }

  /** The place of a field, or of an entry of a list; without a value where there is none. */
  at(step: string | number): Place {
    const { value } = this
    const has = (isObject(value) || Array.isArray(value)) && Object.hasOwn(value, step)
    return this.below(step, has ? (value as Readonly<Record<string | number, unknown>>)[step] : undefined)
  }

  /** The places of the entries; none where there is no list. */
  entries(): readonly Place[] {
    return Array.isArray(this.value) ? this.value.map((entry, at) => this.below(at, entry)) : []
  }

  silenced(): Place {
    return new Place(this.value, null, this.parent, this.step, this.known)
  }

  fault(expected: string): void {
    this.faults?.add({ path: this.path, expected, received: received(this.value) })
  }

  /** A fault if the value, as read, stands elsewhere in the document under this name, or in its part `within`. */
  checkOnce(name: string, read: unknown, within = ''): void {
    const first = read === this.value && read !== '' ? this.first(name, within) : this
    if (first !== this) this.fault(`a ${name} of its own: ${first.path} has it already`)
  }

  /** The first place with this value under this name; this one, if there was none before. */
  first(name: string, within: string): Place {
    const key = JSON.stringify([name, within, this.value])
    const first = this.known.firsts.get(key) ?? this
    this.known.firsts.set(key, first)
    return first
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof InexactNumber)
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
