import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Shot } from './plan-load.js'

/** What became of one shot. */
export interface Landing {
  readonly shot: Shot
  /** From the moment it was due, not from when it was sent: a stall of the service, or of ours, cannot hide. In milliseconds. */
  readonly latencyMs: number
  /** How much later than due it was sent: the generator's own lateness. In milliseconds. */
  readonly lateMs: number
  /** One word of what came back. */
  readonly outcome: string
}

/**
 * Sends every shot at its moment without waiting for those before it (an open loop), and resolves when all have landed.
 *
 * @param fire  sends one and resolves to its outcome; a rejection lands as `error`
 */
export async function driveOpenLoop(
  shots: readonly Shot[],
  fire: (shot: Shot) => Promise<string>,
  onLanding: (landing: Landing) => void,
): Promise<void> {
  const startMs = performance.now()
  const sinceStart = () => performance.now() - startMs
  const flying: Promise<void>[] = []
  for (const shot of shots) {
    await waitUntil(shot.dueMs, sinceStart)
    const lateMs = sinceStart() - shot.dueMs
    const landed = (outcome: string) => onLanding({ shot, latencyMs: sinceStart() - shot.dueMs, lateMs, outcome })
    flying.push(fire(shot).then(landed, () => landed('error')))
  }
  await Promise.all(flying)
}

/** Timers count whole milliseconds, so that the rest of one is spent turning the event loop: answers are taken meanwhile. */
async function waitUntil(dueMs: number, sinceStart: () => number): Promise<void> {
  const leftMs = dueMs - sinceStart()
  if (leftMs >= 1) await sleep(Math.floor(leftMs))
  while (sinceStart() < dueMs) await turn()
}
