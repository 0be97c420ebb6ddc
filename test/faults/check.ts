import {
  answersKept,
  errorsWellFormed,
  identitiesHold,
  keysFree,
  oneAnswerPerKey,
  salesKept,
  valuesKeptApart,
} from './check-history.js'
import { countersRecounted, limitsKept, salesOnce } from './check-ledger.js'
import { livingUnitsKept } from './check-living.js'
import { earnedOnce, spentAsAnswered, valueAddsUp } from './check-value.js'
import type { Aftermath, Evidence, Invariant, Violation } from './evidence.js'

/** Descriptors and memory that a gateway may gain after its start: connections of its pools, and a warm heap. */
const descriptorsMore = 40
const memoryMbMore = 250

/** Every invariant, each with the one function that judges it. */
const judges: Readonly<Record<Invariant, (evidence: Evidence) => readonly string[]>> = {
  I1: limitsKept,
  I2: countersRecounted,
  I3: livingUnitsKept,
  I4: salesOnce,
  I5: salesKept,
  I6: answersKept,
  I7: oneAnswerPerKey,
  I8: valuesKeptApart,
  I9: errorsWellFormed,
  I10: freedUnitsGranted,
  I11: keysFree,
  I12: identitiesHold,
  I13: nothingLeft,
  I14: journalsEmpty,
  I15: spentAsAnswered,
  I16: earnedOnce,
  I17: valueAddsUp,
}

/** Runs every invariant over what a run has left; empty where all of them hold. */
export function check(evidence: Evidence): readonly Violation[] {
  return (Object.keys(judges) as Invariant[]).flatMap((invariant) =>
    judges[invariant](evidence).map((what) => ({ invariant, what })),
  )
}

/** I10: freed units are granted to the next request that fits. */
function freedUnitsGranted({ probes }: Evidence): readonly string[] {
  return probes
    .filter(({ free, granted }) => granted !== free)
    .map(({ counter, gateway, free, granted }) => `${counter}: ${free} free, gateway ${gateway} granted ${granted}`)
}

/** True when nothing is in progress. A fresh notification or a connection just closed takes a moment. */
export function isAtRest(aftermath: Aftermath): boolean {
  return nothingLeft({ aftermath: { ...aftermath, complaints: [] } }).length + journalsEmpty({ aftermath }).length === 0
}

/** I13: no error in a log, no process that ended by itself; memory, descriptors and transactions are back at their base. */
function nothingLeft({ aftermath }: Pick<Evidence, 'aftermath'>): readonly string[] {
  const { complaints, openTransactions, connections, connectionsMax, usage } = aftermath
  return [
    ...complaints,
    ...(openTransactions > 0 ? [`${openTransactions} transactions are left open`] : []),
    ...(connections > connectionsMax ? [`${connections} connections to the ledger, ${connectionsMax} at most`] : []),
    ...usage.flatMap(({ base, now }, gateway) =>
      now.descriptors > base.descriptors + descriptorsMore || now.memoryMb > base.memoryMb + memoryMbMore
        ? [`gateway ${gateway} uses ${JSON.stringify(now)}, at its start ${JSON.stringify(base)}`]
        : [],
    ),
  ]
}

/** I14: no journal holds a record any more. */
function journalsEmpty({ aftermath: { journalled, copies } }: Pick<Evidence, 'aftermath'>): readonly string[] {
  return journalled + copies > 0 ? [`${journalled} in the cache's journal and ${copies} own copies wait`] : []
}
