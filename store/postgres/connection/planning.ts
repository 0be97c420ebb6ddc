/**
 * Session settings under which our statements are planned. Nearly all of them look up a few rows by an index: so they are planned
 * once for any values (planning anew took a third of the time of a confirmation), and never by reading and joining whole
 * tables, which the statistics of a table that was empty a minute ago would suggest; nor by collecting and sorting what an index would
 * have given in its order, a page of a list at a time. `enrol_members` sets its own.
 */
export const planning = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const
