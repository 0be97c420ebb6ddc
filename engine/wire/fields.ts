import type { ObjectRule, Rule } from './compile-schema.js'
import type { JsonText } from './json-text.js'

export type FieldPlaces<Name extends string> = Readonly<Record<Name, number>>

export function placesOf<Name extends string>(rule: Rule): FieldPlaces<Name> {
  const { fields } = assertObjectRule(rule)
  return Object.fromEntries(fields.map((field, place) => [field.name, place])) as FieldPlaces<Name>
}

export function ruleInside(rule: Rule, name: string): ObjectRule {
  const field = assertObjectRule(rule).fields.find((each) => each.name === name)
  if (field === undefined) throw new Error(`no such field: ${name}`)
  return assertObjectRule(field.rule.kind === 'array' ? field.rule.item : field.rule)
}

export function assertObjectRule(rule: Rule): ObjectRule {
  if (rule.kind !== 'object') throw new Error(`not the rule of an object: ${rule.kind}`)
  return rule
}

const noItems: readonly number[] = []

export class Fields {
  private readonly values: Int32Array
  private readonly row: number

  constructor(
    readonly json: JsonText,
    readonly object: number,
    private readonly rule: ObjectRule,
  ) {
    this.values = json.rows
    this.row = json.row(object)
  }

  sent(place: number): number {
    return this.values[this.row + place]! || -1
  }

  nameOf(place: number): string {
    return this.rule.fields[place]!.name
  }

  has(place: number): boolean {
    const value = this.values[this.row + place]!
    return value > 0 && this.json.firstByte(value) !== 0x6e
  }

  string(place: number): string {
    return this.json.string(this.sent(place))
  }

  stringOrNull(place: number): string | null {
    return this.has(place) ? this.string(place) : null
  }

  number(place: number): number {
    const rule = this.rule.fields[place]!.rule as Rule & { readonly kind: 'number' }
    return this.json.scaled(this.sent(place), rule.decimals)!
  }

  numberOrNull(place: number): number | null {
    return this.has(place) ? this.number(place) : null
  }

  flag(place: number): boolean {
    const value = this.values[this.row + place]!
    return value > 0 && this.json.firstByte(value) === 0x74
  }

  items(place: number): readonly number[] {
    return this.has(place) ? this.json.children(this.sent(place)) : noItems
  }
}

const absent = 2 ** 30

/** The order in which objects hold some of their fields. Mostly all of a basket hold them in the same one. */
export class FieldOrder<Name extends string> {
  private readonly places: readonly number[]
  private ranks: readonly number[]
  private ordered: readonly Name[]

  constructor(
    places: FieldPlaces<Name>,
    private readonly names: readonly Name[],
  ) {
    this.places = names.map((name) => places[name])
    this.ranks = names.map((_, rank) => rank)
    this.ordered = names
  }

  /** The names in text order; those of absent fields last, in the order given. */
  in(fields: Fields): readonly Name[] {
    if (!this.isOrderIn(fields)) {
      this.ranks = [...this.ranks].sort((left, right) => this.position(fields, left) - this.position(fields, right))
      this.ordered = this.ranks.map((rank) => this.names[rank]!)
    }
    return this.ordered
  }

  private isOrderIn(fields: Fields): boolean {
    let before = -1
    for (let index = 0; index < this.ranks.length; index++) {
      const position = this.position(fields, this.ranks[index]!)
      if (position < before) return false
      before = position
    }
    return true
  }

  private position(fields: Fields, rank: number): number {
    const value = fields.sent(this.places[rank]!)
    return value >= 0 ? value : absent + rank
  }
}
