import type { BasisLine } from '../base/basis.js'
import type { Money } from '../base/money.js'
import type { Offer } from '../offers/offer.js'
import type { LinearProgramme } from './simplex.js'

/** What a column of the relaxation stands for. */
export type Role =
  /** Pieces of a line that an offer discounts. */
  | 'take'
  /** Units of a line that an offer only has bought. */
  | 'buy'
  /** How often an offer is applied. */
  | 'times'
  /** How many times reach up to a price; whole, where several units are got at a time. */
  | 'level'
  /** 1: the line's own discounts are off. */
  | 'off'
  /** 1: the line is left to the benefits that tie no lines together. */
  | 'alone'
  /** Pieces of the line that such benefits have beside others. */
  | 'fill'
  /** What stackable amounts would take beyond what the line holds. */
  | 'waste'
  /** What an offer with a maximum amount takes off altogether. */
  | 'value'
  /** What an order-level offer takes off. */
  | 'order'
  /** What an order discount of the POS still comes to on a line, or on all lines outside. */
  | 'stays'

/** A column of the relaxation. */
export interface Column {
  readonly role: Role
  /** Index into the offers; -1 where none is meant. */
  readonly offer: number
  /** Index into the lines; -1 where none is meant. */
  readonly line: number
  readonly objective: number
  readonly upper: number
  /** What the line gains by one of it at least; the objective says at most. */
  readonly least: number
}

/** A component as a linear programme whose whole-number solutions are its plans. */
export interface TieModel {
  readonly columns: readonly Column[]
  readonly programme: LinearProgramme
  /** Gain that every solution has beside the objective. */
  readonly base: number
  /** Pieces whose amount the objective rounds up; what they get is known once their columns are settled. */
  readonly rounded: readonly Rounded[]
}

/** The columns of one offer on one line, in one case. */
export interface Rounded {
  readonly columns: readonly number[]
  readonly offer: Offer
  readonly line: BasisLine
  readonly hold: Money
}
