import { type ArrivingBody, createBodyRoom } from './body-room.js'

/** Decides which requests come in (wire decisions 3, check 2), so that overload is refused early and cheaply. */
export interface Admission {
  /** Why a request cannot come in now; null: it can. Sale events, which come again for a day, leave the last part of the room to baskets, whose till waits. */
  refusal(endpoint: 'basket' | 'sale'): 'draining' | 'overloaded' | null
  /** A request has arrived whole and starts to be worked on. */
  enter(): void
  /** It has been answered. */
  leave(): void
  /** A body begins to arrive; `giveWay` is called when another one needs its room, and must release it. */
  receive(giveWay: () => void): ArrivingBody
  drain(): void
  readonly inFlight: number
  readonly draining: boolean
}

/**
 * Lets in what can be answered in time: at most as many at once as were lately answered within a part of the deadline
 * (by Little's law the wait is what is in flight over what is answered per millisecond). Bytes are counted as they
 * arrive, not as declared, so that a slow body takes up only what it has sent.
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
  let limit = inFlightAtFirst
  let inFlight = 0
  const room = createBodyRoom(bytesMax)
  let draining = false
  let pressed = false
  let answered = 0
  let windowFrom = nowMs()

  /** Closes a window that is over: the limit follows what was answered while it was pressed, else drifts back. */
  function adjust(): void {
    const windowMs = nowMs() - windowFrom
    if (windowMs < windowMsMin) return
    const fitting = (answered / windowMs) * deadlineMs * waitShare
    if (pressed) limit += (fitting - limit) * adjustShare
    else if (limit < inFlightAtFirst) limit += (inFlightAtFirst - limit) * adjustShare
    limit = Math.min(inFlightMax, Math.max(inFlightMin, limit))
    windowFrom += windowMs
    answered = 0
    pressed = false
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
    leave() {
      inFlight -= 1
      answered += 1
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

/** The part of the deadline that waiting may take, on average: the rest is for the slower half. */
const waitShare = 0.4
/** The part of the room that sale events may fill, as of the rate limit's burst (wire decisions 3). */
const saleShare = 0.6
const windowMsMin = 100
const adjustShare = 0.3
/** Enough for a full burst of the rate limit in either of its default and doubled form. */
const inFlightAtFirst = 256
const inFlightMin = 32
const inFlightMax = 4_096
