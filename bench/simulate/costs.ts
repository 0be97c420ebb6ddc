import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Costs } from '../scale/record-costs.js'

/** Bounds that do not come from processor time, as `node dist/bench/simulate/record-limits.js` measured them. */
export interface Limits {
  readonly measured: Omit<Costs['measured'], 'node'>
  /** On disk for a basket of 20 lines and its sale: dropped after LOYALTY_BODY_DAYS, and what stays. */
  readonly bytesPerVisit: { readonly bodies: number; readonly stays: number }
  /** Confirmations a second of one limit that all want. */
  readonly hotLimitPerSecond: number
}

/** Kinds of request of the model, as a share of all: a basket and, for most of them, the event of its sale. */
export const mix = { 'plain-20': 0.4, 'plain-200': 0.05, 'limited-20': 0.1, sale: 0.45 } as const
export type Kind = keyof typeof mix
export const kinds = Object.keys(mix) as readonly Kind[]

/** The parts of the service that a request uses, one after the other. */
export const parts = ['main', 'pricing', 'redis', 'postgres'] as const
export type Part = (typeof parts)[number]

/** What a request costs each part, in microseconds of one core. */
export type PartCosts = Readonly<Record<Part, number>> & {
  /** Of the gateway besides: garbage collection, compilation, crypto. It takes cores and holds up nobody. */
  readonly other: number
  /** Write-ahead log, bytes: what goes to disk and to each standby. */
  readonly wal: number
}

export interface Model {
  readonly of: Readonly<Record<Kind, PartCosts>>
  /** Over the mix. */
  readonly mean: PartCosts
  readonly limits: Limits
  /** Baskets of 20 lines a second that one process keeps within a p99, with stores and generator (microseconds a request) on the same cores. */
  readonly knee: { readonly rate: number; readonly cores: number; readonly p99Ms: number; readonly generator: number }
}

/** In the sources, for they are kept with the code. */
export const costsFolder = join(import.meta.dirname, '..', '..', '..', 'bench')

export function readModel(): Model {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(costsFolder, name), 'utf8'))
  const { perRequest, knees, measured } = read('costs.json') as Costs
  const costsOf = (name: string): PartCosts => {
    const { main, pricing, redis, postgres, gatewayOther: other, postgresWal: wal } = perRequest[name]!
    return { main, pricing, redis, postgres, other, wal }
  }
  const plain = costsOf('plain-20')
  const visit = costsOf('visit-20')
  const sale = eachPart((part) => Math.max(0, visit[part] - plain[part]))
  const of = { 'plain-20': plain, 'plain-200': costsOf('plain-200'), 'limited-20': costsOf('limited-20'), sale }
  const mean = eachPart((part) => kinds.reduce((sum, kind) => sum + mix[kind] * of[kind][part], 0))
  const { rate, p99Ms } = knees.find(({ processes, threads }) => processes === 1 && threads === 1)!
  const knee = { rate, p99Ms, cores: measured.cores, generator: perRequest['plain-20']!.generator }
  return { of, mean, limits: read('limits.json') as Limits, knee }
}

function eachPart(value: (part: keyof PartCosts) => number): PartCosts {
  const names = [...parts, 'other', 'wal'] as const
  return Object.fromEntries(names.map((name) => [name, value(name)])) as unknown as PartCosts
}
