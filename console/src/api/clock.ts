import { useEffect, useState } from 'react'

/** How far the ledger's clock is ahead of this computer's, in milliseconds. */
let aheadMs = 0

/**
 * Takes the time from the ledger: by its clock calculations expire, limits begin anew and value opens, wherever the clock of this computer
 * stands.
 *
 * @param ledgerMs  what the ledger's clock said between two moments of this computer's
 */
export function setClock(ledgerMs: number, between: { readonly askedMs: number; readonly answeredMs: number }): void {
  if (!Number.isNaN(ledgerMs)) aheadMs = ledgerMs - (between.askedMs + between.answeredMs) / 2
}

/** This moment by the ledger's clock, in milliseconds since the epoch: the one clock of the console. */
export function nowMs(): number {
  return Date.now() + aheadMs
}

export function ledgerTime(ms: number): Date {
  return new Date(ms + aheadMs)
}

const drawnMs = 10_000

export function useNow(): Date {
  const [now, setNow] = useState(() => new Date(nowMs()))
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date(nowMs())), drawnMs)
    return () => clearInterval(timer)
  }, [])
  return now
}
