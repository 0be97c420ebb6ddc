/** A server silent to all callers for this long counts as out of reach, in milliseconds: a third of a basket's usual deadline. */
export const hangMsDefault = 150

/** Milliseconds between two looks at how long this process was running; a late look adds one interval of silence at most. */
export const beatMs = 25

export type GivenUp = 'timeout' | 'busy'

export interface Wait {
  readonly untilMs: number
  readonly endsOnSilence: boolean
}

/** Replies to other calls are signs of life, so a wait in our own queue is never mistaken for an outage (wire decisions 6). */
export interface Pulse {
  replied(): void
  silent(): boolean
  watch(wait: Wait, giveUp: (why: GivenUp) => void): () => void
  close(): void
}

export function createPulse(hangMs: number = hangMsDefault): Pulse {
  let awakeMs = 0
  let beatAtMs = performance.now()
  let heardAtMs = Number.NEGATIVE_INFINITY
  let watches = 0
  let timer: NodeJS.Timeout | undefined
  const awake = () => awakeMs + Math.min(performance.now() - beatAtMs, beatMs)
  function beat(): void {
    awakeMs = awake()
    beatAtMs = performance.now()
  }
  /** Beats only during waits: 40 beats a second without one would take the processor from the next call. */
  function begin(): void {
    watches += 1
    if (watches > 1) return
    beat()
    timer = setInterval(beat, beatMs).unref()
  }
  function end(): void {
    watches -= 1
    if (watches === 0) clearInterval(timer)
  }

  return {
    replied() {
      heardAtMs = awake()
    },
    silent: () => awake() - heardAtMs >= hangMs,
    watch({ untilMs, endsOnSilence }, giveUp) {
      begin()
      const beganAtMs = awake()
      let looking: NodeJS.Timeout
      let over = false
      function stop(): void {
        if (over) return
        over = true
        clearTimeout(looking)
        end()
      }
      function look(): void {
        if (over) return
        const leftMs = untilMs - performance.now()
        const silenceLeftMs = Math.max(heardAtMs, beganAtMs) + hangMs - awake()
        if (leftMs <= 0 || (endsOnSilence && silenceLeftMs <= 0)) {
          stop()
          giveUp(endsOnSilence && silenceLeftMs <= 0 ? 'timeout' : 'busy')
          return
        }
        // One more turn of the event loop: a reply that arrived while this process was busy is in time.
        looking = setTimeout(() => setImmediate(look), endsOnSilence ? Math.min(silenceLeftMs, leftMs) : leftMs)
      }
      look()
      return stop
    },
    close: () => clearInterval(timer),
  }
}
