import { type Model, type Part, parts } from './costs.js'

/** A complete deployment for a part of the POSs: gateways, a Redis and a Postgres of its own. */
export interface Cell {
  /** Gateway processes, each with one main thread. */
  readonly processes: number
  /** Per process. */
  readonly pricingThreads: number
  readonly redisMasters: number
  readonly postgresCores: number
}

/** Use of a part at which it counts as full: above it queues grow fast, and there is no reserve for a failed machine. */
export const fullAt = 0.6
const gatewayCores = 8
/** The largest Postgres we would run: cores within the capacity of its log and its standbys. */
const postgresCoresMax = 32
export const walMbPerSecondMax = 100
/** Terabytes of one volume of the usual clouds. */
const diskTbMax = 64
/** LOYALTY_BODY_DAYS and LOYALTY_RECORD_DAYS of the sizes given: a week, and the minimum. */
const [bodyDays, rowDays] = [7, 400]
/** POSs have nights and quiet days: the mean rate of a year divided by the busiest hour's. */
const meanOfPeak = 0.3
/** Baskets divided by requests: each is stored, with or without its sale. */
const visitShare = 0.55

/**
 * The fewest machines that keep every part below `fullAt`. A cell ends where its Postgres is full: the primary cannot be split, so further
 * POSs go, by chain or by country, to another cell with members and limits of its own.
 *
 * @param rate  requests a second of the mix, in the busiest hour
 * @returns     machines, write-ahead log and disk of all cells together, and the layout of one. Every cell has a spare gateway machine,
 *              every Redis master a replica, every Postgres a standby
 */
export function sizeDeployment({ mean, limits }: Model, rate: number) {
  const cores = (micros: number, at: number) => (at * micros) / 1e6 / fullAt
  const walMbPerSecond = (rate * mean.wal) / 1e6
  const visitsPerDay = rate * meanOfPeak * visitShare * 86_400
  const { bodies, stays } = limits.bytesPerVisit
  const diskTb = (visitsPerDay * (bodies * bodyDays + stays * rowDays)) / 1e12
  const full = [cores(mean.postgres, rate) / postgresCoresMax, walMbPerSecond / walMbPerSecondMax, diskTb / diskTbMax]
  const cells = Math.ceil(Math.max(...full))
  const each = rate / cells
  const processes = Math.max(2, Math.ceil(cores(mean.main, each)))
  const pricingThreads = Math.max(1, Math.ceil(cores(mean.pricing, each) / processes))
  const masters = Math.ceil(cores(mean.redis, each))
  const redisMasters = masters === 1 ? 1 : Math.max(3, masters)
  const postgresCores = Math.max(2, Math.ceil(cores(mean.postgres, each)))
  const gatewayMachines = Math.ceil(cores(mean.main + mean.pricing + mean.other, each) / gatewayCores)
  const machines = { gateways: cells * (gatewayMachines + 1), redis: cells * redisMasters * 2, postgres: cells * 2 }
  return { cells, cell: { processes, pricingThreads, redisMasters, postgresCores }, machines, walMbPerSecond, diskTb }
}

/**
 * The smallest layout with the highest capacity on a machine of its own: with fewer processes the main threads are full before the cores,
 * with fewer threads the pricing.
 */
export function bestLayout({ mean }: Model, cores: number) {
  const sizes = Array.from({ length: cores }, (_, at) => at + 1)
  const layouts = sizes.flatMap((processes) =>
    sizes.map((threads) => {
      const full = [(processes * 1e6) / mean.main, (processes * threads * 1e6) / mean.pricing]
      const perSecond = Math.min(...full, (cores * 1e6) / (mean.main + mean.pricing + mean.other))
      return { processes, threads, perSecond, size: processes * (1 + threads) }
    }),
  )
  return layouts.sort((left, right) => right.perSecond - left.perSecond || left.size - right.size)[0]!
}

/** Requests a second at which the first part is always busy. */
export function capacityOf({ mean }: Model, cell: Cell): number {
  return Math.min(...parts.map((part) => (serversOf(cell)[part] * 1e6) / mean[part]))
}

export function serversOf(cell: Cell): Readonly<Record<Part, number>> {
  const { processes, pricingThreads, redisMasters, postgresCores } = cell
  return { main: processes, pricing: processes * pricingThreads, redis: redisMasters, postgres: postgresCores }
}
