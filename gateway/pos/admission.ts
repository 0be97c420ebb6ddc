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
 * Admits the requests that can be answered in time: at most as many at once as are answered within `waitMs`, a seventh of the deadline. By
 * Little's law the wait of a call is the number in flight over the number answered per millisecond, wherever it waits: for the event loop,
 * a thread or a store. So every 100 ms the limit moves towards `waitMs` times the rate of the calls that were answered in time.
 *
 * Only under strain: a request was refused, or many are in flight and most calls took longer than half the deadline. The second matters
 * where the limit is never reached, because calls end at their deadline: at 300 a second no more than 140 are in flight, all of them late.
 * Without strain the limit drifts back to its first value, which has room for any burst that the rate limit allows.
 *
 * Calls that missed their deadline do not count as answers: if they did, a service that answers nothing in time would keep its limit. The
 * least limit admits the contract's 50 calls a second though each takes the whole deadline, so that ordinary load is never refused because
 * stores or machine are slow. Where the stores alone take longer than `waitMs`, a gateway under strain keeps to that limit.
 *
 * Bytes are counted as they arrive, not as declared, so that a slow body takes only the room of the bytes it has sent.
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
  /** In the current window: a request was refused; calls answered in time; calls that took longer than half the deadline, and all. */
  let pressed = false
  let inTime = 0
  let slow = 0
  let left = 0
  let windowFrom = nowMs()

  function adjust(): void {
    const windowMs = nowMs() - windowFrom
    if (windowMs < windowMsMin) return
    const isSlow = inFlight >= inFlightMin && slow * 2 > left
    const fitting = (inTime / windowMs) * waitMs
    // A limit above the calls in flight would admit more calls, and there are too many already.
    if (isSlow) limit = Math.min(limit, inFlight)
    if (pressed || isSlow) limit += (fitting - limit) * adjustShare
    else if (limit < inFlightAtFirst)
      limit += (inFlightAtFirst - limit) * (1 - (1 - adjustShare) ** (windowMs / windowMsMin))
    limit = Math.min(inFlightMax, Math.max(inFlightMin, limit))
    windowFrom += windowMs
    pressed = false
    inTime = slow = left = 0
  }

  return {
    refusal(endpoint) {
      if (draining) return 'draining'
      adjust()
      const limitHere = endpoint === 'sale' ? limit * saleShare : limit
      if (inFlight < limitHere && !room.isFull) return null
      pressed = true
      return 'overloaded'
    },
    enter() {
      inFlight += 1
    },
    leave(tookMs) {
      inFlight -= 1
      left += 1
      if (tookMs <= deadlineMs) inTime += 1
      if (tookMs > deadlineMs / 2) slow += 1
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

/** The part of the deadline that a call may take, on average, under strain. Refused requests wait after it in the event loop. */
const waitShare = 0.15
/** Calls a second at one environment (contract 8). */
const contractRate = 50
/** The part of the room that sale events may fill, as of the rate limit's burst (wire decisions 3). */
const saleShare = 0.6
const windowMsMin = 100
const adjustShare = 0.3
/** Enough for a full burst of the rate limit in either of its default and doubled form. */
const inFlightAtFirst = 256
const inFlightMax = 4_096
