/** Room for the bytes of bodies that are held at once. */
export interface BodyRoom {
  /** There is none, and nobody who could give way. */
  readonly isFull: boolean
  /** A body begins to arrive. @param giveWay  called when another one needs its room: it must be released then */
  receive(giveWay: () => void): ArrivingBody
}

/** The room that one body takes: what has arrived of it, not what it declares. */
export interface ArrivingBody {
  /**
   * Takes room for bytes that have arrived. Where there is none, those that have been arriving for longest give way: whoever sends a
   * body in earnest is through in a moment, so slow ones hold up one another and nobody else. false: this one is the slowest.
   */
  hold(bytes: number): boolean
  /** It has arrived whole: it keeps its room and gives way to nobody. */
  complete(): void
  /** Gives back its room; a second time nothing. */
  release(): void
}

export function createBodyRoom(bytesMax: number): BodyRoom {
  let held = 0
  /** In the order of their first bytes. */
  const arriving = new Set<() => void>()
  return {
    get isFull() {
      return held >= bytesMax && arriving.size === 0
    },
    receive(giveWay) {
      let own = 0
      return {
        hold(bytes) {
          arriving.add(giveWay)
          for (const slowest of arriving) {
            if (held + bytes <= bytesMax || slowest === giveWay) break
            slowest()
          }
          if (held + bytes > bytesMax) return false
          held += bytes
          own += bytes
          return true
        },
        complete() {
          arriving.delete(giveWay)
        },
        release() {
          arriving.delete(giveWay)
          held -= own
          own = 0
        },
      }
    },
  }
}
