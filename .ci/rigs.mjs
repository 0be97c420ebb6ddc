/**
 * The long rigs: tests that run at their full size, which `npm test` runs in a short form. Each belongs to one share, and `.ci/run`
 * runs one share a day in turn. A name is a path: `faults` means every rig below it.
 *
 * `tests`: files; `env`: what they run with beside FULL=1.
 */
const faults = (kind) => ({
  name: `faults/${kind}`,
  tests: ['test/faults/faults.test.ts'],
  env: { FAULTS: kind },
})

export const shares = [
  [{ name: 'simulation', tests: ['test/simulation/simulation.test.ts'] }],
  [faults('gateways')],
  [faults('failpoints'), faults('redis')],
  [faults('lost-memory'), faults('postgres'), faults('failover')],
  [faults('connections'), faults('clocks'), faults('both-stores')],
  [faults('pos'), faults('programmes'), faults('secrets'), faults('cluster')],
]

/** Milliseconds of a day: shares change at midnight UTC. */
const dayMs = 86_400_000

/** The number of the share that is run on the day of this moment. */
export function shareOf(epochMs) {
  return Math.floor(epochMs / dayMs) % shares.length
}

/** Those that a name means: the rig of that name, or every one below it. */
export function rigsNamed(name) {
  return shares.flat().filter((rig) => rig.name === name || rig.name.startsWith(`${name}/`))
}
