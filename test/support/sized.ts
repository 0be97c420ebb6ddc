/** True when a rig runs at its full size, as in `npm run verify`; false for the part that `npm test` has time for. */
export const isFull = process.env['FULL'] === '1'

/** The size for `npm test`, or the one for `npm run verify`. */
export function sized(short: number, full: number): number {
  return isFull ? full : short
}

/** The seed from which cases are counted: `SEED=4711 node .ci/test.mjs <file>` looks at others. */
export const firstSeed = Number(process.env['SEED'] ?? 1)
