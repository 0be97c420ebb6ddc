/**
 * Session settings under which our statements are planned. Nearly all of them look up a few rows by an index. They are planned
 * once for all values: planning each time took a third of a confirmation. Plans that read or join whole tables are off: the statistics
 * of a table that was empty a minute ago would suggest them. Plans that collect rows and sort them are off too: an index returns a page
 * of a list in order. `enrol_members` sets its own.
 */
export const planning = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
} as const
