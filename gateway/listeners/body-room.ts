/** Room for the bytes of bodies that are held at once. */
export interface BodyRoom {
  /** All bytes are in use, and no body is still arriving that could be dropped. */
  readonly isFull: boolean
  /** A body begins to arrive. @param giveWay  called when another one needs its room: it must be released then */
  receive(giveWay: () => void): ArrivingBody
}

/** The room of one body: the bytes that have arrived, not those declared. */
export interface ArrivingBody {
  /**
   * Takes room for bytes that have arrived. Where there is none, the bodies that have been arriving for longest give way: an honest body
   * arrives quickly, so only slow bodies are dropped. false: this body is the slowest and gets no room.
   */
  hold(bytes: number): boolean
  /** It has arrived whole: it keeps its room and never gives way. */
  complete(): void
  /** Frees its room; a second call does nothing. */
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
