import type { Model } from './costs.js'

/** What serves one part of the POS, complete: gateways, a Redis and a Postgres of its own. */
export interface Cell {
  /** Gateway processes, each with one main thread. */
  readonly processes: number
  /** Of each process. */
  readonly pricingThreads: number
  readonly redisMasters: number
  /** Of the one primary. */
  readonly postgresCores: number
}

export interface Deployment {
  readonly rate: number
  readonly cells: number
  readonly cell: Cell
  readonly machines: {
    /** Of `gatewayCores` each, one more than needed in every cell. */
    readonly gateways: number
    /** Masters and as many replicas. */
    readonly redis: number
    /** Primaries and as many standbys. */
    readonly postgres: number
  }
  /** Over all cells. */
  readonly walMbPerSecond: number
  readonly diskTb: number
}

/** Share of a part that is used when it is called full: above it queues grow fast, and a machine that fails has to be made up for. */
export const fullAt = 0.6
export const gatewayCores = 8
/** The largest Postgres we would run: cores, and what its log and its standbys keep up with. */
export const postgresCoresMax = 32
export const walMbPerSecondMax = 100
/** What one volume of the usual clouds holds. */
export const diskTbMax = 64
/** LOYALTY_BODY_DAYS and LOYALTY_RECORD_DAYS of the sizes given: a week, and the least there is. */
export const bodyDays = 7
export const rowDays = 400
/** Tills have nights and quiet days: the mean rate of a year by that of its busiest hour. */
export const meanOfPeak = 0.3

/**
 * As few machines as keep every part below `fullAt`. A cell ends where its Postgres does: the primary cannot be shared out, so from there
 * on POS callers are (a chain, a country), each cell with members and limits of its own.
 *
 * @param rate  requests a second of the mix, in the busiest hour
 */
export function sizeDeployment({ mean, limits }: Model, rate: number): Deployment {
  const cores = (micros: number, at: number) => (at * micros) / 1e6 / fullAt
  const walMb = (at: number) => (at * mean.wal) / 1e6
  const visitsPerDay = rate * meanOfPeak * visitShare * 86_400
  const { bodies, stays } = limits.bytesPerVisit
  const diskTb = (visitsPerDay * (bodies * bodyDays + stays * rowDays)) / 1e12
  const cells = Math.max(
    1,
    Math.ceil(cores(mean.postgres, rate) / postgresCoresMax),
    Math.ceil(walMb(rate) / walMbPerSecondMax),
    Math.ceil(diskTb / diskTbMax),
  )
  const each = rate / cells
  const processes = Math.max(2, Math.ceil(cores(mean.main, each)))
  const pricingThreads = Math.max(1, Math.ceil(cores(mean.pricing, each) / processes))
  const masters = Math.ceil(cores(mean.redis, each))
  const redisMasters = masters === 1 ? 1 : Math.max(3, masters)
  const postgresCores = Math.max(2, Math.ceil(cores(mean.postgres, each)))
  const gatewayMachines = Math.ceil(cores(mean.main + mean.pricing + mean.other, each) / gatewayCores)
  return {
    rate,
    cells,
    cell: { processes, pricingThreads, redisMasters, postgresCores },
    machines: {
      gateways: cells * (gatewayMachines + 1),
      redis: cells * redisMasters * 2,
      postgres: cells * 2,
    },
    walMbPerSecond: walMb(rate),
    diskTb,
  }
}

/** Baskets by requests: each is kept, whether its sale comes or not. */
const visitShare = 0.55
