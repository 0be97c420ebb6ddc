import type { Cache } from '../../store/cache.js'
import { ignoreStoreFault } from '../../store/fault.js'
import type { Release, ReleaseReply } from '../../store/ledger/calculations.js'
import type { Command } from '../../store/ledger/calls.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { Journal } from '../background/journal.js'

export interface ReleaseParts {
  readonly adminLedger: Pick<AdminLedger, 'calculations'>
  readonly journal: Pick<Journal, 'ensureInLedger'>
  readonly cache: Pick<Cache, 'forgetCounters'> | null
}

/** Ends an open calculation as if its time had passed, or lists what it holds. */
export async function releaseReservation(
  { adminLedger, journal, cache }: ReleaseParts,
  command: Command,
  release: Release,
): Promise<ReleaseReply> {
  await journal.ensureInLedger(release.calculationId)
  const reply = await adminLedger.calculations.release(command, release)
  // The next call that needs them asks the ledger. While Redis is out of reach, its holds end when the calculation would have expired.
  if (reply.kind === 'done' && !release.isDryRun)
    await cache?.forgetCounters(reply.reservations).catch(ignoreStoreFault)
  return reply
}
