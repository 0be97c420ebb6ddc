import { type ArrivingBody, createBodyRoom } from '../listeners/body-room.js'

/** Decides which requests are admitted (wire decisions 3, check 2), so that overload is refused early and cheaply. */
export interface Admission {
  /**
   * The reason why a request cannot be admitted now; null: it can. Sale events, which are sent again for a day, leave the last part of
   * the room to baskets, for which a POS waits.
   */
  refusal(endpoint: 'basket' | 'sale'): 'draining' | 'overloaded' | null
  /** A request has arrived whole and its work starts. */
  enter(): void
  /** It has been answered, `tookMs` milliseconds after it arrived. */
  leave(tookMs: number): void
  /** A body begins to arrive; `giveWay` is called when another one needs its room, and must release it. */
  receive(giveWay: () => void): ArrivingBody
  drain(): void
  readonly inFlight: number
  readonly draining: boolean
}

/**
 * Admits the requests that can be answered in time. By Little's law the wait of a call is the number in flight over the number answered
 * per millisecond. So under strain the limit is what is answered within `waitMs` at the best rate of the last half-second; without strain
 * it has room for any burst that the rate limit allows.
 *
 * Strain: in the last half-second a request was refused, or most calls took longer than half the deadline and many are in flight. The
 * second matters where calls end at their deadline before the limit is reached. Half a second, because a neighbour may take the processor
 * for a few hundred milliseconds, after which everything is answered in time again.
 *
 * Calls that missed their deadline do not count as answers: if they did, a service that answers nothing in time would keep its limit. The
 * least limit admits the contract's 50 calls a second though each takes the whole deadline, so that ordinary load is never refused because
 * stores or machine are slow. Bytes are counted as they arrive, so that a slow body takes only the room of what it has sent.
 *
 * @param deadlineMs  the service's deadline
 * @param bytesMax    bodies held at once
 * @param nowMs       monotonic clock, milliseconds
 */
export function createAdmission(options: {
  readonly deadlineMs: number
  readonly bytesMax: number
  readonly nowMs: () => number
}): Admission {
  const { deadlineMs, bytesMax, nowMs } = options
  const waitMs = deadlineMs * waitShare
  const inFlightMin = Math.ceil((contractRate * deadlineMs) / 1_000)
  let limit = inFlightAtFirst
  let inFlight = 0
  const room = createBodyRoom(bytesMax)
  let draining = false
  let current = createWindow(nowMs())
  let recent: readonly Window[] = []

  function adjust(): void {
    const now = nowMs()
    current.ms = now - current.fromMs
    if (current.ms < windowMsMin) return
    recent = [...recent, current].filter(({ fromMs, ms }) => fromMs + ms > now - recentMs)
    current = createWindow(now)
    const sum = (word: 'refused' | 'slow' | 'left') => recent.reduce((sum, window) => sum + window[word], 0)
    const isSlow = inFlight >= inFlightMin && sum('slow') * 2 > sum('left')
    const bestRate = Math.max(...recent.map(({ inTime, ms }) => inTime / ms))
    const isStrained = isSlow || sum('refused') > 0
    limit = isStrained ? Math.min(inFlightMax, Math.max(inFlightMin, bestRate * waitMs)) : inFlightAtFirst
  }

  return {
    refusal(endpoint) {
      if (draining) return 'draining'
      adjust()
      const limitHere = endpoint === 'sale' ? limit * saleShare : limit
      if (inFlight < limitHere && !room.isFull) return null
      current.refused += 1
      return 'overloaded'
    },
    enter() {
      inFlight += 1
    },
    leave(tookMs) {
      inFlight -= 1
      current.left += 1
      if (tookMs <= deadlineMs) current.inTime += 1
      if (tookMs > deadlineMs / 2) current.slow += 1
    },
    receive: (giveWay) => room.receive(giveWay),
    drain() {
      draining = true
    },
    get inFlight() {
      return inFlight
    },
    get draining() {
      return draining
    },
  }
}

interface Window {
  readonly fromMs: number
  ms: number
  refused: number
  /** Calls answered in time, calls that took longer than half the deadline, and all. */
  inTime: number
  slow: number
  left: number
}

const createWindow = (fromMs: number): Window => ({ fromMs, ms: 0, refused: 0, inTime: 0, slow: 0, left: 0 })

/** The part of the deadline that a call may take, on average, under strain. */
const waitShare = 0.25
/** Calls a second at one environment (contract 8). */
const contractRate = 50
/** The part of the room that sale events may fill, as of the rate limit's burst (wire decisions 3). */
const saleShare = 0.6
const windowMsMin = 100
const recentMs = 500
/** Enough for a full burst of the rate limit in either of its default and doubled form. */
const inFlightAtFirst = 256
const inFlightMax = 4_096
