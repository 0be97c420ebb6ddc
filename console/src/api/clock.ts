import { useEffect, useState } from 'react'

/** Offset of the ledger's clock from this computer's, in milliseconds. */
let aheadMs = 0

/**
 * Sets the console's clock by the ledger's: calculations expire, limits begin anew and value opens by it, independent of the clock of this
 * computer.
 *
 * @param ledgerMs  the ledger's time at a moment between two moments of this computer's
 */
export function setClock(ledgerMs: number, between: { readonly askedMs: number; readonly answeredMs: number }): void {
  if (!Number.isNaN(ledgerMs)) aheadMs = ledgerMs - (between.askedMs + between.answeredMs) / 2
}

/** The ledger's time now, in milliseconds since the epoch: the one clock of the console. */
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
