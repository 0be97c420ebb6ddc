/** Mistakes that can be planted, to prove that the checker finds them; none of them is in the product. */
export const mistakes = [
  /** The ledger counts the units left before it locks, and then takes without counting again. */
  'no_conditional_update',
  /** What the cache has reserved is taken in the ledger without checking the maximum. */
  'trust_cache_counters',
  /** The cache's "no" is returned without asking the ledger. */
  'trust_cache_no',
  /** Superseded units are released in a separate transaction, before the new calculation is stored. */
  'release_before_commit',
  /** Superseded units are released in a separate transaction, after the new calculation is stored. */
  'supersede_separately',
  /** A superseded calculation that is being stored is not waited for. */
  'superseded_not_awaited',
  /** Two calculations with one key both commit. */
  'no_unique_key',
  /** The cache is not notified when the ledger is asked for a key. */
  'key_not_claimed',
  /** The cache's journal forgets a record before the ledger has it. */
  'forget_before_ledger',
  /** A gateway drops its own copy once the cache has journalled the record. */
  'copy_dropped_early',
  /** A commit of unknown outcome is followed by a fresh calculation. */
  'in_doubt_recalculated',
  /** The answer is in the cache before the ledger has confirmed it. */
  'remember_before_commit',
  /** The answer leaves before the ledger has confirmed it. */
  'answer_before_commit',
  /** A repeated sale settles again. */
  'sale_settled_twice',
  /** A sale is answered before it is durable. */
  'sale_answered_early',
  /** A sale that came before its calculation is never joined to it. */
  'sale_not_joined',
  /** A sale after the expiry counts as timely, though others may have taken the units. */
  'late_sale_as_timely',
  /** Counters are locked in the order in which they are requested. */
  'no_lock_order',
  /** A confirmed calculation is withdrawn though a call was answered from it. */
  'withdraw_replayed',
  /** Another body under a known key gets the stored answer. */
  'body_not_compared',
  /** A busy ledger counts as out of reach. */
  'busy_as_outage',
  /** A look-up in the ledger has no timeout. */
  'call_without_timer',
  /** Value is held without looking whether it is there. */
  'hold_without_look',
  /** A basket for which too little value is there makes debt of the rest. */
  'basket_makes_debt',
  /** Accounts are read and written without their lock. */
  'account_not_locked',
  /** What was held is released when its time is over, though it was used before. */
  'hold_released_after_use',
  /** What a superseded calculation holds stays held. */
  'superseded_keeps_hold',
  /** What a gateway thinks that the member has decides: the ledger is not asked for what is spent. */
  'hint_decides',
  /** A sale that failed uses what was held. */
  'failed_sale_spends',
  /** What a late sale uses and is no longer there is forgiven. */
  'late_use_forgiven',
  /** A repeated sale earns again. */
  'sale_earns_twice',
] as const
export type Mistake = (typeof mistakes)[number]
