import fc from 'fast-check'

/** The seed of every random draw of the tests: always the same, unless `SEED=7 node .ci/test.mjs <file>` goes to look elsewhere. */
const seed = Number(process.env['SEED'] ?? 1)

fc.configureGlobal({ seed })

/** fast-check with that seed: a run that passed once passes again. */
export { fc }
