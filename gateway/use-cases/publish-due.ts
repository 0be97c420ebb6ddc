import { setTimeout as sleep } from 'node:timers/promises'
import type { DueProposal } from '../../store/ledger/programmes.js'
import type { AdminLedger } from '../../store/ledger.js'
import type { Log } from '../telemetry/log.js'
import { type PublishParts, publishProgramme } from './publish-programme.js'

/** Time that a gateway has for a publication before another one tries it, in milliseconds; the longer one has room for a search. */
const leaseMs = 30_000
const searchLeaseMs = 90_000
/** Left of a lease when a search is ended, and the pause before another attempt. */
const spareMs = 15_000
const pauseMs = 1_000

interface Parts extends PublishParts {
  readonly adminLedger: PublishParts['adminLedger'] & Pick<AdminLedger, 'proposals'>
  readonly publishReview: 'optional' | 'required'
  readonly log: Log
}

/** Why it was not published: a reason word and its details. `again`: worth another attempt at once. */
type Ending = { readonly failure: string; readonly reason: string } | 'published' | 'cancelled' | 'again'

/**
 * Publishes the proposals whose moment has come, with the checks of PublishProgramme: each once, by whichever gateway leases it first. A
 * store out of reach or a lost thread leaves it to the next round.
 */
export async function publishDue(parts: Parts, stopping: AbortSignal): Promise<void> {
  const { proposals } = parts.adminLedger
  const withinMs = parts.publishWorst === 'off' ? leaseMs : searchLeaseMs
  for (;;) {
    const due = stopping.aborted ? null : await proposals.takeDue(withinMs)
    if (due === null) return
    const { proposalId } = due
    const inTime = AbortSignal.timeout(withinMs - spareMs)
    let ending: Ending = 'again'
    while (ending === 'again' && !stopping.aborted && !inTime.aborted) {
      ending = await publishOne(parts, due, AbortSignal.any([stopping, inTime])).catch((error: unknown) => {
        if (parts.publishWorst !== 'require' || !inTime.aborted || !isAbort(error)) throw error
        return { failure: 'WORST_UNACKNOWLEDGED', reason: 'the search for worst baskets did not end' }
      })
      if (ending === 'again') await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {})
    }
    if (typeof ending !== 'string') {
      await proposals.fail(proposalId, ending.failure, ending.reason.slice(0, reasonMax))
      parts.log.warn({ proposalId, ...ending }, 'a scheduled publication failed')
    }
  }
}

/** The fault of a search that its signal ended; a lost thread or a store out of reach has another name. */
function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** Characters of a reason that are stored. */
const reasonMax = 1_000

async function publishOne(parts: Parts, due: DueProposal, signal: AbortSignal): Promise<Ending> {
  const { proposals, programmes } = parts.adminLedger
  const { proposalId, acknowledgements, isOwn } = due
  if (isOwn && parts.publishReview === 'required')
    return { failure: 'REVIEW_REQUIRED', reason: 'another person must approve it' }
  const newest = await programmes.find(null, true)
  const document = newest === null ? due.document : await overNewest(parts, due, newest)
  if (typeof document !== 'string') return document
  const expectedVersion = newest?.facts.version ?? 0
  const reply = await publishProgramme(parts, { document, acknowledgements, signal }, (programme) =>
    proposals.publishDue(proposalId, programme, expectedVersion),
  )
  switch (reply.kind) {
    case 'done':
      return 'published'
    case 'proposal_not_open':
    case 'unknown_proposal':
      return 'cancelled'
    case 'version_mismatch':
    case 'search_busy':
      return 'again'
    case 'faulty': {
      // Without the values received: they may name members, and the reason is stored for ever.
      const faults = reply.faults.map(({ path, expected }) => `${path}: expected ${expected}`)
      return { failure: 'PROGRAMME_FAULTY', reason: faults.join('; ') }
    }
    case 'unacknowledged':
      return { failure: 'WORST_UNACKNOWLEDGED', reason: reply.worst.map(({ name }) => name).join(', ') }
  }
}

/** With what other versions have changed since, unless they changed the same entries. */
async function overNewest(
  { adminLedger: { programmes }, programmeReader }: Parts,
  { document: mine, baseVersion }: DueProposal,
  { facts, document: theirs }: NonNullable<Awaited<ReturnType<AdminLedger['programmes']['find']>>>,
): Promise<string | Extract<Ending, object>> {
  if (facts.version === baseVersion) return mine
  const base = baseVersion === 0 ? null : await programmes.find(baseVersion, true)
  const merged = await programmeReader.merge({ base: base?.document ?? null, theirs, mine })
  if (merged.kind === 'merged') return merged.document
  return { failure: 'VERSION_MISMATCH', reason: `version ${facts.version} changed ${merged.entries.join(', ')}` }
}
