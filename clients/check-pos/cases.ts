import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PosBasket } from '../pos-js/basket.js'
import type { FailureReason } from '../pos-js/call.js'

export interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly delayMs?: number
  readonly half?: 'silence' | 'drip' | 'cut'
  readonly cut?: boolean
  /** In place of HTTP. */
  readonly raw?: string
}

export type Json = Readonly<Record<string, unknown>>
export type Change = Json | string

/** An answer: a body as JSON with the calculation's id, as text, or an applied basket with changes by path. */
export interface AnswerInCase extends Omit<ScriptedAnswer, 'body'> {
  readonly json?: Json
  readonly text?: string
  readonly change?: readonly Change[]
  readonly more?: Json
}

export interface BasketCase {
  readonly step?: string
  readonly name: string
  readonly proves: string
  readonly answer: AnswerInCase | null
  readonly expect: {
    readonly status: 'applied' | 'unchanged' | 'member_not_found' | 'failed'
    readonly reason?: string
    readonly failureReason?: FailureReason
    readonly net?: number
    readonly requests?: number
  }
}

export interface SaleCase {
  readonly step?: string
  readonly name: string
  readonly proves: string
  readonly answers: readonly AnswerInCase[]
  readonly expect: { readonly end: 'taken' | 'refused'; readonly attempts: number; readonly pauseMs?: number }
}

export interface ReturnCase {
  readonly name: string
  readonly proves: string
  readonly answer: AnswerInCase | null
  readonly expect: { readonly end: 'taken' | 'refused' | 'later'; readonly result?: string; readonly refund?: number }
}

export interface Cases {
  readonly description: string
  readonly basket: PosBasket
  readonly prices: readonly Json[]
  readonly changes: Readonly<Record<string, Json>>
  readonly baskets: readonly BasketCase[]
  readonly sales: readonly SaleCase[]
  readonly returns: readonly ReturnCase[]
}

export function readCases(): Cases {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', 'cases', 'cases.json'), 'utf8')) as Cases
}

export function basketInCase(cases: Pick<Cases, 'basket' | 'changes'>, changes: readonly Change[]): PosBasket {
  const basket = structuredClone(cases.basket)
  for (const change of changes) {
    const values = typeof change === 'string' ? cases.changes[change]! : change
    for (const [path, value] of Object.entries(values)) setAt(basket, path, value)
  }
  return basket
}

export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce((at, name) => (at as Record<string, unknown> | undefined)?.[name], value)
}

export function setAt(value: object, path: string, to: unknown): void {
  const names = path.split('.')
  const last = names.pop()!
  const parent = names.length === 0 ? value : valueAt(value, names.join('.'))
  ;(parent as Record<string, unknown>)[last] = structuredClone(to)
}
