import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CpuOfParts } from '../probe/cpu-of-parts.js'

/** Committed figures of `npm run bench -- scale/cpu overload postgres/size value/hot`, rounded. */
interface Measured {
  readonly cores: number
  /** By kind: microseconds, and bytes of the write-ahead log. */
  readonly perRequest: Readonly<Record<string, CpuOfParts & Record<'postgresWal' | 'generator', number>>>
  /** Baskets of 20 lines a second within a p99, with stores and load generator on the same cores. */
  readonly knee: { readonly rate: number; readonly p99Ms: number }
  /** Disk bytes of a basket of 20 lines and its sale: dropped after LOYALTY_BODY_DAYS, and the rest. */
  readonly bytesPerVisit: { readonly bodies: number; readonly stays: number }
  /** Confirmations a second of one limit that every basket needs: the rate without value of `value/hot`. */
  readonly hotLimitPerSecond: number
}

/** Kinds of request of the model, as a share of all: a basket and, for most of them, the event of its sale. */
export const mix = { 'plain-20': 0.4, 'plain-200': 0.05, 'limited-20': 0.1, sale: 0.45 } as const
export type Kind = keyof typeof mix
export const kinds = Object.keys(mix) as readonly Kind[]

/** The parts of the service that a request uses, one after the other. */
export const parts = ['main', 'pricing', 'redis', 'postgres'] as const
export type Part = (typeof parts)[number]

/** Microseconds of one core for each part; `other`: collection, compilation and crypto, which delay no request; `wal`: bytes. */
export type PartCosts = Readonly<Record<Part | 'other' | 'wal', number>>
export type Model = ReturnType<typeof readModel>

export function readModel() {
  const file = join(import.meta.dirname, '..', '..', '..', 'bench', 'costs.json')
  const { perRequest, knee, cores, ...limits } = JSON.parse(readFileSync(file, 'utf8')) as Measured
  const costsOf = (name: string): PartCosts => {
    const { gatewayOther: other, postgresWal: wal, ...costs } = perRequest[name]!
    return { ...costs, other, wal }
  }
  const [plain, visit] = [costsOf('plain-20'), costsOf('visit-20')]
  const sale = eachPart((part) => Math.max(0, visit[part] - plain[part]))
  const of = { 'plain-20': plain, 'plain-200': costsOf('plain-200'), 'limited-20': costsOf('limited-20'), sale }
  const mean = eachPart((part) => kinds.reduce((sum, kind) => sum + mix[kind] * of[kind][part], 0))
  return { of, mean, limits, knee: { ...knee, cores, generator: perRequest['plain-20']!.generator } }
}

function eachPart(value: (part: keyof PartCosts) => number): PartCosts {
  return Object.fromEntries([...parts, 'other', 'wal'].map((name) => [name, value(name as Part)])) as PartCosts
}
