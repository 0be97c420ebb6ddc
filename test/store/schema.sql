type calculation_state: open, finalised, abandoned, superseded, expired
type calculation_status: applied, unchanged, member_not_found
type change_kind: programme, venue, member, codes, sale, webhook, calculation, proposal
type code_state: open, claimed, void
type delivery_state: waiting, due, delivered, failed
type movement_kind: adjusted, transferred, imported, expired, forfeited, earned, issued, claimed, activated, cancelled, used, returned, merged
type reservation_state: open, used, late, released
type sale_result: recorded, unknown_calculation
type sale_status: applied, unchanged, member_not_found, failed, cancelled
type sum_span: v, m, a
type system_account: adjusted, transferred, imported, expired, forfeited, issued, redeemed
column account.account_id: bigint not null identity
column account.member_id: text collate "C" not null
column account.currency_id: text collate "C" not null
column account.debt: bigint not null default 0
column account.merged_into: bigint
column activation.activation_id: bigint not null
column activation.from_account: bigint not null
column activation.to_account: bigint not null
column activation.from_amount: bigint not null
column activation.to_amount: bigint not null
column activation_part.activation_id: bigint not null
column activation_part.place: bigint not null
column activation_part.amount: bigint not null
column activation_part.opens_at: timestamp with time zone not null
column activation_part.expires_at: timestamp with time zone not null
column announced_tier.member_id: text collate "C" not null
column announced_tier.tier_id: text collate "C" not null
column announced_tier.lapses_at: timestamp with time zone not null
column audit_record.audit_id: bigint not null identity
column audit_record.at: timestamp with time zone not null default clock_timestamp()
column audit_record.actor: text not null
column audit_record.call: text not null
column audit_record.request_id: uuid
column audit_record.subject_kind: change_kind not null
column audit_record.subject_id: text collate "C" not null
column audit_record.before: text
column audit_record.after: text
column audit_record.reason: text default NULLIF(current_setting('lps.reason'::text, true), ''::text)
column bax.bax_id: text collate "C" not null
column bax.venue_id: text collate "C" not null
column benefit_member.member_id: text collate "C" not null
column benefit_member.benefit_id: text collate "C" not null
column benefit_member.last_day: date not null
column benefit_member.day_before: date
column benefit_reach.benefit_id: text collate "C" not null
column benefit_reach.day: date not null
column benefit_reach.first: bigint not null
column benefit_reach.again: bigint[] not null
column benefit_sum.span: sum_span not null
column benefit_sum.venue_id: text collate "C" not null
column benefit_sum.day: date not null
column benefit_sum.benefit_id: text collate "C" not null
column benefit_sum.currency: text collate "C" not null
column benefit_sum.calculations: bigint not null
column benefit_sum.redemptions: bigint not null
column benefit_sum.discount: bigint not null
column benefit_sum.paid: bigint not null
column calculation.calculation_id: uuid not null
column calculation.supersedes_calculation_id: uuid
column calculation.net_before: bigint not null
column calculation.net_after: bigint not null
column calculation.loyalty_discount_total: bigint not null
column calculation.answered_at: timestamp with time zone not null
column calculation.expires_at: timestamp with time zone not null
column calculation.programme_version: integer not null
column calculation.body_day: date not null
column calculation.state: calculation_state not null default 'open'::calculation_state
column calculation.status: calculation_status not null
column calculation.optimal: boolean not null
column calculation.gap: bigint not null default 0
column calculation.confirmed: boolean not null
column calculation.replayed: boolean not null default false
column calculation.venue_id: text collate "C" not null
column calculation.bax_id: text collate "C" not null
column calculation.cash_register_id: text collate "C"
column calculation.channel: text not null
column calculation.currency: text not null
column calculation.requested_at: text not null
column calculation.reason: text
column calculation.loyalty_id: text collate "C"
column calculation.member_id: text collate "C"
column calculation.earning: text
column calculation.spending: text
column calculation.carried: bigint not null default 0
column calculation.gave: text
column calculation_body.day: date not null
column calculation_body.calculation_id: uuid not null
column calculation_body.digest: bytea not null
column calculation_body.packed: bytea not null storage external
column calculation_body.inputs: bytea not null
column calculation_body.explanation: bytea not null storage external
column change.revision: bigint not null identity
column change.kind: change_kind not null
column change.id: text collate "C" not null
column change.changed_at: timestamp with time zone not null default clock_timestamp()
column change_order.request_id: uuid not null
column change_order.call: text not null
column change_order.digest: bytea not null
column change_order.reply: text not null
column change_order.made_at: timestamp with time zone not null default clock_timestamp()
column completed_units.account_id: bigint not null
column completed_units.rule_id: text collate "C" not null
column completed_units.day: date not null
column completed_units.given: bigint not null
column console_session.digest: text collate "C" not null
column console_session.is_ticket: boolean not null
column console_session.role: text not null
column console_session.name: text not null
column console_session.issuer: text
column console_session.ends_at: timestamp with time zone not null
column delivery.place: bigint not null
column delivery.webhook_id: uuid not null
column delivery.state: delivery_state not null
column delivery.attempts: integer not null default 0
column delivery.due_at: timestamp with time zone not null default clock_timestamp()
column delivery.since: timestamp with time zone not null default clock_timestamp()
column delivery.member_id: text collate "C"
column delivery.outcome: text not null default ''::text
column earned.calculation_id: uuid not null
column earned.rule_id: text collate "C" not null
column earned.account_id: bigint not null
column earned.counted: bigint not null
column earned.given: bigint not null
column earned.at: timestamp with time zone not null
column earned.day: date not null
column earned.factor: integer not null
column earned.is_limited: boolean not null default false
column earned.returned: bigint not null default 0
column earned.taken: bigint not null default 0
column earned.recorded_at: timestamp with time zone not null default clock_timestamp()
column earned_total.account_id: bigint not null
column earned_total.rule_id: text collate "C" not null
column earned_total.total: numeric not null
column earned_total.given: bigint not null
column earned_total.taken: bigint not null default 0
column earned_total.completed: bigint not null default 0
column entry.movement_id: bigint not null
column entry.account_id: bigint not null
column entry.amount: bigint not null
column entry.at: timestamp with time zone not null
column entry.against: system_account not null
column erasure.member_id: text collate "C" not null
column erasure.loyalty_ids: text[] not null
column erasure.asked_at: timestamp with time zone not null default clock_timestamp()
column event.event_id: bigint not null identity
column event.at: timestamp with time zone not null default clock_timestamp()
column event.place: bigint
column event.type: text collate "C" not null
column event.member_id: text collate "C"
column event.body: text not null
column flush_wish.only_row: boolean not null default true
column flush_wish.number: bigint not null
column forgetting_key.id: integer not null default 1
column forgetting_key.inner_key: bytea not null
column forgetting_key.outer_key: bytea not null
column forgotten.digest: bytea not null
column forgotten.forgotten_at: timestamp with time zone not null default clock_timestamp()
column gateway.gateway_id: uuid not null
column gateway.held_since: timestamp with time zone not null
column gateway.held_until: timestamp with time zone not null
column gateway.uses_cache: boolean not null
column gateway.flushed_through: bigint not null
column gateway_process.process_id: uuid not null
column gateway_process.host: text not null
column gateway_process.pid: integer not null
column gateway_process.port: integer not null
column gateway_process.number: integer not null
column gateway_process.version: text not null
column gateway_process.node_version: text not null
column gateway_process.processes: integer not null
column gateway_process.programme_version: integer not null
column gateway_process.cache: text not null
column gateway_process.started_at: timestamp with time zone not null
column gateway_process.seen_at: timestamp with time zone not null
column given_tier.member_id: text collate "C" not null
column given_tier.tier_id: text collate "C" not null
column given_tier.until: timestamp with time zone not null
column given_tier.reason: text not null
column joined_sale.calculation_id: uuid not null
column ladder_sweep.id: integer not null default 1
column ladder_sweep.recorded_at: timestamp with time zone not null default '-infinity'::timestamp with time zone
column ladder_sweep.calculation_id: uuid not null default '00000000-0000-0000-0000-000000000000'::uuid
column ladder_sweep.leased_until: timestamp with time zone not null default '-infinity'::timestamp with time zone
column limit_counter.counter_id: bigint not null identity
column limit_counter.used: bigint not null default 0
column limit_counter.open: bigint not null default 0
column limit_counter.late: bigint not null default 0
column limit_counter.maximum: bigint not null
column limit_counter.limit_id: text collate "C" not null
column limit_counter.subject: text collate "C" not null
column limit_counter.period: text collate "C" not null
column limit_counter.pruned_used: bigint not null default 0
column limit_counter.pruned_late: bigint not null default 0
column limit_counter.merged: bigint not null default 0
column limit_counter.announced: integer not null default 0
column limit_counter.created_at: timestamp with time zone default clock_timestamp()
column limit_sample.counter_id: bigint not null
column limit_sample.at: timestamp with time zone not null
column limit_sample.taken: bigint not null
column limit_sampling.id: integer not null default 1
column limit_sampling.sampled_at: timestamp with time zone not null default '-infinity'::timestamp with time zone
column lot.lot_id: bigint not null default nextval('value_id'::regclass)
column lot.account_id: bigint not null
column lot.amount: bigint not null
column lot.held: bigint not null default 0
column lot.opens_at: timestamp with time zone not null
column lot.expires_at: timestamp with time zone not null default 'infinity'::timestamp with time zone
column lot.activation_id: bigint
column lot.calculation_id: uuid
column lot.awaits_opening: boolean not null default false
column lot.expiry_announced: boolean not null default false
column member.member_id: text collate "C" not null
column member.body: text not null
column member_loyalty_id.loyalty_id: text collate "C" not null
column member_loyalty_id.member_id: text collate "C" not null
column member_visits.member_id: text collate "C" not null
column member_visits.visits: bigint not null
column merged_loyalty_id.loyalty_id: text collate "C" not null
column merged_loyalty_id.member_id: text collate "C" not null
column merged_loyalty_id.into_id: text collate "C" not null
column merged_member.member_id: text collate "C" not null
column merged_member.into_id: text collate "C" not null
column merged_member.merged_at: timestamp with time zone not null default clock_timestamp()
column migration.number: integer not null
column migration.name: text not null
column migration.digest: text not null
column migration.functions: text
column migration.applied_at: timestamp with time zone not null default clock_timestamp()
column movement.movement_id: bigint not null default nextval('value_id'::regclass)
column movement.kind: movement_kind not null
column movement.at: timestamp with time zone not null default clock_timestamp()
column movement.cause: text collate "C" not null
column movement.reason: text not null default ''::text
column movement.actor: text not null default ''::text
column past_loyalty_id.member_id: text collate "C" not null
column past_loyalty_id.loyalty_id: text collate "C" not null
column programme_file.id: integer not null default 1
column programme_file.content_digest: bytea not null
column programme_file.taken_at: timestamp with time zone not null default clock_timestamp()
column programme_proposal.proposal_id: uuid not null
column programme_proposal.base_version: integer not null
column programme_proposal.content_digest: bytea not null
column programme_proposal.document: text not null
column programme_proposal.note: text not null
column programme_proposal.proposed_by: text not null
column programme_proposal.proposed_at: timestamp with time zone not null default clock_timestamp()
column programme_proposal.state: text not null default 'open'::text
column programme_proposal.decided_by: text
column programme_proposal.decided_at: timestamp with time zone
column programme_proposal.reason: text not null default ''::text
column programme_proposal.version: integer
column programme_version.version: integer not null
column programme_version.content_digest: bytea not null
column programme_version.document: text not null
column programme_version.benefits: text not null
column programme_version.published_at: timestamp with time zone not null default clock_timestamp()
column programme_version.published_by: text not null default 'start'::text
column programme_version.rolled_back_to: integer
column programme_version.limits: text not null default '[]'::text
column programme_version.venues: jsonb not null default '{}'::jsonb
column published_limit.limit_id: text collate "C" not null
column published_limit.counts: text not null
column published_member.member_id: text collate "C" not null
column recount.id: integer not null default 1
column recount.next_counter: bigint not null default 0
column recount.next_account: bigint not null default 0
column recount.counters: bigint not null default 0
column recount.accounts: bigint not null default 0
column recount.differences: bigint not null default 0
column recount.passed_over: bigint not null default 0
column recount.sliced_at: timestamp with time zone not null default '1970-01-01 00:00:00+00'::timestamp with time zone
column recount.ended_at: timestamp with time zone
column recount.last_counters: bigint not null default 0
column recount.last_accounts: bigint not null default 0
column recount.last_differences: bigint not null default 0
column recount.last_passed_over: bigint not null default 0
column removed_webhook.webhook_id: uuid not null
column reservation.calculation_id: uuid not null
column reservation.counter_id: bigint not null
column reservation.units: bigint not null
column reservation.held_until: timestamp with time zone
column reservation.state: reservation_state not null default 'open'::reservation_state
column reward_code.digest: bytea not null
column reward_code.currency_id: text collate "C" not null
column reward_code.amount: bigint not null
column reward_code.expires_at: timestamp with time zone not null
column reward_code.state: code_state not null default 'open'::code_state
column sale.calculation_id: uuid not null
column sale.receipt_number: bigint
column sale.paid_total: bigint
column sale.loyalty_discount_total: bigint
column sale.recorded_at: timestamp with time zone not null
column sale.joined_at: timestamp with time zone
column sale.status: sale_status not null
column sale.result: sale_result not null
column sale.loyalty_id_sent: boolean not null
column sale.currency: text not null
column sale.channel: text not null
column sale.occurred_at: text not null
column sale.failure_reason: text
column sale.transaction_id: text
column sale.loyalty_id: text collate "C"
column sale.venue_id: text collate "C"
column sale.bax_id: text collate "C"
column sale.cash_register_id: text collate "C"
column sale.discrepancies: text[] not null
column sale.digest: bytea not null
column sale.body: bytea not null
column sale.feed_place: bigint
column sale.claimed_at: timestamp with time zone
column sale_ladder.calculation_id: uuid not null
column sale_ladder.ladder: text not null
column sale_return.return_id: bigint not null identity
column sale_return.calculation_id: uuid not null
column sale_return.reference: text collate "C" not null
column sale_return.lines: text not null
column sale_return.refund: bigint not null
column sale_return.kept_refund: bigint
column sale_return.taken_back: text not null default '[]'::text
column sale_return.given_back: text not null default '[]'::text
column sale_return.occurred_at: timestamp with time zone not null
column sale_return.recorded_at: timestamp with time zone not null default clock_timestamp()
column sale_return.actor: text not null
column sale_sum.venue_id: text collate "C" not null
column sale_sum.day: date not null
column sale_sum.currency: text collate "C" not null
column sale_sum.sales: bigint not null
column sale_sum.member_sales: bigint not null
column sale_sum.applied: bigint not null
column sale_sum.failed: bigint not null
column sale_sum.cancelled: bigint not null
column sale_sum.paid: bigint not null
column sale_sum.discount: bigint not null
column sums_state.id: integer not null default 1
column sums_state.summed_at: timestamp with time zone not null default '-infinity'::timestamp with time zone
column sums_state.summed_id: uuid not null default '00000000-0000-0000-0000-000000000000'::uuid
column sums_state.next_at: timestamp with time zone not null default '-infinity'::timestamp with time zone
column sums_state.next_xid: xid8 not null default '0'::xid8
column sums_state.pruned_before: timestamp with time zone not null default '-infinity'::timestamp with time zone
column sums_state.reach_since: timestamp with time zone not null default clock_timestamp()
column traffic_minute.minute: timestamp with time zone not null
column traffic_minute.processes: uuid[] not null
column traffic_minute.outcomes: jsonb not null
column traffic_minute.times: jsonb not null
column value_currency.currency_id: text collate "C" not null
column value_currency.name: text not null
column value_currency.scale: integer not null
column value_exchange.from_currency_id: text collate "C" not null
column value_exchange.to_currency_id: text collate "C" not null
column value_exchange.exchange_id: text collate "C" not null
column value_exchange.from_amount: bigint not null
column value_exchange.to_amount: bigint not null
column value_exchange.valid_days: integer
column value_hold.calculation_id: uuid not null
column value_hold.account_id: bigint not null
column value_hold.amount: bigint not null
column value_hold.held_until: timestamp with time zone
column value_hold.state: reservation_state not null default 'open'::reservation_state
column value_hold.used_by: uuid
column value_hold_part.calculation_id: uuid not null
column value_hold_part.account_id: bigint not null
column value_hold_part.place: integer not null
column value_hold_part.lot_id: bigint not null
column value_hold_part.amount: bigint not null
column value_hold_part.opens_at: timestamp with time zone not null
column value_hold_part.expires_at: timestamp with time zone not null
column value_rule.rule_id: text collate "C" not null
column value_rule.currency_id: text collate "C" not null
column value_rule.give: bigint not null
column value_rule.per: text not null
column value_rule.every: bigint
column value_rule.terms: text not null default '{}'::text
column value_sum.span: sum_span not null
column value_sum.venue_id: text collate "C" not null
column value_sum.day: date not null
column value_sum.source_id: text collate "C" not null
column value_sum.currency_id: text collate "C" not null
column value_sum.earned: bigint not null
column value_sum.spent: bigint not null
column value_tier.tier_id: text collate "C" not null
column value_tier.rank: integer not null
column value_tier.currency_id: text collate "C" not null
column value_tier.amount: bigint not null
column value_tier.window_months: integer not null
column value_tier.keep_months: integer not null
column venue.venue_id: text collate "C" not null
column venue.body: text not null
column venue.time_zone: text default "substring"(body, '"timeZone":"([^"\\]*)"'::text)
column venue.zone_since: timestamp with time zone not null default clock_timestamp()
column webhook.webhook_id: uuid not null
column webhook.url: text not null
column webhook.secret: bytea not null
column webhook.types: text[] not null
column webhook.created_at: timestamp with time zone not null default clock_timestamp()
column webhook.place: bigint not null
column webhook.disabled_at: timestamp with time zone
column webhook.failing_since: timestamp with time zone
column webhook.paused_until: timestamp with time zone not null default '-infinity'::timestamp with time zone
column wrong_code.member_id: text collate "C" not null
column wrong_code.at: timestamp with time zone not null
constraint account_debt_check on account: CHECK ((debt >= 0))
constraint account_member_id_currency_id_key on account: UNIQUE (member_id, currency_id)
constraint account_pkey on account: PRIMARY KEY (account_id)
constraint activation_pkey on activation: PRIMARY KEY (activation_id)
constraint activation_part_amount_check on activation_part: CHECK ((amount > 0))
constraint activation_part_pkey on activation_part: PRIMARY KEY (activation_id, place)
constraint announced_tier_pkey on announced_tier: PRIMARY KEY (member_id)
constraint audit_record_pkey on audit_record: PRIMARY KEY (audit_id)
constraint bax_pkey on bax: PRIMARY KEY (bax_id)
constraint bax_venue_id_fkey on bax: FOREIGN KEY (venue_id) REFERENCES venue(venue_id)
constraint benefit_member_pkey on benefit_member: PRIMARY KEY (member_id, benefit_id)
constraint benefit_reach_pkey on benefit_reach: PRIMARY KEY (day, benefit_id)
constraint benefit_sum_pkey on benefit_sum: PRIMARY KEY (span, venue_id, day, benefit_id, currency)
constraint calculation_pkey on calculation: PRIMARY KEY (calculation_id)
constraint calculation_body_pkey on calculation_body: PRIMARY KEY (calculation_id, day)
constraint change_pkey on change: PRIMARY KEY (revision)
constraint change_order_pkey on change_order: PRIMARY KEY (request_id)
constraint completed_units_pkey on completed_units: PRIMARY KEY (account_id, rule_id, day)
constraint console_session_pkey on console_session: PRIMARY KEY (digest)
constraint delivery_pkey on delivery: PRIMARY KEY (place, webhook_id)
constraint earned_check on earned: CHECK (((returned >= 0) AND (returned <= counted)))
constraint earned_pkey on earned: PRIMARY KEY (calculation_id, rule_id)
constraint earned_taken_check on earned: CHECK ((taken >= 0))
constraint earned_total_check on earned_total: CHECK (((taken >= 0) AND (taken <= given)))
constraint earned_total_pkey on earned_total: PRIMARY KEY (account_id, rule_id)
constraint entry_amount_check on entry: CHECK ((amount <> 0))
constraint entry_pkey on entry: PRIMARY KEY (movement_id, account_id, against)
constraint erasure_pkey on erasure: PRIMARY KEY (member_id)
constraint event_pkey on event: PRIMARY KEY (event_id)
constraint flush_wish_only_row_check on flush_wish: CHECK (only_row)
constraint flush_wish_pkey on flush_wish: PRIMARY KEY (only_row)
constraint forgetting_key_id_check on forgetting_key: CHECK ((id = 1))
constraint forgetting_key_pkey on forgetting_key: PRIMARY KEY (id)
constraint forgotten_pkey on forgotten: PRIMARY KEY (digest)
constraint gateway_pkey on gateway: PRIMARY KEY (gateway_id)
constraint gateway_process_cache_check on gateway_process: CHECK ((cache = ANY (ARRAY['up'::text, 'down'::text, 'absent'::text])))
constraint gateway_process_pkey on gateway_process: PRIMARY KEY (process_id)
constraint given_tier_pkey on given_tier: PRIMARY KEY (member_id)
constraint joined_sale_pkey on joined_sale: PRIMARY KEY (calculation_id)
constraint ladder_sweep_id_check on ladder_sweep: CHECK ((id = 1))
constraint ladder_sweep_pkey on ladder_sweep: PRIMARY KEY (id)
constraint limit_counter_late_check on limit_counter: CHECK ((late >= 0))
constraint limit_counter_limit_id_subject_period_key on limit_counter: UNIQUE (limit_id, subject, period)
constraint limit_counter_open_check on limit_counter: CHECK ((open >= 0))
constraint limit_counter_pkey on limit_counter: PRIMARY KEY (counter_id)
constraint limit_counter_used_check on limit_counter: CHECK ((used >= 0))
constraint limit_sample_pkey on limit_sample: PRIMARY KEY (counter_id, at)
constraint limit_sampling_id_check on limit_sampling: CHECK ((id = 1))
constraint limit_sampling_pkey on limit_sampling: PRIMARY KEY (id)
constraint lot_amount_check on lot: CHECK ((amount > 0))
constraint lot_check on lot: CHECK (((held >= 0) AND (held <= amount)))
constraint lot_check1 on lot: CHECK ((opens_at < expires_at))
constraint lot_pkey on lot: PRIMARY KEY (lot_id)
constraint member_pkey on member: PRIMARY KEY (member_id)
constraint member_loyalty_id_member_id_fkey on member_loyalty_id: FOREIGN KEY (member_id) REFERENCES member(member_id)
constraint member_loyalty_id_pkey on member_loyalty_id: PRIMARY KEY (loyalty_id)
constraint member_visits_pkey on member_visits: PRIMARY KEY (member_id)
constraint member_visits_visits_check on member_visits: CHECK ((visits >= 0))
constraint merged_loyalty_id_pkey on merged_loyalty_id: PRIMARY KEY (loyalty_id)
constraint merged_member_pkey on merged_member: PRIMARY KEY (member_id)
constraint migration_pkey on migration: PRIMARY KEY (number)
constraint movement_cause_key on movement: UNIQUE (cause)
constraint movement_pkey on movement: PRIMARY KEY (movement_id)
constraint past_loyalty_id_loyalty_id_member_id_key on past_loyalty_id: UNIQUE (loyalty_id, member_id)
constraint past_loyalty_id_pkey on past_loyalty_id: PRIMARY KEY (member_id, loyalty_id)
constraint programme_file_id_check on programme_file: CHECK ((id = 1))
constraint programme_file_pkey on programme_file: PRIMARY KEY (id)
constraint programme_proposal_age on programme_proposal: UNIQUE (proposed_at, proposal_id)
constraint programme_proposal_pkey on programme_proposal: PRIMARY KEY (proposal_id)
constraint programme_proposal_state_check on programme_proposal: CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'declined'::text])))
constraint programme_version_pkey on programme_version: PRIMARY KEY (version)
constraint published_limit_pkey on published_limit: PRIMARY KEY (limit_id)
constraint published_member_pkey on published_member: PRIMARY KEY (member_id)
constraint recount_id_check on recount: CHECK ((id = 1))
constraint recount_pkey on recount: PRIMARY KEY (id)
constraint removed_webhook_pkey on removed_webhook: PRIMARY KEY (webhook_id)
constraint reservation_check on reservation: CHECK (((held_until IS NOT NULL) = (state = 'open'::reservation_state)))
constraint reservation_pkey on reservation: PRIMARY KEY (calculation_id, counter_id)
constraint reservation_units_check on reservation: CHECK ((units > 0))
constraint reward_code_amount_check on reward_code: CHECK ((amount > 0))
constraint reward_code_pkey on reward_code: PRIMARY KEY (digest)
constraint sale_pkey on sale: PRIMARY KEY (calculation_id)
constraint sale_ladder_pkey on sale_ladder: PRIMARY KEY (calculation_id)
constraint sale_return_calculation_id_reference_key on sale_return: UNIQUE (calculation_id, reference)
constraint sale_return_pkey on sale_return: PRIMARY KEY (return_id)
constraint sale_return_refund_check on sale_return: CHECK ((refund >= 0))
constraint sale_sum_pkey on sale_sum: PRIMARY KEY (venue_id, day, currency)
constraint sums_state_id_check on sums_state: CHECK ((id = 1))
constraint sums_state_pkey on sums_state: PRIMARY KEY (id)
constraint traffic_minute_pkey on traffic_minute: PRIMARY KEY (minute)
constraint value_currency_pkey on value_currency: PRIMARY KEY (currency_id)
constraint value_currency_scale_check on value_currency: CHECK (((scale >= 0) AND (scale <= 4)))
constraint value_exchange_from_amount_check on value_exchange: CHECK ((from_amount > 0))
constraint value_exchange_pkey on value_exchange: PRIMARY KEY (from_currency_id, to_currency_id)
constraint value_exchange_to_amount_check on value_exchange: CHECK ((to_amount > 0))
constraint value_hold_amount_check on value_hold: CHECK ((amount > 0))
constraint value_hold_check on value_hold: CHECK (((held_until IS NOT NULL) = (state = 'open'::reservation_state)))
constraint value_hold_pkey on value_hold: PRIMARY KEY (calculation_id, account_id)
constraint value_hold_part_amount_check on value_hold_part: CHECK ((amount > 0))
constraint value_hold_part_pkey on value_hold_part: PRIMARY KEY (calculation_id, account_id, place)
constraint value_rule_pkey on value_rule: PRIMARY KEY (rule_id)
constraint value_sum_pkey on value_sum: PRIMARY KEY (span, venue_id, day, source_id, currency_id)
constraint value_tier_amount_check on value_tier: CHECK ((amount > 0))
constraint value_tier_pkey on value_tier: PRIMARY KEY (tier_id)
constraint value_tier_rank_key on value_tier: UNIQUE (rank)
constraint venue_pkey on venue: PRIMARY KEY (venue_id)
constraint webhook_pkey on webhook: PRIMARY KEY (webhook_id)
index: CREATE UNIQUE INDEX account_member_id_currency_id_key ON public.account USING btree (member_id, currency_id)
index: CREATE INDEX account_merged_into ON public.account USING btree (merged_into) WHERE (merged_into IS NOT NULL)
index: CREATE UNIQUE INDEX account_pkey ON public.account USING btree (account_id)
index: CREATE INDEX activation_of_account ON public.activation USING btree (from_account)
index: CREATE UNIQUE INDEX activation_part_pkey ON public.activation_part USING btree (activation_id, place)
index: CREATE UNIQUE INDEX activation_pkey ON public.activation USING btree (activation_id)
index: CREATE INDEX announced_tier_lapse ON public.announced_tier USING btree (lapses_at)
index: CREATE UNIQUE INDEX announced_tier_pkey ON public.announced_tier USING btree (member_id)
index: CREATE INDEX audit_of_subject ON public.audit_record USING btree (subject_kind, subject_id, audit_id)
index: CREATE UNIQUE INDEX audit_record_pkey ON public.audit_record USING btree (audit_id)
index: CREATE INDEX bax_of_venue ON public.bax USING btree (venue_id)
index: CREATE UNIQUE INDEX bax_pkey ON public.bax USING btree (bax_id)
index: CREATE UNIQUE INDEX benefit_member_pkey ON public.benefit_member USING btree (member_id, benefit_id)
index: CREATE UNIQUE INDEX benefit_reach_pkey ON public.benefit_reach USING btree (day, benefit_id)
index: CREATE INDEX benefit_sum_day ON public.benefit_sum USING btree (span, day)
index: CREATE UNIQUE INDEX benefit_sum_pkey ON public.benefit_sum USING btree (span, venue_id, day, benefit_id, currency)
index: CREATE INDEX calculation_age ON public.calculation USING btree (answered_at, calculation_id)
index: CREATE UNIQUE INDEX calculation_body_pkey ON ONLY public.calculation_body USING btree (calculation_id, day)
index: CREATE INDEX calculation_expiry ON public.calculation USING btree (expires_at) WHERE (state = 'open'::calculation_state)
index: CREATE INDEX calculation_of_loyalty_id ON public.calculation USING btree (loyalty_id, answered_at, calculation_id) WHERE (loyalty_id IS NOT NULL)
index: CREATE INDEX calculation_of_member ON public.calculation USING btree (member_id, answered_at, calculation_id) WHERE (member_id IS NOT NULL)
index: CREATE INDEX calculation_of_venue ON public.calculation USING btree (venue_id, answered_at, calculation_id) WHERE (net_before >= 0)
index: CREATE UNIQUE INDEX calculation_pkey ON public.calculation USING btree (calculation_id)
index: CREATE INDEX calculation_superseder ON public.calculation USING btree (supersedes_calculation_id) WHERE (supersedes_calculation_id IS NOT NULL)
index: CREATE INDEX change_age ON public.change USING btree (changed_at)
index: CREATE INDEX change_order_age ON public.change_order USING btree (made_at)
index: CREATE UNIQUE INDEX change_order_pkey ON public.change_order USING btree (request_id)
index: CREATE UNIQUE INDEX change_pkey ON public.change USING btree (revision)
index: CREATE UNIQUE INDEX completed_units_pkey ON public.completed_units USING btree (account_id, rule_id, day)
index: CREATE INDEX console_session_end ON public.console_session USING btree (ends_at)
index: CREATE UNIQUE INDEX console_session_pkey ON public.console_session USING btree (digest)
index: CREATE INDEX delivery_due ON public.delivery USING btree (webhook_id, due_at, place) WHERE (state = 'due'::delivery_state)
index: CREATE INDEX delivery_failed ON public.delivery USING btree (webhook_id, place) WHERE (state = 'failed'::delivery_state)
index: CREATE INDEX delivery_pending ON public.delivery USING btree (webhook_id, member_id, place) WHERE (state = ANY (ARRAY['waiting'::delivery_state, 'due'::delivery_state]))
index: CREATE UNIQUE INDEX delivery_pkey ON public.delivery USING btree (place, webhook_id)
index: CREATE INDEX earned_age ON public.earned USING btree (account_id, recorded_at)
index: CREATE INDEX earned_of_account ON public.earned USING btree (account_id, rule_id, at)
index: CREATE UNIQUE INDEX earned_pkey ON public.earned USING btree (calculation_id, rule_id)
index: CREATE UNIQUE INDEX earned_total_pkey ON public.earned_total USING btree (account_id, rule_id)
index: CREATE INDEX entry_of_account ON public.entry USING btree (account_id, at, movement_id)
index: CREATE UNIQUE INDEX entry_pkey ON public.entry USING btree (movement_id, account_id, against)
index: CREATE UNIQUE INDEX erasure_pkey ON public.erasure USING btree (member_id)
index: CREATE UNIQUE INDEX event_feed ON public.event USING btree (place) WHERE (place IS NOT NULL)
index: CREATE INDEX event_of_member ON public.event USING btree (member_id, event_id) WHERE (member_id IS NOT NULL)
index: CREATE UNIQUE INDEX event_pkey ON public.event USING btree (event_id)
index: CREATE INDEX event_unplaced ON public.event USING btree (event_id) WHERE (place IS NULL)
index: CREATE UNIQUE INDEX flush_wish_pkey ON public.flush_wish USING btree (only_row)
index: CREATE UNIQUE INDEX forgetting_key_pkey ON public.forgetting_key USING btree (id)
index: CREATE UNIQUE INDEX forgotten_pkey ON public.forgotten USING btree (digest)
index: CREATE UNIQUE INDEX gateway_pkey ON public.gateway USING btree (gateway_id)
index: CREATE UNIQUE INDEX gateway_process_pkey ON public.gateway_process USING btree (process_id)
index: CREATE UNIQUE INDEX given_tier_pkey ON public.given_tier USING btree (member_id)
index: CREATE UNIQUE INDEX joined_sale_pkey ON public.joined_sale USING btree (calculation_id)
index: CREATE UNIQUE INDEX ladder_sweep_pkey ON public.ladder_sweep USING btree (id)
index: CREATE UNIQUE INDEX limit_counter_limit_id_subject_period_key ON public.limit_counter USING btree (limit_id, subject, period)
index: CREATE UNIQUE INDEX limit_counter_pkey ON public.limit_counter USING btree (counter_id)
index: CREATE INDEX limit_counter_subject ON public.limit_counter USING btree (subject, limit_id, period) WHERE (subject <> ''::text)
index: CREATE UNIQUE INDEX limit_sample_pkey ON public.limit_sample USING btree (counter_id, at)
index: CREATE UNIQUE INDEX limit_sampling_pkey ON public.limit_sampling USING btree (id)
index: CREATE INDEX lot_expiring ON public.lot USING btree (expires_at) WHERE ((NOT expiry_announced) AND (expires_at < 'infinity'::timestamp with time zone))
index: CREATE INDEX lot_expiry ON public.lot USING btree (expires_at) WHERE (expires_at < 'infinity'::timestamp with time zone)
index: CREATE INDEX lot_of_account ON public.lot USING btree (account_id, expires_at, lot_id)
index: CREATE INDEX lot_opening ON public.lot USING btree (opens_at) WHERE awaits_opening
index: CREATE UNIQUE INDEX lot_pkey ON public.lot USING btree (lot_id)
index: CREATE INDEX loyalty_id_of_member ON public.member_loyalty_id USING btree (member_id)
index: CREATE UNIQUE INDEX member_loyalty_id_pkey ON public.member_loyalty_id USING btree (loyalty_id)
index: CREATE UNIQUE INDEX member_pkey ON public.member USING btree (member_id)
index: CREATE UNIQUE INDEX member_visits_pkey ON public.member_visits USING btree (member_id)
index: CREATE INDEX merged_into ON public.merged_member USING btree (into_id)
index: CREATE INDEX merged_loyalty_id_of ON public.merged_loyalty_id USING btree (into_id)
index: CREATE UNIQUE INDEX merged_loyalty_id_pkey ON public.merged_loyalty_id USING btree (loyalty_id)
index: CREATE UNIQUE INDEX merged_member_pkey ON public.merged_member USING btree (member_id)
index: CREATE UNIQUE INDEX migration_pkey ON public.migration USING btree (number)
index: CREATE UNIQUE INDEX movement_cause_key ON public.movement USING btree (cause)
index: CREATE UNIQUE INDEX movement_pkey ON public.movement USING btree (movement_id)
index: CREATE UNIQUE INDEX past_loyalty_id_loyalty_id_member_id_key ON public.past_loyalty_id USING btree (loyalty_id, member_id)
index: CREATE UNIQUE INDEX past_loyalty_id_pkey ON public.past_loyalty_id USING btree (member_id, loyalty_id)
index: CREATE UNIQUE INDEX programme_file_pkey ON public.programme_file USING btree (id)
index: CREATE UNIQUE INDEX programme_proposal_age ON public.programme_proposal USING btree (proposed_at, proposal_id)
index: CREATE UNIQUE INDEX programme_proposal_pkey ON public.programme_proposal USING btree (proposal_id)
index: CREATE UNIQUE INDEX programme_version_pkey ON public.programme_version USING btree (version)
index: CREATE UNIQUE INDEX published_limit_pkey ON public.published_limit USING btree (limit_id)
index: CREATE UNIQUE INDEX published_member_pkey ON public.published_member USING btree (member_id)
index: CREATE UNIQUE INDEX recount_pkey ON public.recount USING btree (id)
index: CREATE UNIQUE INDEX removed_webhook_pkey ON public.removed_webhook USING btree (webhook_id)
index: CREATE INDEX reservation_held ON public.reservation USING btree (counter_id, held_until) WHERE (held_until IS NOT NULL)
index: CREATE INDEX reservation_of_counter ON public.reservation USING btree (counter_id) WHERE (units > 0)
index: CREATE UNIQUE INDEX reservation_pkey ON public.reservation USING btree (calculation_id, counter_id)
index: CREATE UNIQUE INDEX reward_code_pkey ON public.reward_code USING btree (digest)
index: CREATE INDEX sale_age ON public.sale USING btree (recorded_at, calculation_id)
index: CREATE INDEX sale_discrepancy ON public.sale USING btree (recorded_at, calculation_id) WHERE (discrepancies <> '{}'::text[])
index: CREATE UNIQUE INDEX sale_feed ON public.sale USING btree (feed_place) WHERE (feed_place IS NOT NULL)
index: CREATE UNIQUE INDEX sale_ladder_pkey ON public.sale_ladder USING btree (calculation_id)
index: CREATE INDEX sale_of_loyalty_id ON public.sale USING btree (loyalty_id) WHERE (loyalty_id IS NOT NULL)
index: CREATE INDEX sale_of_venue ON public.sale USING btree (venue_id, recorded_at, calculation_id) WHERE (venue_id IS NOT NULL)
index: CREATE UNIQUE INDEX sale_pkey ON public.sale USING btree (calculation_id)
index: CREATE INDEX sale_receipt ON public.sale USING btree (receipt_number) WHERE (receipt_number IS NOT NULL)
index: CREATE INDEX sale_return_age ON public.sale_return USING btree (recorded_at, return_id)
index: CREATE UNIQUE INDEX sale_return_calculation_id_reference_key ON public.sale_return USING btree (calculation_id, reference)
index: CREATE UNIQUE INDEX sale_return_pkey ON public.sale_return USING btree (return_id)
index: CREATE INDEX sale_sum_day ON public.sale_sum USING btree (day)
index: CREATE UNIQUE INDEX sale_sum_pkey ON public.sale_sum USING btree (venue_id, day, currency)
index: CREATE INDEX sale_transaction ON public.sale USING btree (transaction_id) WHERE (transaction_id IS NOT NULL)
index: CREATE INDEX sale_unplaced ON public.sale USING btree (recorded_at, calculation_id) WHERE (feed_place IS NULL)
index: CREATE UNIQUE INDEX sums_state_pkey ON public.sums_state USING btree (id)
index: CREATE UNIQUE INDEX traffic_minute_pkey ON public.traffic_minute USING btree (minute)
index: CREATE UNIQUE INDEX value_currency_pkey ON public.value_currency USING btree (currency_id)
index: CREATE UNIQUE INDEX value_exchange_pkey ON public.value_exchange USING btree (from_currency_id, to_currency_id)
index: CREATE INDEX value_hold_of_account ON public.value_hold USING btree (account_id) WHERE (amount > 0)
index: CREATE INDEX value_hold_open ON public.value_hold USING btree (account_id, held_until) WHERE (held_until IS NOT NULL)
index: CREATE UNIQUE INDEX value_hold_part_pkey ON public.value_hold_part USING btree (calculation_id, account_id, place)
index: CREATE UNIQUE INDEX value_hold_pkey ON public.value_hold USING btree (calculation_id, account_id)
index: CREATE INDEX value_hold_used_by ON public.value_hold USING btree (used_by) WHERE (used_by IS NOT NULL)
index: CREATE UNIQUE INDEX value_rule_pkey ON public.value_rule USING btree (rule_id)
index: CREATE INDEX value_sum_day ON public.value_sum USING btree (span, day)
index: CREATE UNIQUE INDEX value_sum_pkey ON public.value_sum USING btree (span, venue_id, day, source_id, currency_id)
index: CREATE UNIQUE INDEX value_tier_pkey ON public.value_tier USING btree (tier_id)
index: CREATE UNIQUE INDEX value_tier_rank_key ON public.value_tier USING btree (rank)
index: CREATE UNIQUE INDEX venue_pkey ON public.venue USING btree (venue_id)
index: CREATE UNIQUE INDEX webhook_pkey ON public.webhook USING btree (webhook_id)
index: CREATE INDEX wrong_code_of_member ON public.wrong_code USING btree (member_id, at)

function account_available(p_account bigint) returns bigint

begin
  return (
    select coalesce(sum(l.amount - l.held), 0) from lot l where l.account_id = p_account and l.opens_at <= clock_timestamp()
  );
end


function account_room(p_account bigint, p_pays_debt boolean) returns bigint

begin
  return (
    select 9007199254740991 - coalesce((select sum(l.amount) from lot l where l.account_id = p_account), 0)::bigint
      + case when p_pays_debt then a.debt else 0 end
    from account a where a.account_id = p_account
  );
end


function account_snapshot(p_account bigint) returns text

  select json_build_object(
    'currencyId', a.currency_id, 'available', s.available, 'pending', s.pending, 'held', s.held, 'debt', a.debt
  )::text
  from account a, account_sums(a.account_id, clock_timestamp()) s
  where a.account_id = p_account


function account_sums(p_account bigint, p_at timestamp with time zone, OUT available bigint, OUT pending bigint, OUT held bigint) returns record

  select
    coalesce(sum(l.amount - l.held) filter (where l.opens_at <= p_at and l.expires_at > p_at), 0)::bigint,
    coalesce(sum(l.amount - l.held) filter (where l.opens_at > p_at), 0)::bigint,
    coalesce(sum(l.held), 0)::bigint
  from (
    select o.amount, o.opens_at, o.expires_at, o.held - ended_holds(o, p_at) as held from lot o where o.account_id = p_account
  ) l


function activate(p_by change_context, p_exchange value_exchange, p_from bigint, p_to bigint, p_times integer) returns json

declare
  v_before text[] := array[account_snapshot(p_from), account_snapshot(p_to)];
  v_movement movement := add_movement('activated', 'request:' || p_by.request_id, '', p_by.actor);
  v_expires timestamptz := coalesce(v_movement.at + p_exchange.valid_days * interval '24 hours', 'infinity');
  v_left bigint;
begin
  if v_movement.movement_id is null then
    return '{"kind":"request_id_conflict"}';
  end if;
  insert into activation (activation_id, from_account, to_account, from_amount, to_amount)
  values (v_movement.movement_id, p_from, p_to, p_exchange.from_amount, p_exchange.to_amount);
  insert into activation_part (activation_id, place, amount, opens_at, expires_at)
  select v_movement.movement_id, d.ordinality, d.amount, d.opens_at, d.expires_at
  from debit(v_movement, p_from, 'redeemed', p_exchange.from_amount * p_times) with ordinality d;
  perform add_entry(v_movement, p_to, 'issued', p_exchange.to_amount * p_times);
  v_left := pay_debt(p_to, p_exchange.to_amount * p_times);
  if v_left > 0 then
    insert into lot (account_id, amount, opens_at, expires_at, activation_id)
    values (p_to, v_left, v_movement.at, v_expires, v_movement.movement_id);
  end if;
  perform audit_accounts(p_by, array[p_from, p_to], v_before);
  return json_build_object(
    'kind', 'done', 'activation', v_movement.movement_id, 'fromAmount', p_exchange.from_amount * p_times,
    'toAmount', p_exchange.to_amount * p_times,
    'expiresAt', case when v_expires < 'infinity' then milliseconds(v_expires) end
  );
end


function add_counts(p_one jsonb, p_other jsonb) returns jsonb

  select coalesce(jsonb_object_agg(s.name, s.count), '{}')
  from (
    select c.key as name, sum(c.value::bigint) as count
    from (select * from jsonb_each_text(p_one) union all select * from jsonb_each_text(p_other)) c
    group by c.key
  ) s


function add_deliveries(p_max integer) returns void

declare
  v_webhook webhook;
  v_until bigint;
begin
  for v_webhook in
    select w.* from webhook w where w.place < last_event_place() and w.disabled_at is null order by w.webhook_id for update skip locked
  loop
    v_until := least(v_webhook.place + p_max, last_event_place());
    insert into delivery (place, webhook_id, member_id, state)
    select e.place, v_webhook.webhook_id, e.member_id, case
      when e.member_id is null then 'due'
      when row_number() over (partition by e.member_id order by e.place) > 1 then 'waiting'
      when is_pending(v_webhook.webhook_id, e.member_id) then 'waiting'
      else 'due'
    end::delivery_state
    from event e
    where e.place is not null and e.place > v_webhook.place and e.place <= v_until
      and (v_webhook.types = '{}' or e.type = any (v_webhook.types))
    on conflict do nothing;
    update webhook w set place = v_until where w.webhook_id = v_webhook.webhook_id;
  end loop;
end


function add_entries(p_movement movement, p_against system_account, p_credits value_credit[]) returns void

declare
  v_kind text := (p_movement).kind;
begin
  with added as (
    insert into entry (movement_id, account_id, amount, at, against)
    select (p_movement).movement_id, n.account_id, n.amount, (p_movement).at, p_against
    from unnest(p_credits) n
    returning account_id, amount
  )
  insert into event (at, type, member_id, body)
  select (p_movement).at,
    -- A call of it costs each sale 0.1 ms.
    case when v_kind in ('activated', 'cancelled', 'used') then value_event_type(v_kind, p_against, a.account_id)
      else 'value.' || v_kind end,
    case when v_kind <> 'forfeited' then a.member_id end,
    json_build_object(
      'currencyId', a.currency_id, 'amount', n.amount, 'movementId', (p_movement).movement_id,
      'cause', case when v_kind <> 'imported' then (p_movement).cause end
    )::text
  from added n join account a on a.account_id = n.account_id;
end


function add_entry(p_movement movement, p_account bigint, p_against system_account, p_amount bigint) returns void

begin
  perform add_entries(p_movement, p_against, array[row (p_account, p_amount, null, null)::value_credit]);
end


function add_event(p_type text, p_member text, p_body json) returns void

  insert into event (type, member_id, body) values (p_type, p_member, p_body::text)


function add_imports(p_causes text[], p_actor text) returns bigint[]

declare
  -- One time for all: value that opens with one row is open for the next.
  v_now timestamptz := clock_timestamp();
  v_added bigint[];
begin
  -- In the order of their causes: two imports with the same references wait for each other in one order.
  with added as (
    insert into movement (kind, at, cause, actor)
    select 'imported', v_now, c.cause, p_actor from unnest(p_causes) c (cause) order by c.cause collate "C"
    on conflict (cause) do nothing
    returning movement_id
  )
  select array_agg(a.movement_id) into v_added from added a;
  if cardinality(v_added) is distinct from cardinality(p_causes) or exists (
    select from forgetting_key k, unnest(p_causes) c (cause) join movement m on true
    where m.cause = erased_cause(k, c.cause)
  ) then
    delete from movement m where m.movement_id = any (v_added);
    return null;
  end if;
  return array(
    select (select m.movement_id from movement m where m.cause = c.cause)
    from unnest(p_causes) with ordinality c (cause, place)
    order by c.place
  );
end


function add_movement(p_kind movement_kind, p_cause text, p_reason text, p_actor text) returns movement

declare
  v_movement movement;
begin
  insert into movement (kind, cause, reason, actor) values (p_kind, p_cause, p_reason, p_actor)
  on conflict (cause) do nothing
  returning * into v_movement;
  return v_movement;
end


function add_places(p_counts bigint[], p_places integer[], p_more bigint[]) returns bigint[]

begin
  for v_at in 1 .. cardinality(p_places) loop
    p_counts[p_places[v_at]] := coalesce(p_counts[p_places[v_at]], 0) + coalesce(p_more[v_at], 0);
  end loop;
  return p_counts;
end


function add_programme(p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json, p_by change_context, p_rolled_back_to integer) returns integer

declare
  v_newest integer := (select max(v.version) from programme_version v);
  v_version integer := coalesce(v_newest, 0) + 1;
  v_changed json := changed_venues(p_venues);
  v_bax_ids text[] := array(
    select x.bax_id from json_to_recordset(v_changed) as v (venue_id text) join bax x on x.venue_id = v.venue_id
  );
begin
  insert into programme_version (version, content_digest, document, benefits, limits, published_by, rolled_back_to, venues)
  values (
    v_version, p_digest, p_document, p_benefits, p_limits::text, p_by.actor, p_rolled_back_to,
    coalesce((select v.venues from programme_version v where v.version = p_rolled_back_to), venue_digests(p_venues))
  );
  insert into change (kind, id) values ('programme', v_version::text);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'programme', v_version::text,
    case when v_newest is not null then json_build_object('version', v_newest)::text end,
    json_build_object('version', v_version, 'digest', encode(p_digest, 'hex'), 'rolledBackTo', p_rolled_back_to)::text
  );
  perform change_venues(v_changed, p_by);
  perform change_venues(missing_bax_ids(p_venues, v_bax_ids), p_by);
  perform enrol_members(p_members, p_by);
  perform store_limits(p_limits);
  perform store_currencies(p_currencies);
  perform store_tiers(p_benefits);
  if p_rolled_back_to is null then
    perform store_exchanges(p_currencies);
  end if;
  return v_version;
end


function add_reach(p_sales uuid[]) returns void

declare
  v_members text[];
  v_benefits text[];
  v_days date[];
  v_day date;
begin
  select array_agg(r.member_id), array_agg(r.benefit_id), array_agg(r.day) into v_members, v_benefits, v_days
  from (
    select distinct c.member_id, b.benefit_id, g.day
    from calculation c cross join lateral given_by_sales(array[c.calculation_id]) g
    cross join lateral (values (g.benefit_id), ('')) b (benefit_id)
    where c.calculation_id = any (p_sales) and c.member_id is not null and g.redeemed
  ) r;
  for v_day in select distinct d.day from unnest(v_days) d (day) order by d.day loop
    with got as (
      select r.member_id, r.benefit_id from unnest(v_members, v_benefits, v_days) r (member_id, benefit_id, day)
      where r.day = v_day
    ), changed as materialized (
      select g.member_id, g.benefit_id, m.last_day, m.day_before
      from got g left join benefit_member m on m.member_id = g.member_id collate "C" and m.benefit_id = g.benefit_id collate "C"
      where m.last_day is null or v_day > m.last_day
        or (v_day < m.last_day and v_day > coalesce(m.day_before, '-infinity'))
    ), kept as (
      insert into benefit_member (member_id, benefit_id, last_day, day_before)
      select c.member_id, c.benefit_id, greatest(v_day, c.last_day), case when v_day > c.last_day then c.last_day
        when v_day < c.last_day then v_day end
      from changed c order by c.member_id, c.benefit_id
      on conflict (member_id, benefit_id) do update set last_day = excluded.last_day, day_before = excluded.day_before
    ), moved as (
      select c.benefit_id, v_day as day, reach_place(v_day, case when v_day > c.last_day then c.last_day else c.day_before end) as place,
        1 as members
      from changed c
      union all
      -- A day in between: who came again on the last one came again after it.
      select c.benefit_id, c.last_day, reach_place(c.last_day, b.before), b.members
      from changed c cross join lateral (values (c.day_before, -1), (v_day, 1)) b (before, members)
      where v_day < c.last_day
    ), sums as (
      select m.benefit_id, m.day, coalesce(m.place, 0) as place, sum(m.members)::bigint as members
      from moved m group by m.benefit_id, m.day, coalesce(m.place, 0)
    )
    insert into benefit_reach as r (benefit_id, day, first, again)
    select s.benefit_id, s.day, coalesce(sum(s.members) filter (where s.place = 0), 0),
      add_places('{}', coalesce(array_agg(s.place) filter (where s.place > 0), '{}'), array_agg(s.members) filter (where s.place > 0))
    from sums s group by s.benefit_id, s.day
    order by s.day, s.benefit_id
    on conflict (day, benefit_id) do update set first = r.first + excluded.first,
      again = add_places(r.again, array(select generate_subscripts(excluded.again, 1)), excluded.again);
  end loop;
end


function add_sums(p_new uuid[], p_given uuid[], p_earning uuid[]) returns void

begin
  insert into sale_sum as t
  select f.venue_id, f.day, f.currency, sum(f.sales), sum(f.member_sales), sum(f.applied), sum(f.failed), sum(f.cancelled), sum(f.paid),
    sum(f.discount)
  from sale_figures(p_new) f group by f.venue_id, f.day, f.currency
  on conflict (venue_id, day, currency) do update set
    sales = t.sales + excluded.sales, member_sales = t.member_sales + excluded.member_sales, applied = t.applied + excluded.applied,
    failed = t.failed + excluded.failed, cancelled = t.cancelled + excluded.cancelled, paid = t.paid + excluded.paid,
    discount = t.discount + excluded.discount;

  insert into benefit_sum as t
  select k.span, k.venue_id, k.day, f.benefit_id, f.currency, sum(f.calculations), sum(f.redemptions), sum(f.discount), sum(f.paid)
  from benefit_figures(p_given) f cross join lateral sum_keys(f.venue_id, f.day) k
  group by k.span, k.venue_id, k.day, f.benefit_id, f.currency
  on conflict (span, venue_id, day, benefit_id, currency) do update set
    calculations = t.calculations + excluded.calculations, redemptions = t.redemptions + excluded.redemptions,
    discount = t.discount + excluded.discount, paid = t.paid + excluded.paid;

  insert into value_sum as t
  select k.span, k.venue_id, k.day, f.source_id, f.currency_id, sum(f.earned), sum(f.spent)
  from value_figures(p_earning) f cross join lateral sum_keys(f.venue_id, f.day) k
  group by k.span, k.venue_id, k.day, f.source_id, f.currency_id
  on conflict (span, venue_id, day, source_id, currency_id) do update set
    earned = t.earned + excluded.earned, spent = t.spent + excluded.spent;

  perform add_reach(p_given);
end


function add_traffic(p_process uuid, p_minutes json) returns void

  insert into traffic_minute as t (minute, processes, outcomes, times)
  select date_trunc('minute', to_timestamp(m.at / 1000)), array[p_process], m.outcomes, m.times
  from json_to_recordset(p_minutes) as m (at float8, outcomes jsonb, times jsonb)
  order by m.at
  on conflict (minute) do update set
    processes = t.processes || excluded.processes, outcomes = add_counts(t.outcomes, excluded.outcomes),
    times = add_counts(t.times, excluded.times)
  where not t.processes @> excluded.processes


function add_value_event(p_type text, p_account bigint, p_body jsonb) returns void

  insert into event (type, member_id, body)
  select p_type, a.member_id, (jsonb_build_object('currencyId', a.currency_id) || p_body)::text
  from account a where a.account_id = p_account


function added_lines(p_returned bigint[], p_lines json) returns bigint[]

  select coalesce(array_agg(b.returned + coalesce(l.quantity, 0) order by b.place), '{}')
  from unnest(p_returned) with ordinality b (returned, place)
  left join (
    select (l.line ->> 0)::bigint + 1 as place, sum((l.line ->> 1)::bigint)::bigint as quantity
    from json_array_elements(p_lines) l (line) group by 1
  ) l on l.place = b.place


function announce_budgets(p_counters bigint[]) returns void

declare
  v_counter limit_counter;
  v_percent integer;
begin
  for v_counter in
    select k.* from limit_counter k
    where k.counter_id = any (p_counters) and k.announced < 100 and k.used + k.late >= k.maximum * 0.8
      and (k.announced = 0 or k.used + k.late >= k.maximum)
      -- A member may have the id of a venue: the limit decides.
      and (k.subject = '' or (
        exists (select from venue v where v.venue_id = k.subject) and limit_scope(k.limit_id) is distinct from 'member'
      ))
    order by k.limit_id, k.subject, k.period
  loop
    foreach v_percent in array array[80, 100] loop
      continue when v_percent <= v_counter.announced;
      continue when (v_counter.used + v_counter.late) * 100.0 < v_counter.maximum::numeric * v_percent;
      perform add_event('budget.reached', null, json_build_object(
        'limitId', v_counter.limit_id, 'venueId', nullif(v_counter.subject, ''), 'period', v_counter.period,
        'percent', v_percent, 'used', v_counter.used + v_counter.late, 'maximum', v_counter.maximum
      ));
      update limit_counter k set announced = v_percent where k.counter_id = v_counter.counter_id;
    end loop;
  end loop;
end


function announce_lots(p_account bigint) returns void

declare
  v_now timestamptz := clock_timestamp();
  v_soon timestamptz := v_now + interval '7 days';
  v_lot lot;
begin
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account
      and ((l.awaits_opening and l.opens_at <= v_now) or (not l.expiry_announced and l.expires_at <= v_soon))
    order by l.lot_id
  loop
    update lot l set awaits_opening = l.awaits_opening and l.opens_at > v_now, expiry_announced = l.expires_at <= v_soon
    where l.lot_id = v_lot.lot_id;
    if v_lot.awaits_opening and v_lot.opens_at <= v_now then
      perform add_value_event('value.opened', p_account, jsonb_build_object('amount', v_lot.amount, 'lotId', v_lot.lot_id));
    end if;
    if not v_lot.expiry_announced and v_lot.expires_at > v_now and v_lot.expires_at <= v_soon then
      perform add_value_event('value.expiring', p_account, jsonb_build_object(
        'amount', v_lot.amount, 'lotId', v_lot.lot_id, 'expiresAt', to_char(v_lot.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      ));
    end if;
  end loop;
end


function announce_tier(p_member text) returns void

declare
  v_tier record;
  v_before text;
begin
  if not exists (select from member m where m.member_id = p_member) then
    return;
  end if;
  select t.tier_id, t.until into v_tier from member_tier(p_member) t;
  select a.tier_id into v_before from announced_tier a where a.member_id = p_member;
  if v_tier.tier_id is distinct from v_before then
    perform add_event('tier.changed', p_member, json_build_object(
      'tierId', v_tier.tier_id, 'previousTierId', v_before, 'until', milliseconds(v_tier.until)
    ));
  end if;
  if v_tier.tier_id is null then
    delete from announced_tier a where a.member_id = p_member;
    return;
  end if;
  -- Each sale moves the end: then the row stays, and announce_tiers looks again when the old end has come.
  insert into announced_tier as a (member_id, tier_id, lapses_at) values (p_member, v_tier.tier_id, v_tier.until)
  on conflict (member_id) do update set tier_id = excluded.tier_id, lapses_at = excluded.lapses_at
  where a.tier_id <> excluded.tier_id or a.lapses_at > excluded.lapses_at or a.lapses_at <= clock_timestamp();
end


function announce_tier_of_sale(p_calculation uuid) returns void

declare
  v_member text;
begin
  if not exists (select from value_tier) then
    return;
  end if;
  select min(a.member_id) into v_member
  from earned e join account a on a.account_id = e.account_id
  where e.calculation_id = p_calculation and e.given > 0
    and a.currency_id in (select t.currency_id from value_tier t);
  if v_member is not null then
    perform lock_visits(array[v_member]);
    perform announce_tier(v_member);
  end if;
end


function announce_tiers(p_max integer) returns integer

declare
  v_member text;
  v_count integer := 0;
begin
  for v_member in
    select v.member_id from member_visits v
    where v.member_id in (
      select a.member_id from announced_tier a where a.lapses_at <= clock_timestamp() order by a.lapses_at limit p_max
    )
    order by v.member_id
    for update skip locked
  loop
    perform announce_tier(v_member);
    v_count := v_count + 1;
  end loop;
  return v_count;
end


function announce_value(p_max integer) returns integer

declare
  v_now timestamptz := clock_timestamp();
  v_due bigint[];
  v_account bigint;
  v_count integer := 0;
begin
  v_due := array(
    select l.account_id from lot l where l.awaits_opening and l.opens_at <= v_now order by l.opens_at limit p_max
  ) || array(
    select l.account_id from lot l
    where not l.expiry_announced and l.expires_at < 'infinity' and l.expires_at <= v_now + interval '7 days'
    order by l.expires_at limit p_max
  );
  for v_account in
    select a.account_id
    from (select distinct account_id from unnest(v_due) d (account_id)) d
    join account a on a.account_id = d.account_id
    order by a.member_id, a.currency_id
    for update of a skip locked
  loop
    perform announce_lots(v_account);
    v_count := v_count + 1;
  end loop;
  return v_count;
end


function anything_kept(p_ladder json, p_returned bigint[]) returns boolean

  select exists (
    select from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
    where (l.line ->> 3)::bigint > 0 and p_returned[l.place] < (l.line ->> 1)::bigint
  )


function audit_accounts(p_by change_context, p_accounts bigint[], p_before text[]) returns void

  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  select p_by.actor, p_by.call, p_by.request_id, 'member', a.member_id, n.before, account_snapshot(a.account_id)
  from unnest(p_accounts, p_before) with ordinality n (account_id, before, place)
  join account a on a.account_id = n.account_id
  order by n.place


function audit_codes(p_by change_context, p_currency text, p_before json, p_after json) returns void

  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (p_by.actor, p_by.call, p_by.request_id, 'codes', p_currency, p_before::text, p_after::text)


function audit_return(p_by change_context, p_return sale_return) returns void

  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'sale', p_return.calculation_id::text, null,
    json_build_object(
      'returnId', p_return.return_id, 'reference', p_return.reference, 'lines', p_return.lines::json, 'refund', p_return.refund,
      'takenBack', p_return.taken_back::json, 'givenBack', p_return.given_back::json
    )::text
  )


function benefit_figures(p_sales uuid[]) returns TABLE(venue_id text, day date, benefit_id text, currency text, calculations bigint, redemptions bigint, discount bigint, paid bigint)

  select g.venue_id, g.day, g.benefit_id, g.currency, count(*), count(*) filter (where g.redeemed),
    coalesce(sum(g.discount) filter (where g.redeemed), 0)::bigint, coalesce(sum(g.paid) filter (where g.redeemed), 0)::bigint
  from given_by_sales(p_sales) g
  group by g.day, g.venue_id, g.benefit_id, g.currency


function buyer_accounts(p_calculation uuid) returns SETOF account

  select a.* from account a
  where a.account_id in (
    select e.account_id from earned e where e.calculation_id = p_calculation
    union
    select h.account_id from used_holds(p_calculation) h
  )
  order by a.account_id


function calculation_state_now(p_calculation calculation) returns text

  select case when p_calculation.state = 'open' and p_calculation.expires_at <= statement_timestamp() then 'expired'
    else p_calculation.state::text end


function calculation_summary(p_calculation calculation, OUT "calculationId" uuid, OUT "supersedesCalculationId" uuid, OUT status text, OUT reason text, OUT state text, OUT "venueId" text, OUT "baxId" text, OUT "cashRegisterId" text, OUT channel text, OUT "loyaltyId" text, OUT "memberId" text, OUT currency text, OUT "requestedAt" text, OUT "programmeVersion" integer, OUT "netBefore" bigint, OUT "netAfter" bigint, OUT "loyaltyDiscountTotal" bigint, OUT optimal boolean, OUT gap bigint, OUT "answeredAt" double precision, OUT "expiresAt" double precision, OUT "answeredAtUs" bigint, OUT gave text) returns record

  select p_calculation.calculation_id, p_calculation.supersedes_calculation_id, p_calculation.status::text,
    p_calculation.reason,
    calculation_state_now(p_calculation),
    p_calculation.venue_id, p_calculation.bax_id, p_calculation.cash_register_id, p_calculation.channel,
    p_calculation.loyalty_id, p_calculation.member_id, p_calculation.currency, p_calculation.requested_at,
    p_calculation.programme_version, p_calculation.net_before, p_calculation.net_after,
    p_calculation.loyalty_discount_total, p_calculation.optimal, p_calculation.gap, milliseconds(p_calculation.answered_at),
    milliseconds(p_calculation.expires_at), microseconds(p_calculation.answered_at), p_calculation.gave


function carried_from(p_calculation calculation) returns uuid

  select o.calculation_id
  from calculation o
  where p_calculation.carried > 0 and o.member_id = p_calculation.member_id
    and o.answered_at between p_calculation.answered_at - interval '1 day' and p_calculation.answered_at
    and o.calculation_id <> p_calculation.calculation_id
    and (o.calculation_id = p_calculation.supersedes_calculation_id or o.loyalty_discount_total = p_calculation.carried)
    and exists (select from value_hold h where h.calculation_id = o.calculation_id)
  order by (o.calculation_id = p_calculation.supersedes_calculation_id) is true desc, o.answered_at desc, o.calculation_id
  limit 1


function change_members(p_members json, p_by change_context, OUT created integer, OUT changed integer, OUT unchanged integer) returns record

declare
  v_named text[] := array(select m.member_id from json_to_recordset(p_members) as m (member_id text));
  v_ids text[];
  v_before text[];
begin
  perform lock_changes();
  v_ids := array(
    select unnest(v_named)
    union
    select x.member_id
    from json_to_recordset(p_members) as m (loyalty_ids json), json_array_elements_text(m.loyalty_ids) l (loyalty_id)
    join member_loyalty_id x on x.loyalty_id = l.loyalty_id
  );
  v_before := array(select member_snapshot(i.id) from unnest(v_ids) with ordinality i (id, place) order by i.place);
  perform store_members(p_members);
  with compared as (
    select i.id, i.before, member_snapshot(i.id) as after from unnest(v_ids, v_before) i (id, before)
  ), recorded as (
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    select p_by.actor, p_by.call, p_by.request_id, 'member', c.id, c.before, c.after
    from compared c
    where c.before is distinct from c.after
    order by c.id
    returning subject_id, before
  )
  select
      (select count(*) from recorded r where r.before is null),
      (
        select count(*) from (
          select r.subject_id from recorded r where r.before is not null intersect select unnest(v_named)
        ) named
      )
    into created, changed;
  unchanged := cardinality(v_named) - created - changed;
end


function change_venues(p_venues json, p_by change_context, OUT created integer, OUT changed integer) returns record

declare
  v_named text[] := array(select v.venue_id from json_to_recordset(p_venues) as v (venue_id text));
  v_ids text[];
  v_before text[];
begin
  perform lock_changes();
  v_ids := array(
    select unnest(v_named)
    union
    select x.venue_id
    from json_to_recordset(p_venues) as v (bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
    join bax x on x.bax_id = b.bax_id
  );
  v_before := array(select venue_snapshot(i.id) from unnest(v_ids) with ordinality i (id, place) order by i.place);
  perform store_venues(p_venues);
  with compared as (
    select i.id, i.before, venue_snapshot(i.id) as after from unnest(v_ids, v_before) i (id, before)
  ), recorded as (
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    select p_by.actor, p_by.call, p_by.request_id, 'venue', c.id, c.before, c.after
    from compared c
    where c.before is distinct from c.after
    order by c.id
    returning subject_id, before
  )
  select
      (select count(*) from recorded r where r.before is null),
      (
        select count(*) from (
          select r.subject_id from recorded r where r.before is not null intersect select unnest(v_named)
        ) named
      )
    into created, changed;
end


function changed_venues(p_venues json) returns json

  with said as materialized (
    select venue_digests(p_venues) as now, (select v.venues from programme_version v order by v.version desc limit 1) as before
  )
  select coalesce(json_agg(v.venue order by v.place), '[]')
  from said s, json_array_elements(p_venues) with ordinality v (venue, place)
  where s.before -> (v.venue ->> 'venue_id') is distinct from s.now -> (v.venue ->> 'venue_id')


function charged_net(p_sale sale, p_calculation calculation) returns bigint

  select case when p_sale.status = 'applied' then p_calculation.net_after else p_calculation.net_before end


function claim_absence(p_calculation uuid) returns boolean

begin
  insert into calculation (
    calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at, programme_version, body_day,
    status, optimal, confirmed, venue_id, bax_id, channel, currency, requested_at
  )
  values (p_calculation, 0, 0, 0, 'epoch', 'epoch', 0, 'epoch', 'unchanged', true, false, '', '', '', '', '')
  on conflict do nothing;
  if not found then
    return false;
  end if;
  delete from calculation c where c.calculation_id = p_calculation;
  return true;
end


function claim_code(p_by change_context, p_account bigint, p_code reward_code) returns void

declare
  v_before text := account_snapshot(p_account);
  v_movement movement := add_movement('claimed', 'code:' || encode(p_code.digest, 'hex'), '', p_by.actor);
begin
  perform credit(v_movement, p_account, 'issued', p_code.amount, v_movement.at, p_code.expires_at, true);
  update reward_code c set state = 'claimed' where c.digest = p_code.digest;
  perform audit_accounts(p_by, array[p_account], array[v_before]);
end


function claim_sale(p_by change_context, p_sale sale, p_member text, p_counted json) returns json

declare
  -- As of return_state: of another one there are no returns.
  v_has_ladder boolean := not (p_sale.status = 'failed' and p_sale.result = 'unknown_calculation');
  v_earning jsonb;
  v_charged sale := p_sale;
  v_accounts bigint[];
  v_before text[];
  v_discrepancies text[];
begin
  if v_has_ladder then
    insert into sale_ladder as l (calculation_id, ladder) values (p_sale.calculation_id, p_counted ->> 'ladder')
    on conflict (calculation_id) do update set ladder = excluded.ladder;
  end if;
  v_earning := claimed_rules(p_sale.calculation_id, p_counted, v_has_ladder);
  select array_agg(l.account_id), array_agg(account_snapshot(l.account_id)) into v_accounts, v_before
  from (
    select array_agg(p_member) as members, array_agg(r.currency_id) as currencies from earning_rules(v_earning, false) r
    having count(*) > 0
  ) n cross join lateral lock_accounts(n.members, n.currencies) l;
  v_charged.status := 'unchanged';
  v_discrepancies := earn(v_charged, p_member, v_earning::text, p_by);
  update earned e
  set counted = r."all", returned = r."all" - e.counted, recorded_at = p_sale.recorded_at
  from jsonb_to_recordset(v_earning -> 'rules') as r ("ruleId" text, "all" bigint)
  where e.calculation_id = p_sale.calculation_id and e.rule_id = r."ruleId";
  perform announce_tier_of_sale(p_sale.calculation_id);
  perform audit_accounts(p_by, array[n.account_id], array[n.before])
  from unnest(v_accounts, v_before) n (account_id, before)
  where account_snapshot(n.account_id) <> n.before;

  update calculation c set member_id = p_member where c.calculation_id = p_sale.calculation_id and c.member_id is null;
  update sale s
  set claimed_at = clock_timestamp(), discrepancies = array_remove(s.discrepancies, 'earning_unknown') || v_discrepancies
  where s.calculation_id = p_sale.calculation_id;
  return (
    select coalesce(json_agg(json_build_object('currencyId', a.currency_id, 'amount', e.amount) order by a.currency_id), '[]')
    from movement m join entry e on e.movement_id = m.movement_id join account a on a.account_id = e.account_id
    where m.cause = 'claim:' || p_sale.calculation_id
  );
end


function claimed_rules(p_calculation uuid, p_counted json, p_has_ladder boolean) returns jsonb

declare
  v_earning jsonb := (p_counted ->> 'earning')::jsonb;
  v_ladder json := p_counted -> 'ladder';
  v_all bigint[];
  v_returned bigint[];
begin
  if p_has_ladder then
    v_all := array_fill(0::bigint, array[json_array_length(v_ladder -> 'lines')]);
    v_returned := returned_lines(p_calculation, v_ladder);
  end if;
  return v_earning || jsonb_build_object('rules', (
    select coalesce(jsonb_agg(n.rule || jsonb_build_object('sent', n.kept, 'all', n.sent) order by n.place), '[]')
    from (
      select r.rule, r.place, s.sent, case
        when not p_has_ladder then s.sent
        -- In proportion, as returns do (uncount_sale).
        when a.counted > 0 then div(s.sent::numeric * k.counted, a.counted)
        when anything_kept(v_ladder, v_returned) then s.sent
        else 0
      end as kept
      from jsonb_array_elements(v_earning -> 'rules') with ordinality r (rule, place)
      cross join lateral (select (r.rule ->> 'sent')::bigint as sent) s
      left join kept_counts(v_ladder, v_all) a on p_has_ladder and a.rule_id = r.rule ->> 'ruleId'
      left join kept_counts(v_ladder, v_returned) k on p_has_ladder and k.rule_id = r.rule ->> 'ruleId'
      where not exists (
        select from earned e where e.calculation_id = p_calculation and e.rule_id = r.rule ->> 'ruleId'
      )
    ) n
    where n.kept > 0
  ));
end


function code_digest(p_key forgetting_key, p_code text) returns bytea

  select forgotten_digest(p_key, 'code', p_code)


function compare_sale(p_sale sale, p_calculation calculation) returns text[]

  select array_remove(array[
    case when p_sale.status not in ('failed', 'cancelled') and p_sale.status::text <> p_calculation.status::text
      then 'status_mismatch' end,
    case when p_sale.currency <> p_calculation.currency then 'currency_mismatch' end,
    case when p_sale.venue_id is distinct from p_calculation.venue_id then 'venue_mismatch' end,
    case when p_sale.loyalty_id_sent and p_sale.loyalty_id is distinct from p_calculation.loyalty_id
      then 'loyalty_id_mismatch' end,
    case when p_sale.paid_total <> charged_net(p_sale, p_calculation) then 'paid_total_mismatch' end,
    case when p_sale.status = 'applied' and p_sale.loyalty_discount_total <> p_calculation.loyalty_discount_total
      then 'discount_total_mismatch' end
  ], null)


function confirm_calculation(p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json, p_expiry_s integer, p_idempotency_s integer, p_deadline timestamp with time zone, OUT reply text, OUT counters json, OUT kind text, OUT digest bytea, OUT packed bytea) returns record

declare
  v_id uuid := p_record ->> 'calculation_id';
  v_supersedes uuid := p_record ->> 'supersedes_calculation_id';
  v_old calculation;
  v_freeing uuid;
  v_freed bigint[] := '{}';
  v_remaining interval := p_deadline - clock_timestamp();
  v_counters bigint[];
  v_units bigint[];
  v_maxima bigint[];
  v_counted boolean;
  v_taken integer;
  v_sold boolean;
  v_superseded boolean;
  v_member text := p_record ->> 'member_id';
  v_spends json := nullif(p_record ->> 'spends', '[]');
begin
  reply := 'too_late';
  if v_remaining <= interval '0' then
    return;
  end if;
  perform require_durable();
  perform set_config('lock_timeout', ceil(extract(epoch from v_remaining) * 1000)::text, true);

  p_holds := living_holds(p_record, p_holds);
  if v_spends is not null then
    v_member := living_member(v_member);
  end if;

  if v_supersedes < v_id then
    perform lock_calculations(array[v_supersedes]);
  end if;

  -- The unique key decides: a second call waits here for the first, then finds its row or stores its own.
  loop
    exit when cardinality(store_calculations(
      json_build_array(p_record), array[p_digest], array[p_packed], array[p_inputs], array[p_explanation], true, p_expiry_s
    )) = 1;
    select 'known', f.kind, f.digest, f.packed into reply, kind, digest, packed
    from find_answer(v_id, p_idempotency_s) f;
    if kind <> 'unknown' then
      return;
    end if;
  end loop;

  if v_supersedes is not null and lock_calculations(array[v_supersedes]) <> '{}' then
    select o.* into strict v_old from calculation o where o.calculation_id = v_supersedes;
    if v_old.state = 'open' and v_old.venue_id = p_record ->> 'venue_id' and v_old.expires_at > clock_timestamp() then
      v_freeing := v_supersedes;
      v_freed := array(select r.counter_id from reservation r where r.calculation_id = v_freeing);
    end if;
  end if;

  -- A later sale or superseding calculation waits for our row. Read before the counters are locked, to hold those briefly.
  v_sold := exists (select from sale s where s.calculation_id = v_id);
  v_superseded := exists (
    select from calculation n where n.supersedes_calculation_id = v_id and n.venue_id = p_record ->> 'venue_id'
  );

  loop
    select coalesce(array_agg(w.counter_id), '{}'), array_agg(w.units), array_agg(w.maximum), bool_and(w.counter_id is not null)
    into v_counters, v_units, v_maxima, v_counted
    from (
      select k.counter_id, sum(h.units)::bigint as units, min(h.maximum) as maximum
      from json_to_recordset(p_holds) as h (limit_id text, subject text, period text, units bigint, maximum bigint)
      left join limit_counter k on k.limit_id = h.limit_id and k.subject = h.subject and k.period = h.period
      group by k.counter_id
    ) w;
    exit when v_counted is not false;
    insert into limit_counter (limit_id, subject, period, maximum)
    select h.limit_id, h.subject, h.period, h.maximum
    from json_to_recordset(p_holds) as h (limit_id text, subject text, period text, maximum bigint)
    order by h.limit_id collate "C", h.subject collate "C", h.period collate "C"
    on conflict do nothing;
  end loop;

  perform 1
  from (select distinct unnest(v_counters || v_freed) as counter_id) h
  join limit_counter k on k.counter_id = h.counter_id
  order by k.limit_id, k.subject, k.period
  for update of k;

  counters := count_left(v_counters, v_units, v_maxima, v_freeing);
  if counters is not null then
    perform release_expired(v_counters);
    counters := count_left(v_counters, v_units, v_maxima, v_freeing);
  end if;
  if counters is null and (v_spends is not null or exists (select from value_hold h where h.calculation_id = v_freeing)) then
    -- Where it is sold already, with those that the sale credits, so that all are locked in one order.
    perform lock_held_accounts(array[v_freeing], v_member, array(
      select w.currency_id from json_to_recordset(coalesce(v_spends, '[]')) as w (currency_id text)
      union all
      select r.currency_id from sale s cross join lateral earning_rules((p_record ->> 'earning')::jsonb, s.status = 'applied') r
      where v_sold and s.calculation_id = v_id
    ));
    counters := value_left(v_member, coalesce(v_spends, '[]'), v_freeing);
  end if;
  if counters is not null then
    perform forget_calculation(v_id);
    -- Losing this commit loses nothing: it only releases what expired calculations hold, and writes what has expired.
    perform set_config('synchronous_commit', 'off', true);
    reply := 'short';
    return;
  end if;

  if v_freeing is not null then
    perform release_reservations(array[v_freeing]);
    perform release_value(array[v_freeing], null);
    update calculation c set state = 'superseded' where c.calculation_id = v_freeing;
  end if;

  insert into reservation (calculation_id, counter_id, units, held_until)
  select v_id, w.counter_id, w.units, c.expires_at
  from unnest(v_counters, v_units) as w (counter_id, units), calculation c
  where c.calculation_id = v_id;

  update limit_counter k set open = k.open + w.units, maximum = w.maximum
  from unnest(v_counters, v_units, v_maxima) as w (counter_id, units, maximum)
  where k.counter_id = w.counter_id and k.used + k.late + k.open + w.units <= w.maximum;
  get diagnostics v_taken = row_count;
  if v_taken <> cardinality(v_counters) then
    raise exception 'a limit would be passed by %', v_id;
  end if;

  perform hold_value(v_id, a.account_id, w.amount)
  from json_to_recordset(coalesce(v_spends, '[]')) as w (currency_id text, amount bigint)
  left join account a on a.member_id = v_member and a.currency_id = w.currency_id;

  if v_superseded then
    perform release_reservations(array[v_id]);
    perform release_value(array[v_id], null);
    update calculation c set state = 'superseded' where c.calculation_id = v_id;
  end if;
  if v_sold then
    perform join_sale(v_id);
  end if;

  if clock_timestamp() >= p_deadline then
    raise exception 'the time to confirm % is over', v_id using errcode = 'LY001';
  end if;
  reply := 'confirmed';
end


function confirm_within(p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json, p_expiry_s integer, p_idempotency_s integer, p_sent_at timestamp with time zone, p_within_ms double precision, OUT reply text, OUT counters json, OUT kind text, OUT digest bytea, OUT packed bytea) returns record

declare
  -- Well above the error of a clock comparison on a near network, well below the deadline of a basket.
  c_tolerance constant interval := interval '50 milliseconds';
  v_arrived_at timestamptz := clock_timestamp();
begin
  if v_arrived_at < p_sent_at - c_tolerance then
    reply := 'clock_differs';
    return;
  end if;
  select c.* into reply, counters, kind, digest, packed
  from confirm_calculation(
    p_record, p_digest, p_packed, p_inputs, p_explanation, p_holds, p_expiry_s, p_idempotency_s,
    p_sent_at + make_interval(secs => p_within_ms / 1000)
  ) c;
  if reply = 'confirmed' and clock_timestamp() < v_arrived_at then
    raise exception 'the clock was set back while % was confirmed', p_record ->> 'calculation_id' using errcode = 'LY001';
  end if;
end


function count_earned(p_sale sale, p_rules earning_rule[], p_accounts account[], p_at timestamp with time zone, p_day date, p_zone text, OUT credits value_credit[], OUT is_full boolean, OUT owes boolean) returns record

begin
  with wanted as (
    select a.account_id, a.room, a.debt, r.place, r.rule_id, r.counted, r.factor, r.opens_after, r.expires,
      r.period is not null or r.cooldown is not null as is_limited,
      least(
        case r.per
          when 'visit' then div(r.give::numeric * r.counted * r.factor, 10000)
          else r.give * (
            div(coalesce(t.total, 0) + r.counted::numeric * r.factor, r.every::numeric * 10000)
            - div(coalesce(t.total, 0), r.every::numeric * 10000)
          )
        end,
        case when r.period is not null then greatest(0, r.most - given_within(a.account_id, r.rule_id, r.period, p_day)) end
      ) as amount
    from (
      select n.account_id, n.currency_id, n.debt,
        9007199254740991 + n.debt - coalesce((select sum(l.amount) from lot l where l.account_id = n.account_id), 0) as room
      from unnest(p_accounts) n offset 0
    ) a
    join unnest(p_rules) r on r.currency_id = a.currency_id
    left join earned_total t on t.account_id = a.account_id and t.rule_id = r.rule_id
    where case when r.cooldown is null then true else not exists (
      select from earned e
      where e.account_id = a.account_id and e.rule_id = r.rule_id and e.at > p_at - r.cooldown and e.at < p_at + r.cooldown
    ) end
  ), shared as (
    select w.*,
      greatest(0, least(w.amount, w.room + w.amount - sum(w.amount) over (partition by w.account_id order by w.place)))::bigint as given
    from wanted w
  ), counted as (
    insert into earned (calculation_id, rule_id, account_id, at, day, counted, factor, given, is_limited)
    select p_sale.calculation_id, s.rule_id, s.account_id, p_at, p_day, s.counted, s.factor, s.given, s.is_limited
    from shared s
  ), added as (
    insert into earned_total as t (account_id, rule_id, total, given)
    select s.account_id, s.rule_id, s.counted::numeric * s.factor, s.given from shared s
    on conflict (account_id, rule_id) do update set total = t.total + excluded.total, given = t.given + excluded.given
  )
  select
    array_agg(row (
      g.account_id, g.given, p_sale.recorded_at + g.opens_after, lot_expiry(p_sale.recorded_at, p_zone, g.expires::json)
    )::value_credit) filter (where g.given > 0),
    bool_or(g.is_full), bool_or(g.owes)
  into credits, is_full, owes
  from (
    select s.account_id, sum(s.given)::bigint as given, min(s.opens_after) as opens_after, min(s.expires::text) as expires,
      bool_or(s.given < s.amount) as is_full, bool_or(s.debt > 0) as owes
    from shared s
    group by s.account_id
    order by s.account_id
  ) g;
end


function count_left(p_counters bigint[], p_units bigint[], p_maxima bigint[], p_freeing uuid) returns json

declare
  v_left json;
begin
  select case when bool_or(l.units > l.maximum - l.taken) then
    json_agg(json_build_object(
      'limitId', l.limit_id, 'subject', l.subject, 'period', l.period, 'left', greatest(0, l.maximum - l.taken)
    ))
  end
  into v_left
  from (
    select k.limit_id, k.subject, k.period, w.units, w.maximum, k.used + k.late + k.open - coalesce((
      select r.units from reservation r
      where r.calculation_id = p_freeing and r.counter_id = w.counter_id and r.state = 'open'
    ), 0) as taken
    from unnest(p_counters, p_units, p_maxima) as w (counter_id, units, maximum)
    join limit_counter k on k.counter_id = w.counter_id
  ) l;
  return v_left;
end


function count_visit(p_member text) returns void

declare
  v_into text;
begin
  insert into member_visits as v (member_id, visits)
  select m.member_id, 1 from member m where m.member_id = p_member
  on conflict (member_id) do update set visits = v.visits + 1;
  -- Also where it was merged while we waited for its row.
  select g.into_id into v_into from merged_member g where g.member_id = p_member;
  if found then
    delete from member_visits v where v.member_id = p_member;
    perform count_visit(v_into);
  end if;
end


function credit(p_movement movement, p_account bigint, p_against system_account, p_amount bigint, p_opens_at timestamp with time zone, p_expires_at timestamp with time zone, p_pays_debt boolean) returns void

begin
  perform credit_accounts(
    p_movement, p_against, array[row (p_account, p_amount, p_opens_at, p_expires_at)::value_credit], p_pays_debt
  );
end


function credit_accounts(p_movement movement, p_against system_account, p_credits value_credit[], p_pays_debt boolean, p_calculation uuid DEFAULT NULL::uuid) returns void

begin
  perform add_entries(p_movement, p_against, p_credits);
  if p_pays_debt then
    p_credits := array(
      select row (n.account_id, pay_debt(n.account_id, n.amount), n.opens_at, n.expires_at)::value_credit from unnest(p_credits) n
    );
  end if;
  perform fill_lots((p_movement).at, p_credits, p_calculation);
end


function current_timeline() returns integer

  select case when pg_is_in_recovery() then 0
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::integer end


function deactivate(p_by change_context, p_activation activation, p_times bigint) returns json

declare
  v_from bigint := p_activation.from_account;
  v_to bigint := p_activation.to_account;
  v_before text[] := array[account_snapshot(v_from), account_snapshot(v_to)];
  v_movement movement := add_movement('cancelled', 'request:' || p_by.request_id, '', p_by.actor);
  v_back bigint := p_times * p_activation.from_amount;
  v_gone bigint := p_times * p_activation.to_amount;
  v_left bigint := v_back;
  v_part activation_part;
  v_taken bigint;
begin
  if v_movement.movement_id is null then
    return '{"kind":"request_id_conflict"}';
  end if;
  delete from lot l where l.activation_id = p_activation.activation_id and l.account_id = v_to and l.amount = v_gone;
  update lot l set amount = l.amount - v_gone
  where l.activation_id = p_activation.activation_id and l.account_id = v_to;
  perform add_entry(v_movement, v_to, 'issued', -v_gone);
  perform add_entry(v_movement, v_from, 'redeemed', v_back);
  for v_part in
    select p.* from activation_part p
    where p.activation_id = p_activation.activation_id and p.expires_at > v_movement.at order by p.place desc
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_part.amount);
    delete from activation_part p
    where p.activation_id = v_part.activation_id and p.place = v_part.place and p.amount = v_taken;
    update activation_part p set amount = p.amount - v_taken
    where p.activation_id = v_part.activation_id and p.place = v_part.place;
    perform fill_lots(v_movement.at, array[
      row (v_from, pay_debt(v_from, v_taken), v_part.opens_at, v_part.expires_at)::value_credit
    ]);
    v_left := v_left - v_taken;
  end loop;
  if v_left > 0 then
    raise exception 'activation % has % too little', p_activation.activation_id, v_left;
  end if;
  perform audit_accounts(p_by, array[v_from, v_to], v_before);
  return json_build_object('kind', 'done', 'times', p_times, 'fromAmount', v_back, 'toAmount', v_gone);
end


function debit(p_movement movement, p_account bigint, p_against system_account, p_amount bigint) returns SETOF lot

begin
  return query select * from take_available(p_account, (p_movement).at, p_amount);
  perform add_entry(p_movement, p_account, p_against, -p_amount);
end


function decide_proposal(p_by change_context, p_proposal uuid, p_version integer, p_reason text) returns void

declare
  v_state text := case when p_version is null then 'declined' else 'approved' end;
begin
  update programme_proposal p
  set state = v_state, decided_by = p_by.actor, decided_at = clock_timestamp(), reason = p_reason, version = p_version
  where p.proposal_id = p_proposal;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'proposal', p_proposal::text, '{"state":"open"}',
    json_build_object('state', v_state, 'version', p_version)::text
  );
end


function disable_webhook(p_webhook uuid, p_outcome text) returns void

  insert into audit_record (actor, call, subject_kind, subject_id, before, after)
  select 'service', 'WebhookGone', 'webhook', w.webhook_id, webhook_snapshot(w),
    json_build_object('url', w.url, 'types', w.types, 'disabled', p_outcome)::text
  from webhook w where w.webhook_id = p_webhook;
  update webhook w set disabled_at = clock_timestamp(), failing_since = coalesce(w.failing_since, clock_timestamp())
  where w.webhook_id = p_webhook;
  update delivery d set state = 'failed', outcome = p_outcome, due_at = clock_timestamp(), member_id = null
  where d.webhook_id = p_webhook and d.state in ('waiting', 'due');


function drop_order(p_by change_context, p_reply json) returns json

begin
  delete from change_order o where o.request_id = p_by.request_id;
  return p_reply;
end


function drop_partitions(p_days integer) returns integer

declare
  v_first text := 'calculation_body_' || to_char((clock_timestamp() at time zone 'UTC')::date - p_days, 'YYYYMMDD');
  v_name text;
  v_dropped integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('loyalty partitions', 0));
  perform set_config('lock_timeout', '50', true);
  for v_name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'calculation_body'::regclass and c.relname < v_first
    order by c.relname
  loop
    execute format('drop table %I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  return v_dropped;
end


function due_hold_state(p_hold value_hold, p_calculation calculation, p_sale sale) returns reservation_state

  select case
    when p_calculation.calculation_id is null then p_hold.state
    when p_hold.used_by is not null then 'late'
    else due_state(row(p_hold.calculation_id, 0, p_hold.amount, p_hold.held_until, p_hold.state)::reservation, p_calculation, p_sale)
  end


function due_state(p_reservation reservation, p_calculation calculation, p_sale sale) returns reservation_state

  select case
    when p_calculation.state = 'open' then
      case when p_reservation.state = 'open' or p_calculation.expires_at > clock_timestamp() then 'open' else 'released' end
    when p_sale.status = 'applied' or (p_sale.status = 'unchanged' and p_calculation.status = 'unchanged') then
      case
        when p_calculation.state = 'finalised' then 'used'
        when p_calculation.state in ('expired', 'superseded') then 'late'
        else 'released'
      end
    else 'released'
  end::reservation_state


function earn(p_sale sale, p_member text, p_earning text, p_claim change_context DEFAULT NULL::change_context) returns text[]

declare
  v_earning jsonb := p_earning;
  v_rules earning_rule[];
  v_currencies text[];
  v_counted record;
begin
  if p_member is null or p_earning is null or p_sale.status in ('member_not_found', 'cancelled') then
    return '{}';
  end if;
  select array_agg(r), array_agg(r.currency_id) into v_rules, v_currencies
  from earning_rules(v_earning, p_sale.status = 'applied') r;
  if v_rules is null then
    return '{}';
  end if;
  v_counted := count_earned(
    p_sale, v_rules, locked_accounts(array_fill(p_member, array[cardinality(v_currencies)]), v_currencies),
    moment_of((v_earning ->> 'at')::bigint * 1000), (v_earning ->> 'day')::date, v_earning ->> 'timeZone'
  );
  if v_counted.credits is not null then
    perform credit_accounts(
      add_movement(
        'earned', case when p_claim is null then 'calculation:' else 'claim:' end || p_sale.calculation_id, '',
        coalesce(p_claim.actor, '')
      ),
      'issued', v_counted.credits, v_counted.owes, p_sale.calculation_id
    );
  end if;
  return case when v_counted.is_full then array['value_full'] else '{}' end;
end


function earn_unknown(p_sale sale, p_counted text) returns text[]

  select case when c.counted -> 'isPartial' = 'true' then array['earning_unknown'] else '{}' end
    || case
      when c.counted ->> 'earning' is null then '{}'
      when exists (select from earned e where e.calculation_id = p_sale.calculation_id) then '{}'
      else earn(p_sale, c.counted ->> 'memberId', c.counted ->> 'earning')
    end
  from (select nullif(p_counted, '')::jsonb as counted) c


function earning_rules(p_earning jsonb, p_returned boolean) returns SETOF earning_rule

  select r.place, r."ruleId", r."currencyId", r.give, r.per, r.every, r.factor,
    case when p_returned then r.returned else r.sent end,
    make_interval(mins => r."cooldownMinutes"), (r.maximum ->> 'amount')::bigint, r.maximum ->> 'period',
    make_interval(hours => 24 * coalesce(r."opensAfterDays", 0)), r.expires
  from rows from (
    jsonb_to_recordset(p_earning -> 'rules') as (
      "ruleId" text, "currencyId" text, give bigint, per text, every bigint, factor integer, sent bigint, returned bigint,
      "cooldownMinutes" integer, maximum jsonb, "opensAfterDays" integer, expires json
    )
  ) with ordinality as r (
    "ruleId", "currencyId", give, per, every, factor, sent, returned, "cooldownMinutes", maximum, "opensAfterDays", expires, place
  )
  where case when p_returned then r.returned else r.sent end > 0
  order by r.place


function ended_holds(p_lot lot, p_at timestamp with time zone) returns bigint

  select case when p_lot.held = 0 then 0 else coalesce((
    select sum(p.amount)
    from value_hold h join value_hold_part p on p.calculation_id = h.calculation_id and p.account_id = h.account_id
    where h.account_id = p_lot.account_id and h.held_until <= p_at and p.lot_id = p_lot.lot_id
  ), 0) end::bigint


function enrol_members(p_members json, p_by change_context) returns void
set enable_hashjoin=on

declare
  v_members json;
begin
  perform lock_changes();
  with gone_members as materialized (
    select f.id from forgotten_among('member', (
      select coalesce(json_agg(n.member_id), '[]') from json_to_recordset(p_members) as n (member_id text)
    )) f (id)
  ), gone_loyalty_ids as materialized (
    select f.id from forgotten_among('loyalty', (
      select coalesce(json_agg(l.id), '[]')
      from json_to_recordset(p_members) as n (loyalty_ids json), json_array_elements_text(n.loyalty_ids) l (id)
    )) f (id)
  ), named as (
    select n.member_id, n.body, m.body as known_body, array(
        select l.id
        from json_array_elements_text(n.loyalty_ids) l (id)
        left join member_loyalty_id x on x.loyalty_id = l.id
        where l.id not in (select g.id from gone_loyalty_ids g) and not stands_for_forgotten(l.id) and (
          x.member_id is null or x.member_id = n.member_id
          or exists (select from published_member h where h.member_id = x.member_id)
        )
      ) as loyalty_ids
    from json_to_recordset(p_members) as n (member_id text, body text, loyalty_ids json)
    left join member m on m.member_id = n.member_id
    where (m.member_id is null or exists (select from published_member p where p.member_id = n.member_id))
      and n.member_id not in (select g.id from gone_members g)
      and not exists (select from merged_member g where g.member_id = n.member_id)
      and not stands_for_forgotten(n.member_id)
  )
  -- Quotes inside the strings of a body are escaped, so this matches only the field.
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', case
          when n.known_body is null then n.body
          when strpos(n.known_body, '"blocked":true') > 0 then replace(n.body, '"blocked":false', '"blocked":true')
          else replace(n.body, '"blocked":true', '"blocked":false')
        end,
      'loyalty_ids', to_json(n.loyalty_ids)
    )), '[]')
  into v_members
  from named n
  where n.known_body is not null or cardinality(n.loyalty_ids) > 0;

  perform change_members(v_members, p_by);
  insert into published_member (member_id)
  select m.member_id from json_to_recordset(v_members) as m (member_id text)
  on conflict do nothing;
end


function ensure_partitions(p_ahead integer) returns void

declare
  v_today date := (clock_timestamp() at time zone 'UTC')::date;
  v_day date;
  v_name text;
begin
  perform pg_advisory_xact_lock(hashtextextended('loyalty partitions', 0));
  for v_day in select v_today + n from generate_series(0, p_ahead) n loop
    v_name := 'calculation_body_' || to_char(v_day, 'YYYYMMDD');
    if to_regclass(v_name) is null then
      -- What fits a page stays on it: the bodies of 20 lines are smaller by a tenth than with a part of them in a table beside it.
      execute format('create table %I (like calculation_body including all) with (toast_tuple_target = 8160)', v_name);
      execute format(
        'alter table calculation_body attach partition %I for values from (%L) to (%L)', v_name, v_day, v_day + 1
      );
    end if;
  end loop;
end


function erase_changes(p_loyalty_ids text[]) returns void
set enable_seqscan=on

  update change c set id = '' where c.kind = 'member' and c.id = any (p_loyalty_ids)


function erase_events(p_member text, p_until timestamp with time zone) returns void

declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_until timestamptz := case when exists (select from member m where m.member_id = p_member) then p_until else 'infinity' end;
begin
  update event e set member_id = null where e.member_id = p_member and e.at < v_until;
  update delivery d set member_id = v_name
  from webhook w
  where d.webhook_id = w.webhook_id and d.member_id = p_member and d.state in ('waiting', 'due') and d.since < v_until;
end


function erase_member(p_member text, p_loyalty_ids text[], p_until timestamp with time zone, p_venue_limits text[], OUT calculations bigint, OUT sales bigint, OUT counters bigint) returns record

declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_ids uuid[];
begin
  v_ids := array(
    select c.calculation_id from calculation c where c.member_id = p_member and c.answered_at < p_until
    union
    select c.calculation_id from calculation c where c.loyalty_id = any (p_loyalty_ids) and c.answered_at < p_until
    order by 1
  );
  perform 1 from calculation c where c.calculation_id = any (v_ids) order by c.calculation_id for update;
  with erased as (
    update calculation c set member_id = nullif(c.member_id, p_member), loyalty_id = null
    where c.calculation_id = any (v_ids)
    returning c.calculation_id, c.body_day
  )
  delete from calculation_body b using erased e where b.calculation_id = e.calculation_id and b.day = e.body_day;

  perform 1 from limit_counter k
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period for update;
  update limit_counter k set subject = v_name
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
    and not exists (select from member m where m.member_id = p_member);
  get diagnostics counters = row_count;
  perform forfeit_accounts(p_member);
  perform erase_events(p_member, p_until);
  delete from benefit_member m where m.member_id = p_member;

  -- The digest stays: a repeated event is answered, another one is a conflict.
  update sale s set loyalty_id = null, body = '{}'::bytea
  where s.calculation_id in (
    -- A union, so that each part uses its own index; `or` would read all sales by age.
    select x.calculation_id from sale x where x.loyalty_id = any (p_loyalty_ids) and x.recorded_at < p_until
    union
    select x.calculation_id from sale x
    where x.calculation_id = any (v_ids) and x.recorded_at < p_until and x.body <> '{}'::bytea
  );
  get diagnostics sales = row_count;
  calculations := cardinality(v_ids);
end


function erase_movements(p_account bigint) returns void

begin
  perform make_forgetting_key();
  update movement m
  set reason = '', cause = case when m.kind = 'imported' then erased_cause(k, m.cause) else m.cause end
  from forgetting_key k, entry e
  where e.account_id = p_account and m.movement_id = e.movement_id and (m.reason <> '' or m.kind = 'imported');
end


function erased_cause(p_key forgetting_key, p_cause text) returns text

  select 'erased:' || encode(forgotten_digest(p_key, 'import', p_cause), 'hex')


function expire_calculations(p_max integer) returns integer

declare
  v_now timestamptz := clock_timestamp();
  v_expired uuid[];
begin
  select coalesce(array_agg(e.calculation_id), '{}') into v_expired from (
    select c.calculation_id from calculation c
    where c.state = 'open' and c.expires_at <= v_now
    order by c.expires_at
    limit p_max
    for update skip locked
  ) e;
  perform lock_counters(v_expired);
  perform lock_held_accounts(v_expired, null, '{}');
  perform release_reservations(v_expired);
  perform release_value(v_expired, null);
  update calculation c set state = 'expired' where c.calculation_id = any (v_expired);
  return cardinality(v_expired);
end


function expire_lots(p_account bigint) returns void

declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_rest bigint;
begin
  perform announce_lots(p_account);
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.expires_at <= v_now and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    insert into movement (movement_id, kind, at, cause)
    values (v_lot.lot_id, 'expired', v_lot.expires_at, 'lot:' || v_lot.lot_id);
    insert into entry (movement_id, account_id, amount, at, against)
    values (v_lot.lot_id, p_account, v_lot.held - v_lot.amount, v_lot.expires_at, 'expired');
    perform add_value_event('value.expired', p_account, jsonb_build_object(
      'amount', v_lot.held - v_lot.amount, 'movementId', v_lot.lot_id, 'cause', 'lot:' || v_lot.lot_id
    ));
    if v_lot.held > 0 then
      insert into lot (account_id, amount, held, opens_at, expires_at, activation_id)
      values (p_account, v_lot.held, v_lot.held, v_lot.opens_at, v_lot.expires_at, v_lot.activation_id)
      returning lot_id into v_rest;
      update value_hold_part p set lot_id = v_rest
      from value_hold h
      where h.account_id = p_account and h.held_until is not null
        and p.calculation_id = h.calculation_id and p.account_id = h.account_id and p.lot_id = v_lot.lot_id;
    end if;
    delete from lot l where l.lot_id = v_lot.lot_id;
  end loop;
end


function expire_value(p_max integer) returns integer

declare
  v_now timestamptz := clock_timestamp();
  v_due bigint[];
  v_account bigint;
  v_count integer := 0;
begin
  v_due := array(
    select l.account_id from lot l
    where l.expires_at <= v_now and l.expires_at < 'infinity' and l.amount > l.held
    order by l.expires_at
    limit p_max
  );
  for v_account in
    select a.account_id
    from (select distinct account_id from unnest(v_due) d (account_id)) d
    join account a on a.account_id = d.account_id
    order by a.member_id, a.currency_id
    for update of a skip locked
  loop
    perform expire_lots(v_account);
    v_count := v_count + 1;
  end loop;
  return v_count;
end


function fill_lots(p_now timestamp with time zone, p_credits value_credit[], p_calculation uuid DEFAULT NULL::uuid) returns void

begin
  with filled as (
    update lot l set amount = l.amount + n.amount
    from unnest(p_credits) n
    where n.amount > 0 and n.opens_at <= p_now and l.lot_id = (
      select o.lot_id from lot o
      where o.account_id = n.account_id and o.expires_at = n.expires_at and o.opens_at <= p_now and o.activation_id is null
      order by o.lot_id limit 1
    )
    returning l.account_id
  )
  insert into lot (account_id, amount, opens_at, expires_at, calculation_id, awaits_opening)
  select n.account_id, n.amount, n.opens_at, n.expires_at, p_calculation, n.opens_at > p_now
  from unnest(p_credits) n
  where n.amount > 0 and not exists (select from filled f where f.account_id = n.account_id);
end


function find_answer(p_calculation uuid, p_idempotency_s integer, OUT kind text, OUT digest bytea, OUT packed bytea) returns record

declare
  v_calculation calculation;
begin
  kind := 'unknown';
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation;
  if not found then
    return;
  end if;
  kind := 'outlived';
  if v_calculation.answered_at <= clock_timestamp() - make_interval(secs => p_idempotency_s) then
    return;
  end if;
  select b.digest, b.packed into digest, packed from calculation_body b
  where b.day = v_calculation.body_day and b.calculation_id = p_calculation;
  if not found then
    -- Its body was dropped, or it was withdrawn between the two reads.
    if not exists (select from calculation c where c.calculation_id = p_calculation) then
      kind := 'unknown';
    end if;
    return;
  end if;
  kind := 'stored';
  if v_calculation.confirmed and not v_calculation.replayed then
    update calculation c set replayed = true where c.calculation_id = p_calculation;
    if not found then
      kind := 'unknown';
      digest := null;
      packed := null;
    end if;
  end if;
end


function finish_delivery(p_webhook uuid, p_place bigint, p_attempt integer, p_ending text, p_outcome text, p_retry interval, p_pause interval, p_patience interval) returns text

declare
  v_now timestamptz := clock_timestamp();
  v_delivery delivery;
  v_state delivery_state;
begin
  perform 1 from webhook w where w.webhook_id = p_webhook for update;
  select d.* into v_delivery from delivery d
  where d.place = p_place and d.webhook_id = p_webhook and d.state = 'due' and d.attempts = p_attempt
  for update;
  if not found then
    return null;
  end if;
  if p_ending = 'gone' then
    perform disable_webhook(p_webhook, p_outcome);
    return 'failed';
  end if;
  -- Most attempts change nothing here.
  update webhook w
  set failing_since = case p_ending when 'failed' then coalesce(w.failing_since, v_now) end,
    paused_until = greatest(w.paused_until, v_now + p_pause)
  where w.webhook_id = p_webhook and p_ending <> 'stopped'
    and ((w.failing_since is null) = (p_ending = 'failed') or p_pause > interval '0');
  v_state := case
    when p_ending = 'delivered' then 'delivered' when v_now + p_retry >= v_delivery.since + p_patience then 'failed' else 'due'
  end;
  update delivery d set state = v_state, outcome = p_outcome,
    due_at = case when v_state = 'due' then v_now + p_retry else v_now end,
    member_id = case when v_state = 'due' then d.member_id end
  where d.place = p_place and d.webhook_id = p_webhook;
  if v_state <> 'due' then
    update delivery d set state = 'due', due_at = v_now
    where d.webhook_id = p_webhook and d.state = 'waiting' and d.place = (
      select min(n.place) from delivery n
      where n.webhook_id = p_webhook and n.member_id = v_delivery.member_id and n.state = 'waiting'
    );
  end if;
  return v_state;
end


function finish_erasure(p_member text, p_venue_limits text[]) returns void

declare
  v_erasure erasure;
begin
  select e.* into v_erasure from erasure e where e.member_id = p_member for update;
  if not found then
    return;
  end if;
  perform require_durable();
  -- Later records may be those of a new member with the same card.
  perform erase_member(
    v_erasure.member_id, v_erasure.loyalty_ids, v_erasure.asked_at + interval '1 minute', p_venue_limits
  );
  perform erase_changes(v_erasure.loyalty_ids);
  delete from erasure e where e.member_id = p_member;
end


function first_beyond_room(p_accounts bigint[], p_amounts bigint[]) returns integer

  select min(t.place)::integer - 1
  from (
    select n.account_id, n.place, sum(n.amount) over (partition by n.account_id order by n.place) as total
    from unnest(p_accounts, p_amounts) with ordinality n (account_id, amount, place)
  ) t
  where t.total > account_room(t.account_id, false)


function first_imported(p_causes text[]) returns integer

  select min(c.place)::integer - 1
  from unnest(p_causes) with ordinality c (cause, place)
  where exists (select from movement m where m.cause = c.cause)
    or exists (select from forgetting_key k join movement m on m.cause = erased_cause(k, c.cause))


function fixed_faults(p_currencies json, p_limits json) returns json

  select coalesce(json_agg(json_build_object(
      'path', f.path, 'expected', f.expected || ', as published before', 'received', f.received
    ) order by f.list, f.place, f.field), '[]')
  from (
    select 1 as list, c.place, 0 as field, format('currencies[%s].scale', c.place - 1) as path, k.scale::text as expected,
      c.scale::text as received
    from rows from (json_to_recordset(p_currencies) as (currency_id text, scale integer))
      with ordinality as c (currency_id, scale, place)
    join value_currency k on k.currency_id = c.currency_id
    where k.scale <> c.scale
    union all
    select 2, r.place, f.field, format('earning[%s].%s', r.place, f.name), f.expected, f.received
    from json_to_recordset(p_currencies) as c (currency_id text, rules json)
    cross join json_to_recordset(c.rules) as r (place integer, rule_id text, give bigint, per text, every bigint)
    join value_rule k on k.rule_id = r.rule_id
    cross join lateral (values
      (1, 'currencyId', k.currency_id::text, c.currency_id),
      (2, 'give', k.give::text, r.give::text),
      (3, 'per', concat_ws(' ', k.per, k.every), concat_ws(' ', r.per, r.every))
    ) as f (field, name, expected, received)
    where f.expected <> f.received
    union all
    select 3, l.place, 0, l.path, to_json(k.counts)::text, to_json(l.counts)::text
    from rows from (json_to_recordset(p_limits) as (path text, limit_id text, counts text))
      with ordinality as l (path, limit_id, counts, place)
    join published_limit k on k.limit_id = l.limit_id
    where k.counts <> l.counts
  ) f


function forfeit_accounts(p_member text) returns void

declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_account account;
  v_left bigint;
  v_movement movement;
begin
  if exists (select from member m where m.member_id = p_member) then
    return;
  end if;
  delete from wrong_code w where w.member_id = p_member;
  delete from given_tier g where g.member_id = p_member;
  for v_account in
    select a.* from account a where a.member_id = p_member order by a.currency_id for update
  loop
    perform release_value(array(
      select h.calculation_id from value_hold h where h.account_id = v_account.account_id and h.held_until is not null
    ), array[v_account.account_id]);
    -- So that a late sale finds nothing to use.
    delete from value_hold h where h.account_id = v_account.account_id and h.amount > 0 and h.state = 'released';
    perform expire_lots(v_account.account_id);
    v_left := coalesce((select sum(l.amount) from lot l where l.account_id = v_account.account_id), 0) - v_account.debt;
    if v_left <> 0 then
      v_movement := add_movement('forfeited', 'account:' || v_account.account_id, '', '');
      perform add_entry(v_movement, v_account.account_id, 'forfeited', -v_left);
    end if;
    delete from lot l where l.account_id = v_account.account_id;
    delete from activation_part p using activation n
    where n.from_account = v_account.account_id and p.activation_id = n.activation_id;
    delete from activation n where n.from_account = v_account.account_id;
    update account a set member_id = v_name, debt = 0 where a.account_id = v_account.account_id;
    perform erase_movements(v_account.account_id);
  end loop;
  delete from announced_tier a where a.member_id = p_member;
  delete from member_visits v where v.member_id = p_member;
end


function forget_calculation(p_calculation uuid) returns void

declare
  v_day date;
begin
  delete from calculation c where c.calculation_id = p_calculation returning c.body_day into v_day;
  delete from calculation_body b where b.day = v_day and b.calculation_id = p_calculation;
  delete from reservation r where r.calculation_id = p_calculation;
  delete from value_hold h where h.calculation_id = p_calculation;
end


function forget_ids(p_by change_context, p_member text, p_loyalty_ids text[], p_venue_limits text[]) returns json

declare
  v_counts record;
  v_recent json := (
    select coalesce(json_agg(c.calculation_id), '[]') from calculation c
    where (c.member_id = p_member or c.loyalty_id = any (p_loyalty_ids))
      and c.answered_at > clock_timestamp() - interval '1 hour'
  );
  v_current text[] := array(
    select l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id
  );
begin
  insert into erasure (member_id, loyalty_ids) values (coalesce(p_member, 'forgotten-' || gen_random_uuid()), p_loyalty_ids)
  on conflict (member_id) do update
    set loyalty_ids = erasure.loyalty_ids || excluded.loyalty_ids, asked_at = clock_timestamp();
  perform erase_changes(p_loyalty_ids);
  -- Caches need the plain ids; finish_erasure removes them.
  insert into change (kind, id) select 'member', l.id from unnest(v_current) l (id);
  delete from member_loyalty_id l where l.member_id = p_member;
  delete from member m where m.member_id = p_member;
  select e.* into v_counts from erase_member(p_member, p_loyalty_ids, 'infinity', p_venue_limits) e;

  delete from audit_record a where a.subject_kind = 'member' and a.subject_id = p_member;
  update audit_record a
  set before = snapshot_without(a.before, p_loyalty_ids), after = snapshot_without(a.after, p_loyalty_ids)
  where a.subject_kind = 'member'
    and a.subject_id in (select p.member_id from past_loyalty_id p where p.loyalty_id = any (p_loyalty_ids));
  delete from past_loyalty_id p where p.member_id = p_member or p.loyalty_id = any (p_loyalty_ids);
  delete from published_member p where p.member_id = p_member;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id)
  values (p_by.actor, p_by.call, p_by.request_id, 'member', 'forgotten');

  perform make_forgetting_key();
  insert into forgotten (digest)
  select forgotten_digest(k, 'member', p_member) from forgetting_key k where p_member is not null
  union
  select forgotten_digest(k, 'loyalty', l.id) from forgetting_key k, unnest(p_loyalty_ids) l (id)
  on conflict do nothing;
  perform forget_merged(p_member, p_venue_limits);

  perform keep_order(p_by, json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', '[]'::json
  ));
  return json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', v_recent
  );
end


function forget_merged(p_member text, p_venue_limits text[]) returns void

declare
  v_merged text;
begin
  for v_merged in select g.member_id from merged_member g where g.into_id = p_member order by g.member_id loop
    insert into erasure (member_id, loyalty_ids) values (v_merged, '{}')
    on conflict (member_id) do update set asked_at = clock_timestamp();
    perform erase_member(v_merged, '{}', 'infinity', p_venue_limits);
    delete from audit_record a where a.subject_kind = 'member' and a.subject_id = v_merged;
    delete from past_loyalty_id p where p.member_id = v_merged;
    insert into forgotten (digest) select forgotten_digest(k, 'member', v_merged) from forgetting_key k on conflict do nothing;
  end loop;
  delete from merged_loyalty_id g where g.into_id = p_member;
  delete from merged_member g where g.into_id = p_member;
end


function forgotten_among(p_kind text, p_ids json) returns SETOF text

  select i.id
  from forgetting_key k
  cross join json_array_elements_text(p_ids) i (id)
  join forgotten f on f.digest = forgotten_digest(k, p_kind, i.id)
  where exists (select from forgotten)


function forgotten_digest(p_key forgetting_key, p_kind text, p_id text) returns bytea

  select sha256((p_key).outer_key || sha256((p_key).inner_key || convert_to(p_kind || ' ' || p_id, 'UTF8')))


function give_back(p_movement movement, p_account bigint, p_calculation uuid, p_before bigint, p_amount bigint) returns bigint

declare
  v_now timestamptz := (p_movement).at;
  v_skipped bigint := p_before;
  v_left bigint := p_amount;
  v_rest bigint;
  v_paid bigint := 0;
  v_part record;
  v_taken bigint;
begin
  perform add_entry(p_movement, p_account, 'redeemed', p_amount);
  for v_part in
    select p.place, p.amount, p.expires_at from value_hold_part p
    where p.calculation_id = p_calculation and p.account_id = p_account
    union all
    -- What became debt has no part.
    select 2147483647, h.amount - coalesce((
      select sum(p.amount) from value_hold_part p where p.calculation_id = p_calculation and p.account_id = p_account
    ), 0)::bigint, v_now
    from value_hold h where h.calculation_id = p_calculation and h.account_id = p_account
    order by 1 desc
  loop
    v_taken := least(v_left, greatest(0, v_part.amount - v_skipped));
    v_skipped := greatest(0, v_skipped - v_part.amount);
    v_left := v_left - v_taken;
    v_rest := pay_debt(p_account, v_taken);
    v_paid := v_paid + v_taken - v_rest;
    perform fill_lots(v_now, array[
      row (p_account, v_rest, v_now, greatest(v_part.expires_at, v_now + interval '720 hours'))::value_credit
    ]);
  end loop;
  if v_left > 0 then
    raise exception 'calculation % used % less of account %', p_calculation, v_left, p_account;
  end if;
  return v_paid;
end


function given_by_sales(p_sales uuid[]) returns TABLE(day date, venue_id text, benefit_id text, currency text, redeemed boolean, discount bigint, paid bigint, cost_currency text, cost bigint)

  select local_day(c.answered_at, v.time_zone), c.venue_id, g ->> 0, c.currency,
    s.status = 'applied' or (s.status = 'unchanged' and c.status = 'unchanged'), (g ->> 1)::bigint, coalesce(s.paid_total, 0),
    g ->> 2, (g ->> 3)::bigint
  from unnest(p_sales) i (id)
  join sale s on s.calculation_id = i.id
  join calculation c on c.calculation_id = i.id
  left join venue v on v.venue_id = c.venue_id
  cross join lateral json_array_elements(c.gave::json) g


function given_within(p_account bigint, p_rule text, p_period text, p_day date) returns numeric

declare
  v_from timestamp;
  v_to timestamp;
begin
  if p_period = 'basket' then
    return 0;
  elsif p_period = 'ever' then
    return coalesce((select t.given from earned_total t where t.account_id = p_account and t.rule_id = p_rule), 0);
  end if;
  v_from := date_trunc(p_period, p_day::timestamp);
  v_to := v_from + ('1 ' || p_period)::interval;
  return coalesce((
    select sum(e.given) from earned e
    where e.account_id = p_account and e.rule_id = p_rule and e.day >= v_from::date and e.day < v_to::date
      -- For the index: a local date and its time in UTC are less than a day apart.
      and e.at > v_from at time zone 'UTC' - interval '1 day' and e.at < v_to at time zone 'UTC' + interval '1 day'
  ), 0) + coalesce((
    select sum(u.given) from completed_units u
    where u.account_id = p_account and u.rule_id = p_rule and u.day >= v_from::date and u.day < v_to::date
  ), 0);
end


function has_other_member(p_sale sale, p_found text, p_member text) returns boolean

  select case when 'earning_unknown' = any (p_sale.discrepancies)
    then coalesce(p_found <> p_member, false) or exists (
      select from earned e join account a on a.account_id = e.account_id
      where e.calculation_id = p_sale.calculation_id and a.member_id <> p_member
    )
    else p_found is not null
  end


function heed_merges(p_by change_context, p_members json, OUT members json, OUT merged integer) returns record

declare
  v_into text;
  v_free text[];
  v_before text;
  -- Who names each loyalty id, so that an import need not be read again for each of them.
  v_named jsonb;
begin
  members := p_members;
  merged := 0;
  if not exists (select from merged_member) then
    return;
  end if;
  delete from merged_loyalty_id g
  using merged_loyalty_id o, json_to_recordset(p_members) as n (member_id text, loyalty_ids json),
    json_array_elements_text(n.loyalty_ids) l (loyalty_id)
  where g.into_id = n.member_id and o.into_id = n.member_id and o.member_id = g.member_id and o.loyalty_id = l.loyalty_id;

  for v_into, v_free in
    select g.into_id, array_agg(l.loyalty_id)
    from json_to_recordset(p_members) as n (member_id text, loyalty_ids json)
    join merged_member g on g.member_id = n.member_id
    cross join json_array_elements_text(n.loyalty_ids) l (loyalty_id)
    where not exists (select from member_loyalty_id x where x.loyalty_id = l.loyalty_id)
    group by g.into_id
    order by g.into_id
  loop
    v_before := member_snapshot(v_into);
    insert into member_loyalty_id (loyalty_id, member_id) select unnest(v_free), v_into;
    insert into merged_loyalty_id (loyalty_id, member_id, into_id)
    select l.loyalty_id, n.member_id, v_into
    from json_to_recordset(p_members) as n (member_id text, loyalty_ids json)
    join merged_member g on g.member_id = n.member_id and g.into_id = v_into
    cross join json_array_elements_text(n.loyalty_ids) l (loyalty_id)
    where l.loyalty_id = any (v_free)
    on conflict (loyalty_id) do update set member_id = excluded.member_id, into_id = excluded.into_id;
    insert into change (kind, id)
    select 'member', x.loyalty_id from member_loyalty_id x where x.member_id = v_into order by x.loyalty_id;
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    values (p_by.actor, p_by.call, p_by.request_id, 'member', v_into, v_before, member_snapshot(v_into));
  end loop;

  select jsonb_object_agg(l.loyalty_id, n.member_id) into v_named
  from json_to_recordset(p_members) as n (member_id text, loyalty_ids json), json_array_elements_text(n.loyalty_ids) l (loyalty_id);
  select coalesce(json_agg(to_jsonb(n) || jsonb_build_object('loyalty_ids', array(
      select json_array_elements_text(n.loyalty_ids)
      union
      select g.loyalty_id from merged_loyalty_id g
      join member_loyalty_id x on x.loyalty_id = g.loyalty_id and x.member_id = g.into_id
      where g.into_id = n.member_id and coalesce(v_named ->> g.loyalty_id, g.member_id) = g.member_id
    ))), '[]'), json_array_length(p_members) - count(*)
  into members, merged
  from json_to_recordset(p_members)
    as n (member_id text, body text, body_blocked text, blocked boolean, loyalty_ids json)
  where not exists (select from merged_member g where g.member_id = n.member_id);
end


function hold_value(p_calculation uuid, p_account bigint, p_amount bigint) returns void

declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
  v_place integer := 0;
begin
  insert into value_hold (calculation_id, account_id, amount, held_until)
  select p_calculation, p_account, p_amount, c.expires_at from calculation c where c.calculation_id = p_calculation;
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.opens_at <= v_now and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_place := v_place + 1;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    update lot l set held = l.held + v_taken where l.lot_id = v_lot.lot_id;
    insert into value_hold_part (calculation_id, account_id, place, lot_id, amount, opens_at, expires_at)
    values (p_calculation, p_account, v_place, v_lot.lot_id, v_taken, v_lot.opens_at, v_lot.expires_at);
    v_left := v_left - v_taken;
  end loop;
  if v_left > 0 then
    raise exception 'account % has % too little for %', p_account, v_left, p_calculation using errcode = '40001';
  end if;
end


function import_cause(p_currency text, p_reference text) returns text

  select 'import:' || replace(replace(p_currency, '%', '%25'), '/', '%2F') || '/' || p_reference


function import_fault(p_rows json, p_now timestamp with time zone, p_members text[], p_currencies text[], p_causes text[]) returns json

  select json_build_object('kind', f.kind, 'place', f.place)
  from (
    select 1 as rank, 'unknown_member' as kind, min(n.place)::integer - 1 as place
    from unnest(p_members) with ordinality n (id, place)
    where not exists (select from member m where m.member_id = n.id)
    union all
    select 2, 'unknown_currency', min(n.place)::integer - 1
    from unnest(p_currencies) with ordinality n (id, place)
    where not exists (select from value_currency k where k.currency_id = n.id)
    union all
    select 3, 'past_expiry', min(r.place)::integer - 1
    from rows from (json_to_recordset(p_rows) as (expires_at timestamptz)) with ordinality as r (expires_at, place)
    where r.expires_at <= p_now
    union all
    select 4, 'already_imported', first_imported(p_causes)
  ) f
  where f.place is not null
  order by f.place, f.rank
  limit 1


function is_pending(p_webhook uuid, p_member text) returns boolean

  select exists (
    select from delivery d
    where d.webhook_id = p_webhook and d.member_id = p_member and d.state in ('waiting', 'due')
  )


function issue_vouchers(p_by change_context, p_members text[], p_currency text, p_amount bigint, p_expires_at timestamp with time zone) returns json

declare
  v_accounts bigint[];
  v_before text[];
  v_place integer;
  v_movement movement;
  v_account bigint;
begin
  if cardinality(p_members) = 0 then
    return null;
  end if;
  perform lock_accounts(p_members, array_fill(p_currency, array[cardinality(p_members)]));
  v_accounts := array(
    select a.account_id from unnest(p_members) with ordinality n (member_id, place)
    join account a on a.member_id = n.member_id and a.currency_id = p_currency
    order by n.place
  );
  v_place := (
    select min(n.place) - 1 from unnest(v_accounts) with ordinality n (account_id, place)
    where account_room(n.account_id, true) < p_amount
  );
  if v_place is not null then
    return json_build_object('kind', 'out_of_range', 'place', v_place);
  end if;
  v_before := array(
    select account_snapshot(n.account_id) from unnest(v_accounts) with ordinality n (account_id, place) order by n.place
  );
  v_movement := add_movement('issued', 'request:' || p_by.request_id, '', p_by.actor);
  if v_movement.movement_id is null then
    return '{"kind":"request_id_conflict"}';
  end if;
  foreach v_account in array v_accounts loop
    perform credit(v_movement, v_account, 'issued', p_amount, v_movement.at, p_expires_at, true);
  end loop;
  perform audit_accounts(p_by, v_accounts, v_before);
  return null;
end


function join_sale(p_calculation uuid) returns void

declare
  v_calculation calculation;
  v_sale sale;
  v_discrepancies text[];
begin
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  if not found then
    return;
  end if;
  select c.* into strict v_calculation from calculation c where c.calculation_id = p_calculation;
  select t.discrepancies into v_discrepancies from settle_sale(v_sale, v_calculation, v_sale.recorded_at, null) t;
  update sale s
  set discrepancies = v_discrepancies || array(select w from unnest(s.discrepancies) w where w in ('earning_unknown', 'value_full')),
    joined_at = clock_timestamp()
  where s.calculation_id = p_calculation;
  insert into joined_sale (calculation_id) values (p_calculation) on conflict do nothing;
end


function keep_batch(p_records json, p_bytes bytea, p_ends integer[], p_expiry_s integer) returns uuid[]

declare
  v_digests bytea[];
  v_packed bytea[];
  v_inputs bytea[];
  v_explanations bytea[];
begin
  select array_agg(b.part order by b.place) filter (where b.place % 4 = 1),
    array_agg(b.part order by b.place) filter (where b.place % 4 = 2),
    array_agg(b.part order by b.place) filter (where b.place % 4 = 3),
    array_agg(b.part order by b.place) filter (where b.place % 4 = 0)
  into v_digests, v_packed, v_inputs, v_explanations
  from (
    select e.place, substring(p_bytes from e.start + 1 for e.ends - e.start) as part
    from (
      select u.place, u.ends, coalesce(p_ends[u.place - 1], 0) as start from unnest(p_ends) with ordinality as u (ends, place)
    ) e
  ) b;
  return keep_journalled(p_records, v_digests, v_packed, v_inputs, v_explanations, p_expiry_s);
end


function keep_calculations(p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[], p_expiry_s integer) returns integer

declare
  v_superseded uuid[] := array(
    select r.supersedes_calculation_id
    from json_to_recordset(p_records) as r (supersedes_calculation_id uuid)
    where r.supersedes_calculation_id is not null
  );
  v_stored uuid[];
  v_sold uuid[];
begin
  perform require_durable();
  if v_superseded <> '{}' then
    perform lock_calculations(
      v_superseded || array(select r.calculation_id from json_to_recordset(p_records) as r (calculation_id uuid))
    );
  end if;
  v_stored := store_calculations(p_records, p_digests, p_packed, p_inputs, p_explanations, false, p_expiry_s);
  perform supersede_calculations(v_stored);
  v_sold := array(select s.calculation_id from sale s where s.calculation_id = any (v_stored) order by s.calculation_id);
  if v_sold <> '{}' then
    -- Of all of them together, so that two batches lock them in the same order.
    perform lock_accounts(array_agg(c.member_id), array_agg(r.currency_id))
    from sale s
    join calculation c on c.calculation_id = s.calculation_id
    cross join lateral earning_rules(c.earning::jsonb, s.status = 'applied') r
    where s.calculation_id = any (v_sold) and c.member_id is not null
    having count(*) > 0;
    perform lock_visits(array(select c.member_id from calculation c where c.calculation_id = any (v_sold)));
    perform join_sale(s.id) from unnest(v_sold) as s (id) order by s.id;
  end if;
  return cardinality(v_stored);
end


function keep_journalled(p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[], p_expiry_s integer) returns uuid[]

begin
  if keep_calculations(p_records, p_digests, p_packed, p_inputs, p_explanations, p_expiry_s) = json_array_length(p_records) then
    return '{}';
  end if;
  return array(
    select c.calculation_id
    from rows from (
      json_to_recordset(p_records) as (calculation_id uuid), unnest(p_digests), unnest(p_packed)
    ) as r (calculation_id, digest, packed)
    join calculation c on c.calculation_id = r.calculation_id
    join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
    where b.digest <> r.digest or b.packed <> r.packed
    order by c.calculation_id
  );
end


function keep_order(p_by change_context, p_reply json) returns json

begin
  update change_order o set reply = p_reply::text where o.request_id = p_by.request_id;
  return p_reply;
end


function kept_counts(p_ladder json, p_returned bigint[]) returns TABLE(place bigint, rule_id text, on_return text, counted bigint)

  with line as (
    select l.place - 1 as at, (l.line ->> 2)::bigint - div(p_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric) as net,
      case when (l.line ->> 1)::bigint % 1000 = 0
        then greatest(0, (l.line ->> 1)::bigint / 1000 - (l.line ->> 4)::bigint - p_returned[l.place] / 1000)
        else 0
      end as units
    from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
  )
  select r.place, r."ruleId", coalesce(r."onReturn", 'to_zero'), case
    when r."minimumSpend" > (
      select coalesce(sum(l.net), 0) from json_array_elements_text(r.spending) s (at) join line l on l.at = s.at::bigint
    ) then 0
    when r.per = 'visit' then anything_kept(p_ladder, p_returned)::integer
    else (
      select coalesce(sum(case when r.per = 'amount' then l.net else l.units end), 0)
      from json_array_elements_text(r.lines) s (at) join line l on l.at = s.at::bigint
    )
  end::bigint
  from rows from (
    json_to_recordset(p_ladder -> 'rules') as (
      "ruleId" text, per text, "onReturn" text, "minimumSpend" bigint, spending json, lines json
    )
  ) with ordinality as r ("ruleId", per, "onReturn", "minimumSpend", spending, lines, place)


function last_event_place() returns bigint

  select coalesce((select e.place from event e where e.place is not null order by e.place desc limit 1), 0)


function leave_gateways(p_gateway uuid) returns void

begin
  perform require_durable();
  delete from gateway g where g.gateway_id = p_gateway;
end


function limit_counter_state(p_counter limit_counter, OUT "limitId" text, OUT subject text, OUT period text, OUT maximum bigint, OUT used bigint, OUT late bigint, OUT open bigint, OUT "nextExpiryAt" double precision, OUT "lastExpiryAt" double precision) returns record

  select p_counter.limit_id, p_counter.subject, p_counter.period, p_counter.maximum, p_counter.used, p_counter.late,
    p_counter.open - coalesce((
      select sum(r.units)::bigint from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until <= statement_timestamp()
    ), 0),
    (
      select milliseconds(min(r.held_until)) from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until > statement_timestamp()
    ),
    (
      select milliseconds(max(r.held_until)) from reservation r
      where r.counter_id = p_counter.counter_id and r.held_until > statement_timestamp()
    )


function limit_pace(p_counter limit_counter, p_ago interval, OUT since timestamp with time zone, OUT taken bigint) returns record

  select b.since, greatest(0, p_counter.used + p_counter.late + p_counter.open - b.taken)
  from (
    (
      -- Samples are ten minutes apart, and six hours behind the first day; where they are further apart nothing was taken between.
      select 1 as choice, s.taken,
        greatest(s.at, statement_timestamp() - p_ago - case when p_ago > '1 day' then interval '6 hours' else '10 minutes' end) as since
      from limit_sample s
      where s.counter_id = p_counter.counter_id and s.at <= statement_timestamp() - p_ago
      order by s.at desc limit 1
    )
    union all
    select 2, 0, p_counter.created_at where p_counter.created_at > statement_timestamp() - p_ago
    union all
    (
      select 3, s.taken, s.at from limit_sample s where s.counter_id = p_counter.counter_id order by s.at limit 1
    )
    order by 1 limit 1
  ) b


function limit_scope(p_limit text) returns text

declare
  v_benefits json := (select p.benefits::json from programme_version p order by p.version desc limit 1);
begin
  -- An object where there is more than benefits.
  if json_typeof(v_benefits) = 'object' then
    v_benefits := v_benefits -> 'benefits';
  end if;
  return (
    select l.value ->> 'scope'
    from json_array_elements(v_benefits) b,
      json_array_elements(case when json_typeof(b.value -> 'limits') = 'array' then b.value -> 'limits' end) l
    where l.value ->> 'limitId' = p_limit
    limit 1
  );
end


function living_holds(p_record json, p_holds json) returns json

declare
  v_member text := p_record ->> 'member_id';
  v_living text;
begin
  -- A venue may have the same id.
  if v_member = p_record ->> 'venue_id'
    or not exists (select from json_to_recordset(p_holds) as h (subject text) where h.subject = v_member) then
    return p_holds;
  end if;
  v_living := living_member(v_member);
  if v_living = v_member then
    return p_holds;
  end if;
  return (
    select json_agg(case when h.hold ->> 'subject' = v_member
      then h.hold::jsonb || jsonb_build_object('subject', v_living) else h.hold::jsonb end)
    from json_array_elements(p_holds) h (hold)
  );
end


function living_member(p_member text) returns text

declare
  v_member text := p_member;
begin
  loop
    perform 1 from member m where m.member_id = v_member for key share;
    if found then
      return v_member;
    end if;
    select g.into_id into v_member from merged_member g where g.member_id = p_member;
    if not found then
      return p_member;
    end if;
    -- It may be merged meanwhile, or forgotten, and then nobody follows it.
    exit when not exists (select from member m where m.member_id = v_member);
  end loop;
  return v_member;
end


function local_day(p_at timestamp with time zone, p_zone text) returns date

begin
  return (p_at at time zone coalesce(p_zone, 'UTC'))::date;
exception when invalid_parameter_value then
  return local_day(p_at, 'UTC');
end


function lock_accounts(p_members text[], p_currencies text[]) returns SETOF account

begin
  return query select a.* from unnest(locked_accounts(p_members, p_currencies)) a;
end


function lock_buyer(p_calculation uuid) returns text

declare
  v_name text;
  v_member text;
begin
  loop
    select min(a.member_id) into v_name from buyer_accounts(p_calculation) a;
    v_member := lock_member(v_name, null);
    -- A call that was waited for may have renamed the accounts.
    exit when v_name is not distinct from (select min(a.member_id) from buyer_accounts(p_calculation) a);
  end loop;
  return v_member;
end


function lock_calculations(p_calculations uuid[]) returns uuid[]

declare
  v_id uuid;
  v_locked uuid[] := '{}';
begin
  for v_id in select distinct unnest(p_calculations) as id order by id loop
    loop
      perform 1 from calculation c where c.calculation_id = v_id for update;
      if found then
        v_locked := v_locked || v_id;
        exit;
      end if;
      exit when claim_absence(v_id);
    end loop;
  end loop;
  return v_locked;
end


function lock_changes() returns void

  select pg_advisory_xact_lock(hashtextextended('loyalty change feed', 0))


function lock_counters(p_calculations uuid[]) returns void

begin
  perform 1
  from (select distinct r.counter_id from reservation r where r.calculation_id = any (p_calculations)) h
  join limit_counter k on k.counter_id = h.counter_id
  order by k.limit_id, k.subject, k.period
  for update of k;
end


function lock_held_accounts(p_calculations uuid[], p_member text, p_currencies text[]) returns void

begin
  perform lock_accounts(array_agg(n.member_id), array_agg(n.currency_id))
  from (
    select a.member_id, a.currency_id
    from value_hold h join account a on a.account_id = h.account_id
    where h.calculation_id = any (p_calculations)
    union
    select p_member, c.currency_id from unnest(p_currencies) c (currency_id) where p_member is not null
  ) n
  having count(*) > 0;
end


function lock_member(p_member text, p_loyalty_id text) returns text

  select m.member_id from member m
  where m.member_id = coalesce(
    p_member, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id)
  )
  for key share


function lock_visits(p_members text[]) returns void

  insert into member_visits as v (member_id, visits)
  select distinct m.member_id, 0 from member m where m.member_id in (
    select coalesce(g.into_id, n.member_id) from unnest(p_members) n (member_id)
    left join merged_member g on g.member_id = n.member_id
  )
  order by m.member_id
  on conflict (member_id) do update set visits = v.visits


function locked_accounts(p_members text[], p_currencies text[]) returns account[]

declare
  v_members text[] := p_members;
  v_accounts account[];
  v_ids bigint[];
  v_account account;
  v_now timestamptz;
  v_soon timestamptz;
  v_ended uuid[];
  v_locked account[] := '{}';
begin
  -- Joined: for `not exists` the planner could read all accounts.
  if exists (
    select from unnest(p_members, p_currencies) n (member_id, currency_id)
    left join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    left join merged_member g on g.member_id = n.member_id
    where a.account_id is null or g.member_id is not null
  ) then
    v_members := array(
      select coalesce(g.into_id, n.member_id) from unnest(p_members) with ordinality n (member_id, place)
      left join merged_member g on g.member_id = n.member_id
      order by n.place
    );
    insert into account (member_id, currency_id)
    select distinct n.member_id collate "C", n.currency_id collate "C"
    from unnest(v_members, p_currencies) n (member_id, currency_id)
    where not exists (select from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
    order by 1, 2
    on conflict do nothing;
  end if;
  select array_agg(l), array_agg(l.account_id) into v_accounts, v_ids
  from (
    select a.*
    from (select distinct n.member_id, n.currency_id from unnest(v_members, p_currencies) n (member_id, currency_id)) n
    join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    order by a.member_id, a.currency_id
    for update of a
  ) l;

  v_now := clock_timestamp();
  v_soon := v_now + interval '7 days';
  -- Most have nothing to follow, release, write or announce, and one look at all of them together says so.
  if not (
    exists (select from merged_member g where g.member_id = any (v_members))
    or exists (select from value_hold h where h.account_id = any (v_ids) and h.held_until <= v_now)
    or exists (
      select from lot l
      where l.account_id = any (v_ids) and (
        (l.expires_at <= v_soon and (not l.expiry_announced or (l.expires_at <= v_now and l.amount > l.held)))
        or (l.awaits_opening and l.opens_at <= v_now)
      )
    )
  ) then
    return v_accounts;
  end if;
  foreach v_account in array coalesce(v_accounts, '{}') loop
    if exists (select from merged_member g where g.member_id = v_account.member_id) then
      v_locked := v_locked || locked_accounts(array[v_account.member_id], array[v_account.currency_id]);
      continue;
    end if;
    v_ended := array(select h.calculation_id from value_hold h where h.account_id = v_account.account_id and h.held_until <= v_now);
    if v_ended <> '{}' then
      perform release_value(v_ended, array[v_account.account_id]);
    end if;
    perform expire_lots(v_account.account_id);
    v_locked := v_locked || v_account;
  end loop;
  return v_locked;
end


function lot_expiry(p_at timestamp with time zone, p_zone text, p_expires json) returns timestamp with time zone

declare
  v_end timestamp;
  v_next timestamptz;
begin
  if p_expires is null then
    return 'infinity';
  end if;
  v_end := (p_at at time zone p_zone) + (p_expires ->> 'after')::integer
    * case p_expires ->> 'unit' when 'months' then interval '1 month' else interval '1 day' end;
  if p_expires ->> 'atEndOf' is null then
    return v_end at time zone p_zone;
  end if;
  v_end := date_trunc(p_expires ->> 'atEndOf', v_end) + ('1 ' || (p_expires ->> 'atEndOf'))::interval;
  -- Where clocks go back over midnight, it comes twice, and this is the second.
  v_next := v_end at time zone p_zone;
  return case when (v_next - interval '1 hour') at time zone p_zone >= v_end then v_next - interval '1 hour' else v_next end;
exception when invalid_parameter_value then
  return lot_expiry(p_at, 'UTC', p_expires);
end


function loyalty_ids_ever(p_member text) returns text[]

  select array(
    select h.loyalty_id from (
      select x.loyalty_id from member_loyalty_id x where x.member_id = p_member
      union
      select p.loyalty_id from past_loyalty_id p where p.member_id = p_member
      union
      select c.loyalty_id from calculation c where c.member_id = p_member and c.loyalty_id is not null
    ) h
    where not exists (
      select from member_loyalty_id x where x.loyalty_id = h.loyalty_id and x.member_id <> p_member
    )
  )


function make_forgetting_key() returns void

declare
  v_random bytea := sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
  );
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  if exists (select from forgetting_key) then
    return;
  end if;
  for at in 0 .. 31 loop
    v_inner := set_byte(v_inner, at, get_byte(v_inner, at) # get_byte(v_random, at));
    v_outer := set_byte(v_outer, at, get_byte(v_outer, at) # get_byte(v_random, at));
  end loop;
  insert into forgetting_key (inner_key, outer_key) values (v_inner, v_outer);
end


function make_return(p_by change_context, p_calculation uuid, p_lines text, p_kept_refund bigint, p_reference text, p_occurred_at timestamp with time zone) returns json

declare
  v_member text := lock_buyer(p_calculation);
  v_ladder json;
  v_return sale_return;
  v_before bigint[];
  v_after bigint[];
  v_reply json;
  v_accounts bigint[];
  v_snapshots text[];
begin
  select l.ladder into v_ladder from sale_ladder l where l.calculation_id = p_calculation for update;
  if not found then
    return '{"kind":"no_ladder"}';
  end if;
  -- A claim that was waited for has given the sale a member. Nobody who keeps others from a member waits for a ladder.
  v_member := coalesce(v_member, lock_buyer(p_calculation));
  select r.* into v_return from sale_return r where r.calculation_id = p_calculation and r.reference = p_reference;
  if found then
    return case when v_return.lines = p_lines then return_summary(v_return) else '{"kind":"reference_conflict"}' end;
  end if;
  v_before := returned_lines(p_calculation, v_ladder);
  v_reply := too_much(v_ladder, v_before, p_lines::json);
  if v_reply is not null then
    return v_reply;
  end if;
  v_after := added_lines(v_before, p_lines::json);

  perform lock_accounts(array_agg(a.member_id), array_agg(a.currency_id))
  from buyer_accounts(p_calculation) a having count(*) > 0;
  if v_member is not null and exists (
    select from spent_due(p_calculation, v_ladder, v_before, v_after) d where d.amount > account_room(d.account_id, true)
  ) then
    return '{"kind":"out_of_range"}';
  end if;
  v_accounts := array(select a.account_id from buyer_accounts(p_calculation) a);
  v_snapshots := array(select account_snapshot(n.id) from unnest(v_accounts) with ordinality n (id, place) order by n.place);
  insert into sale_return (calculation_id, reference, lines, refund, kept_refund, occurred_at, actor)
  values (
    p_calculation, p_reference, p_lines, paid_back(v_ladder, v_after) - paid_back(v_ladder, v_before), p_kept_refund,
    p_occurred_at, p_by.actor
  )
  returning * into v_return;
  update sale_return r set taken_back = s.taken_back, given_back = s.given_back
  from settle_return(v_return, v_ladder, v_before, v_after, v_member) s
  where r.return_id = v_return.return_id
  returning r.* into v_return;
  perform announce_tier_of_sale(p_calculation);
  perform audit_return(p_by, v_return);
  perform audit_accounts(p_by, v_accounts, v_snapshots);
  return return_summary(v_return);
end


function mark_sums(p_at timestamp with time zone) returns void

  update sums_state set next_at = p_at, next_xid = pg_current_xact_id()


function meet_gateways(p_gateway uuid, p_uses_cache boolean, p_flushed bigint, p_wish boolean, p_lease_ms integer, OUT wished bigint, OUT flushed_by_others bigint) returns record

declare
  v_now timestamptz := clock_timestamp();
  v_lease interval := make_interval(secs => p_lease_ms / 1000.0);
  v_own gateway;
begin
  select f.number into wished from flush_wish f;
  -- A promoted standby may lack the newest wishes. A flush for a lost wish says nothing about later ones.
  if p_flushed > wished then
    p_flushed := 0;
  end if;
  select g.* into v_own from gateway g where g.gateway_id = p_gateway;
  if not found or v_own.held_until not between v_now + v_lease * 2 / 3 and v_now + v_lease
    or v_own.uses_cache <> p_uses_cache or v_own.flushed_through <> p_flushed
  then
    perform require_durable();
    delete from gateway g where g.held_until < v_now - interval '1 hour';
    insert into gateway as g (gateway_id, held_since, held_until, uses_cache, flushed_through)
    values (p_gateway, v_now, v_now + v_lease, p_uses_cache, p_flushed)
    on conflict (gateway_id) do update set
      held_since = case when g.held_until < v_now then v_now else g.held_since end,
      held_until = excluded.held_until, uses_cache = excluded.uses_cache, flushed_through = excluded.flushed_through
    returning g.* into v_own;
  end if;
  if p_wish then
    perform require_durable();
    update flush_wish f set number = f.number + 1 returning f.number into wished;
  end if;
  select min(g.flushed_through) into flushed_by_others
  from gateway g
  where g.gateway_id <> p_gateway and g.uses_cache
    and (g.held_until >= v_now or v_own.held_since + v_lease > v_now);
end


function member_hints(p_member text) returns json

  select json_build_object('balances', coalesce((
    select json_object_agg(b.currency_id, b.amount)
    from (
      select a.currency_id, sum(l.amount)::bigint as amount
      from account a join lot l on l.account_id = a.account_id
      where a.member_id = p_member and l.opens_at <= statement_timestamp() and l.expires_at > statement_timestamp()
      group by a.currency_id
    ) b
  ), '{}'),
  'visits', coalesce((select v.visits from member_visits v where v.member_id = p_member), 0),
  'tier', (select t.tier_id from member_tier(p_member) t))


function member_snapshot(p_member text) returns text

  select '{"loyaltyIds":' || coalesce((
      select json_agg(l.loyalty_id order by l.loyalty_id)::text from member_loyalty_id l where l.member_id = m.member_id
    ), '[]') || ',"profile":' || m.body || '}'
  from member m where m.member_id = p_member


function member_tier(p_member text, OUT tier_id text, OUT until timestamp with time zone, OUT reason text) returns record

declare
  v_now timestamptz := clock_timestamp();
  v_tier value_tier;
begin
  if not exists (select from value_tier) then
    return;
  end if;
  select g.tier_id, g.until, g.reason into tier_id, until, reason
  from given_tier g where g.member_id = p_member and g.until > v_now;
  if found then
    return;
  end if;
  for v_tier in select t.* from value_tier t order by t.rank desc loop
    until := (
      select tier_until(a.account_id, v_tier, v_now) from account a
      where a.member_id = p_member and a.currency_id = v_tier.currency_id
    );
    if until > v_now then
      tier_id := v_tier.tier_id;
      return;
    end if;
  end loop;
  until := null;
end


function members_fault(p_members text[]) returns json

  select json_build_object('kind', f.kind, 'place', f.place - 1)
  from (
    select n.place, case when m.member_id is null then 'unknown_member' else 'same_member' end as kind
    from (
      select u.id, u.place, row_number() over (partition by u.id order by u.place) as times
      from unnest(p_members) with ordinality u (id, place)
    ) n
    left join member m on m.member_id = n.id
    where m.member_id is null or n.times > 1
  ) f
  order by f.place
  limit 1


function merge_account(p_by change_context, p_from_member text, p_from account, p_into account) returns json

declare
  c_most constant numeric := 9007199254740991;
  v_from bigint := (p_from).account_id;
  v_into bigint := (p_into).account_id;
  v_debt numeric := (p_from).debt::numeric + (p_into).debt;
  v_moved bigint := coalesce((select sum(l.amount) from lot l where l.account_id = v_from), 0);
  v_lots numeric := v_moved + coalesce((select sum(l.amount) from lot l where l.account_id = v_into), 0);
  v_paid numeric := least(v_debt, (select coalesce(sum(l.amount - l.held), 0) from lot l where l.account_id in (v_from, v_into)));
  v_completed bigint;
begin
  if v_lots - v_paid > c_most or v_debt - v_paid > c_most then
    return null;
  end if;
  if v_moved <> (p_from).debt then
    perform add_entry(merge_of(p_by, p_from_member), v_from, 'transferred', (p_from).debt - v_moved);
    perform add_entry(merge_of(p_by, p_from_member), v_into, 'transferred', v_moved - (p_from).debt);
  end if;
  update lot l set account_id = v_into where l.account_id = v_from;
  update value_hold h set account_id = v_into where h.account_id = v_from and h.amount > 0;
  update value_hold_part p set account_id = v_into
  from value_hold h where h.account_id = v_into and h.amount > 0 and p.calculation_id = h.calculation_id and p.account_id = v_from;
  update account a set debt = v_debt - v_paid where a.account_id = v_into;
  perform take_lots(v_into, v_paid::bigint);
  update account a set debt = 0, merged_into = v_into where a.account_id = v_from;
  update account a set merged_into = v_into where a.merged_into = v_from;
  update activation n set from_account = v_into where n.from_account = v_from;
  update activation n set to_account = v_into where n.to_account = v_from;
  v_completed := merge_totals(p_by, p_from_member, v_from, v_into);
  if v_completed is null then
    return null;
  end if;
  return json_build_object(
    'currencyId', (p_from).currency_id, 'amount', v_moved, 'debt', (p_from).debt, 'paid', v_paid, 'completed', v_completed
  );
end


function merge_accounts(p_by change_context, p_from text, p_into text) returns json

declare
  v_currencies text[] := array(select k.currency_id from value_currency k);
  v_had text[] := array(select a.currency_id from account a where a.member_id = p_from);
  v_from account;
  v_into account;
  v_before text;
  v_row json;
  v_rows json[] := '{}';
begin
  perform lock_accounts(
    array_fill(p_from, array[cardinality(v_currencies || v_had)]) || array_fill(p_into, array[cardinality(v_had)]),
    v_currencies || v_had || v_had
  );
  for v_from in
    select a.* from account a
    where a.member_id = p_from and (
      exists (select from entry e where e.account_id = a.account_id)
      or exists (select from earned_total t where t.account_id = a.account_id)
    )
    order by a.currency_id
  loop
    -- A sale may have opened it since they were listed.
    select l.* into strict v_into from lock_accounts(array[p_into], array[v_from.currency_id]) l;
    v_before := account_snapshot(v_into.account_id);
    v_row := merge_account(p_by, p_from, v_from, v_into);
    if v_row is null then
      return json_build_object('kind', 'out_of_range', 'currencyId', v_from.currency_id);
    end if;
    v_rows := v_rows || v_row;
    if account_snapshot(v_into.account_id) <> v_before then
      perform audit_accounts(p_by, array[v_into.account_id], array[v_before]);
    end if;
  end loop;
  return json_build_object('kind', 'done', 'accounts', to_json(v_rows));
end


function merge_counters(p_from text, p_into text, p_venue_limits text[]) returns json

declare
  v_from limit_counter;
  v_into bigint;
  v_names json[] := '{}';
begin
  insert into limit_counter (limit_id, subject, period, maximum)
  select k.limit_id, p_into, k.period, k.maximum from limit_counter k
  where k.subject = p_from and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.period
  on conflict do nothing;
  perform 1 from limit_counter k
  where k.subject in (p_from, p_into) and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period
  for update;
  for v_from in
    select k.* from limit_counter k where k.subject = p_from and k.limit_id <> all (p_venue_limits) order by k.limit_id, k.period
  loop
    select k.counter_id into strict v_into from limit_counter k
    where k.limit_id = v_from.limit_id and k.subject = p_into and k.period = v_from.period;
    update reservation r set counter_id = v_into where r.counter_id = v_from.counter_id and r.units > 0;
    update limit_counter k
    set used = k.used + v_from.used, open = k.open + v_from.open, late = k.late + v_from.late,
      merged = k.merged + v_from.used + v_from.open, pruned_used = k.pruned_used + v_from.pruned_used,
      pruned_late = k.pruned_late + v_from.pruned_late
    where k.counter_id = v_into;
    delete from limit_counter k where k.counter_id = v_from.counter_id;
    v_names := v_names
      || json_build_object('limitId', v_from.limit_id, 'subject', p_from, 'period', v_from.period)
      || json_build_object('limitId', v_from.limit_id, 'subject', p_into, 'period', v_from.period);
  end loop;
  return to_json(v_names);
end


function merge_loyalty_ids(p_from text, p_into text) returns integer

declare
  v_moved text[];
begin
  with moved as (
    update member_loyalty_id l set member_id = p_into where l.member_id = p_from returning l.loyalty_id
  )
  select coalesce(array_agg(loyalty_id), '{}') into v_moved from moved;
  insert into past_loyalty_id (member_id, loyalty_id)
  select p_into, p.loyalty_id from past_loyalty_id p where p.member_id = p_from
  on conflict do nothing;
  insert into past_loyalty_id (member_id, loyalty_id) select p_from, unnest(v_moved) on conflict do nothing;
  update merged_loyalty_id g set into_id = p_into where g.into_id = p_from;
  insert into merged_loyalty_id (loyalty_id, member_id, into_id)
  select unnest(v_moved), p_from, p_into
  on conflict (loyalty_id) do update set member_id = excluded.member_id, into_id = excluded.into_id;
  insert into change (kind, id)
  select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_into order by l.loyalty_id;
  return cardinality(v_moved);
end


function merge_members(p_by change_context, p_from text, p_into text, p_venue_limits text[]) returns json

declare
  v_from_before text := member_snapshot(p_from);
  v_into_before text := member_snapshot(p_into);
  v_calculations bigint;
  v_counters json;
  v_reply json;
  v_loyalty_ids integer;
  v_visits bigint;
  v_given json;
begin
  perform 1 from calculation c where c.member_id = p_from order by c.calculation_id for update;
  update calculation c set member_id = p_into where c.member_id = p_from;
  get diagnostics v_calculations = row_count;
  v_counters := merge_counters(p_from, p_into, p_venue_limits);
  v_reply := merge_accounts(p_by, p_from, p_into);
  if v_reply ->> 'kind' <> 'done' then
    return v_reply;
  end if;
  select s.visits, s.given into v_visits, v_given from merge_standing(p_from, p_into) s;
  update wrong_code w set member_id = p_into where w.member_id = p_from;
  v_loyalty_ids := merge_loyalty_ids(p_from, p_into);
  delete from published_member p where p.member_id in (p_from, p_into);
  update merged_member g set into_id = p_into where g.into_id = p_from;
  insert into merged_member (member_id, into_id) values (p_from, p_into);
  delete from member m where m.member_id = p_from;
  perform merge_reach(p_from, p_into);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values
    (p_by.actor, p_by.call, p_by.request_id, 'member', p_from, v_from_before, null),
    (p_by.actor, p_by.call, p_by.request_id, 'member', p_into, v_into_before, member_snapshot(p_into));
  return json_build_object(
    'kind', 'done', 'accounts', v_reply -> 'accounts', 'calculations', v_calculations, 'loyaltyIds', v_loyalty_ids,
    'counters', v_counters, 'visits', v_visits, 'given', v_given
  );
end


function merge_of(p_by change_context, p_from text) returns movement

declare
  v_movement movement := add_movement('merged', 'request:' || p_by.request_id, p_from, p_by.actor);
begin
  if v_movement.movement_id is null then
    select m.* into strict v_movement from movement m where m.cause = 'request:' || p_by.request_id;
  end if;
  return v_movement;
end


function merge_reach(p_from text, p_into text) returns void

begin
  insert into benefit_member as m (member_id, benefit_id, last_day, day_before)
  select p_into, f.benefit_id, f.last_day, f.day_before from benefit_member f where f.member_id = p_from
  order by f.benefit_id
  on conflict (member_id, benefit_id) do update set last_day = greatest(m.last_day, excluded.last_day), day_before = (
    select max(d.day) from (values (m.last_day), (m.day_before), (excluded.last_day), (excluded.day_before)) d (day)
    where d.day < greatest(m.last_day, excluded.last_day)
  );
  delete from benefit_member f where f.member_id = p_from;
end


function merge_standing(p_from text, p_into text, OUT visits bigint, OUT given json) returns record

begin
  perform lock_visits(array[p_from, p_into]);
  visits := coalesce((select v.visits from member_visits v where v.member_id = p_from), 0);
  update member_visits v set visits = v.visits + f.visits
  from member_visits f where v.member_id = p_into and f.member_id = p_from;
  delete from member_visits v where v.member_id = p_from;
  if not exists (select from given_tier g where g.member_id = p_into and g.until > clock_timestamp())
    and exists (select from given_tier g where g.member_id = p_from and g.until > clock_timestamp())
  then
    delete from given_tier g where g.member_id = p_into;
    update given_tier g set member_id = p_into where g.member_id = p_from
    returning json_build_object('tierId', g.tier_id, 'until', milliseconds(g.until)) into given;
  end if;
  delete from given_tier g where g.member_id = p_from;
  delete from announced_tier a where a.member_id = p_from;
  perform announce_tier(p_into);
end


function merge_totals(p_by change_context, p_from_member text, p_from bigint, p_into bigint) returns bigint

declare
  v_rule record;
  v_units numeric;
  v_sum numeric := 0;
  v_at timestamptz := clock_timestamp();
  v_day date;
  v_opens_after interval;
  v_expires timestamptz;
begin
  update earned e set account_id = p_into where e.account_id = p_from;
  insert into completed_units as u (account_id, rule_id, day, given)
  select p_into, f.rule_id, f.day, f.given from completed_units f where f.account_id = p_from
  on conflict (account_id, rule_id, day) do update set given = u.given + excluded.given;
  delete from completed_units u where u.account_id = p_from;
  for v_rule in
    select f.*, coalesce(i.total, 0) as other, r.give, r.per, r.every::numeric * 10000 as step, r.terms::json as terms
    from earned_total f
    left join earned_total i on i.account_id = p_into and i.rule_id = f.rule_id
    left join value_rule r on r.rule_id = f.rule_id
    where f.account_id = p_from
    order by f.rule_id
  loop
    delete from earned_total t where t.account_id = p_from and t.rule_id = v_rule.rule_id;
    insert into earned_total as t (account_id, rule_id, total, given, taken, completed)
    values (p_into, v_rule.rule_id, v_rule.total, v_rule.given, v_rule.taken, v_rule.completed)
    on conflict (account_id, rule_id) do update
      set total = t.total + excluded.total, given = t.given + excluded.given, taken = t.taken + excluded.taken,
        completed = t.completed + excluded.completed;
    continue when v_rule.step is null;
    v_units := v_rule.give * (
      div(v_rule.total + v_rule.other, v_rule.step) - div(v_rule.total, v_rule.step) - div(v_rule.other, v_rule.step)
    );
    v_day := local_day(v_at, v_rule.terms ->> 'timeZone');
    if v_rule.terms -> 'maximum' ->> 'period' is not null then
      v_units := least(v_units, (v_rule.terms -> 'maximum' ->> 'amount')::bigint - given_within(
        p_into, v_rule.rule_id, v_rule.terms -> 'maximum' ->> 'period', v_day
      ));
    end if;
    continue when v_units <= 0;
    insert into completed_units as u (account_id, rule_id, day, given) values (p_into, v_rule.rule_id, v_day, v_units)
    on conflict (account_id, rule_id, day) do update set given = u.given + excluded.given;
    update earned_total t set given = t.given + v_units, completed = t.completed + v_units
    where t.account_id = p_into and t.rule_id = v_rule.rule_id;
    v_sum := v_sum + v_units;
    v_opens_after := make_interval(hours => 24 * coalesce((v_rule.terms ->> 'opensAfterDays')::integer, 0));
    v_expires := lot_expiry(v_at, v_rule.terms ->> 'timeZone', (v_rule.terms ->> 'expires')::json);
  end loop;
  if v_sum > account_room(p_into, true) then
    return null;
  end if;
  if v_sum > 0 then
    perform credit(
      merge_of(p_by, p_from_member), p_into, 'issued', v_sum::bigint, v_at + v_opens_after, v_expires, true
    );
  end if;
  return v_sum;
end


function microseconds(p_at timestamp with time zone) returns bigint

  select (extract(epoch from p_at) * 1000000)::bigint


function milliseconds(p_at timestamp with time zone) returns double precision

  select floor(extract(epoch from p_at) * 1000)::float8


function missing_bax_ids(p_venues json, p_before text[]) returns json

  with missing as materialized (
    select v.venue_id, array_agg(b.bax_id) as bax_ids
    from json_to_recordset(p_venues) as v (venue_id text, bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
    where b.bax_id = any (p_before) and not exists (select from bax x where x.bax_id = b.bax_id)
    group by v.venue_id
  )
  select coalesce(json_agg(json_build_object(
      'venue_id', s.venue_id, 'body', s.body,
      'bax_ids', array(select x.bax_id from bax x where x.venue_id = s.venue_id union all select unnest(m.bax_ids))
    )), '[]')
  from missing m
  join venue s on s.venue_id = m.venue_id


function mixed_money(p_limits json, p_venues json) returns TABLE(place bigint, path text, currencies text[])

  with money as materialized (
    select m.path, m.venue_ids, m.place
    from rows from (json_to_recordset(p_limits) as (path text, counts text, venue_ids text[]))
      with ordinality as m (path, counts, venue_ids, place)
    where m.counts = 'amount'
  ), named as materialized (
    select v.venue_id, v.body from json_to_recordset(p_venues) as v (venue_id text, body text)
  ), open as (
    select n.venue_id, n.body from named n
    union all
    select v.venue_id, v.body from venue v
    where exists (select from money) and not exists (select from named n where n.venue_id = v.venue_id)
  ), known as materialized (
    select o.venue_id, substring(o.body from '"currency":"([A-Z]{3})"') as currency from open o where exists (select from money)
  )
  select m.place, m.path, array_agg(distinct k.currency order by k.currency)
  from money m
  join known k on m.venue_ids is null or k.venue_id = any(m.venue_ids)
  group by m.path, m.place
  having count(distinct k.currency) > 1
  order by m.place


function moment_of(p_microseconds bigint) returns timestamp with time zone

  select to_timestamp(0) + p_microseconds * interval '1 microsecond'


function money_faults(p_limits json, p_venues json) returns json

  select coalesce(json_agg(json_build_object(
      'path', x.path,
      'expected', format(
        'no amount, since the benefit is open at venues of several currencies (%s)', array_to_string(x.currencies, ', ')
      ),
      'received', '"amount"'
    ) order by x.place), '[]')
  from mixed_money(p_limits, p_venues) x


function moved_row(p_currency text, p_amount bigint, p_debt bigint, p_forgiven bigint) returns json

  select json_build_object('currencyId', p_currency, 'amount', p_amount, 'debt', p_debt, 'forgiven', p_forgiven)


function order_activation(p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_from text, p_to text, p_times integer) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_exchange value_exchange;
  v_from bigint;
  v_to bigint;
  v_available bigint := 0;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  if (select (m.body::json ->> 'blocked')::boolean from member m where m.member_id = v_member) then
    return drop_order(p_by, '{"kind":"blocked_member"}');
  end if;
  select e.* into v_exchange from value_exchange e where e.from_currency_id = p_from and e.to_currency_id = p_to;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_exchange"}');
  end if;
  if exists (select from account a where a.member_id = v_member and a.currency_id = p_from) then
    perform lock_accounts(array[v_member, v_member], array[p_from, p_to]);
    v_from := (select a.account_id from account a where a.member_id = v_member and a.currency_id = p_from);
    v_to := (select a.account_id from account a where a.member_id = v_member and a.currency_id = p_to);
    v_available := account_available(v_from);
  end if;
  -- Numeric: many times a large amount pass a bigint.
  if v_exchange.from_amount::numeric * p_times > v_available then
    return drop_order(p_by, json_build_object('kind', 'insufficient', 'available', v_available));
  end if;
  if v_exchange.to_amount::numeric * p_times > account_room(v_to, true) then
    return drop_order(p_by, '{"kind":"out_of_range"}');
  end if;
  v_reply := activate(p_by, v_exchange, v_from, v_to, p_times);
  return case when v_reply ->> 'kind' = 'done' then keep_order(p_by, v_reply) else drop_order(p_by, v_reply) end;
end


function order_adjustment(p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_currency text, p_amount bigint, p_reason text, p_opens_at timestamp with time zone, p_expires_at timestamp with time zone) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_now timestamptz := clock_timestamp();
  v_member text;
  v_account bigint;
  v_before text;
  v_movement movement;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_member","place":0}');
  end if;
  if not exists (select from value_currency k where k.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"unknown_currency","place":0}');
  end if;
  if p_expires_at <= v_now then
    return drop_order(p_by, '{"kind":"past_expiry","place":0}');
  end if;
  if p_amount < 0 and not exists (
    select from account a where a.member_id = v_member and a.currency_id = p_currency
  ) then
    return drop_order(p_by, '{"kind":"insufficient","available":0}');
  end if;
  v_account := (select l.account_id from lock_accounts(array[v_member], array[p_currency]) l);
  if -p_amount > account_available(v_account) then
    return drop_order(p_by, json_build_object('kind', 'insufficient', 'available', account_available(v_account)));
  end if;
  if p_amount > account_room(v_account, true) then
    return drop_order(p_by, '{"kind":"out_of_range","place":0}');
  end if;
  v_before := account_snapshot(v_account);
  v_movement := add_movement('adjusted', 'request:' || p_by.request_id, p_reason, p_by.actor);
  if v_movement.movement_id is null then
    return drop_order(p_by, '{"kind":"request_id_conflict"}');
  end if;
  if p_amount < 0 then
    perform debit(v_movement, v_account, 'adjusted', -p_amount);
  else
    perform credit(
      v_movement, v_account, 'adjusted', p_amount,
      coalesce(p_opens_at, v_now), coalesce(p_expires_at, 'infinity'), true
    );
  end if;
  perform audit_accounts(p_by, array[v_account], array[v_before]);
  return keep_order(p_by, '{"kind":"done"}');
end


function order_approval(p_by change_context, p_order_digest bytea, p_proposal uuid, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest integer;
  v_proposal programme_proposal;
  v_faults json;
  v_version integer;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_reply := take_proposal(p_proposal);
  if v_reply is not null then
    return drop_order(p_by, v_reply);
  end if;
  select p.* into v_proposal from programme_proposal p where p.proposal_id = p_proposal;
  if same_person(v_proposal.proposed_by, p_by.actor) then
    return drop_order(p_by, '{"kind":"own_proposal"}');
  end if;
  v_newest := coalesce((select max(v.version) from programme_version v), 0);
  if v_newest <> v_proposal.base_version then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', v_newest));
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  v_version := add_programme(
    v_proposal.content_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_by, null
  );
  perform decide_proposal(p_by, p_proposal, v_version, '');
  return keep_order(p_by, json_build_object('kind', 'done', 'version', v_version));
end


function order_block(p_by change_context, p_order_digest bytea, p_member text, p_blocked boolean) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_before text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_before := member_snapshot(p_member);
  if v_before is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  -- Quotes inside the strings of a body are escaped, so this matches only the field.
  update member m
  set body = replace(m.body, '"blocked":' || (not p_blocked)::text, '"blocked":' || p_blocked::text)
  where m.member_id = p_member;
  if member_snapshot(p_member) <> v_before then
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    values (p_by.actor, p_by.call, p_by.request_id, 'member', p_member, v_before, member_snapshot(p_member));
    insert into change (kind, id)
    select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id;
  end if;
  return keep_order(p_by, '{"kind":"done"}');
end


function order_cancellation(p_by change_context, p_order_digest bytea, p_activation bigint) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_activation activation;
  v_member text;
  v_times bigint;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select a.* into v_activation from activation a where a.activation_id = p_activation;
  v_member := lock_member((select a.member_id from account a where a.account_id = v_activation.from_account), null);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_activation"}');
  end if;
  perform lock_accounts(array[v_member, v_member], array(
    select a.currency_id from account a where a.account_id in (v_activation.from_account, v_activation.to_account)
  ));
  v_times := least(
    div((
      select coalesce(sum(l.amount - l.held), 0) from lot l
      where l.account_id = v_activation.to_account and l.activation_id = p_activation and l.expires_at > clock_timestamp()
    ), v_activation.to_amount),
    div((
      select coalesce(sum(p.amount), 0) from activation_part p
      where p.activation_id = p_activation and p.expires_at > clock_timestamp()
    ), v_activation.from_amount)
  );
  if v_times = 0 then
    return drop_order(p_by, '{"kind":"nothing_unused"}');
  end if;
  if v_times * v_activation.from_amount > account_room(v_activation.from_account, true) then
    return drop_order(p_by, '{"kind":"out_of_range"}');
  end if;
  v_reply := deactivate(p_by, v_activation, v_times);
  return case when v_reply ->> 'kind' = 'done' then keep_order(p_by, v_reply) else drop_order(p_by, v_reply) end;
end


function order_claim(p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_code text, p_wrong_max integer) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_wrong record;
  v_code reward_code;
  v_account bigint;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  if (select (m.body::json ->> 'blocked')::boolean from member m where m.member_id = v_member) then
    return drop_order(p_by, '{"kind":"blocked_member"}');
  end if;
  select w.* into v_wrong from wrong_codes(v_member) w;
  if v_wrong.wrong >= p_wrong_max then
    return drop_order(p_by, json_build_object('kind', 'too_many', 'retryAfterMs', ceil(
      extract(epoch from v_wrong.until - clock_timestamp()) * 1000
    )));
  end if;
  select c.* into v_code from forgetting_key k join reward_code c on c.digest = code_digest(k, p_code) for update of c;
  if not found or v_code.state <> 'open' or v_code.expires_at <= clock_timestamp() then
    insert into wrong_code (member_id, at) values (v_member, clock_timestamp());
    return keep_order(p_by, case
      when v_code.digest is null then '{"kind":"unknown_code"}'
      else json_build_object('kind', 'not_open', 'state', case v_code.state when 'open' then 'expired' else v_code.state::text end)
    end);
  end if;
  v_account := (select l.account_id from lock_accounts(array[v_member], array[v_code.currency_id]) l);
  if v_code.amount > account_room(v_account, true) then
    return drop_order(p_by, '{"kind":"out_of_range"}');
  end if;
  perform claim_code(p_by, v_account, v_code);
  return keep_order(p_by, json_build_object('kind', 'done', 'currencyId', v_code.currency_id, 'amount', v_code.amount));
end


function order_codes(p_by change_context, p_order_digest bytea, p_currency text, p_amount bigint, p_codes json, p_expires_at timestamp with time zone) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_digests bytea[];
  v_added bytea[];
begin
  if v_reply is not null then
    return v_reply;
  end if;
  if not exists (select from value_currency k where k.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"unknown_currency"}');
  end if;
  if p_expires_at <= clock_timestamp() then
    return drop_order(p_by, '{"kind":"past_expiry"}');
  end if;
  if not exists (select from forgetting_key) then
    perform lock_changes();
    perform make_forgetting_key();
  end if;
  v_digests := array(
    select code_digest(k, c.code)
    from forgetting_key k, json_array_elements_text(p_codes) with ordinality c (code, place)
    order by c.place
  );
  -- In the order of their digests: two imports of the same codes wait for each other in one order.
  with added as (
    insert into reward_code (digest, currency_id, amount, expires_at)
    select d.digest, p_currency, p_amount, coalesce(p_expires_at, 'infinity')
    from unnest(v_digests) d (digest) order by d.digest
    on conflict (digest) do nothing
    returning digest
  )
  select array_agg(a.digest) into v_added from added a;
  if cardinality(v_added) is distinct from cardinality(v_digests) then
    delete from reward_code c where c.digest = any (v_added);
    return drop_order(p_by, json_build_object('kind', 'already_imported', 'place', (
      select min(d.place) - 1 from unnest(v_digests) with ordinality d (digest, place)
      join reward_code c on c.digest = d.digest
    )));
  end if;
  perform audit_codes(p_by, p_currency, null, json_build_object(
    'codes', cardinality(v_digests), 'amount', p_amount, 'expiresAt', p_expires_at
  ));
  return keep_order(p_by, '{"kind":"done"}');
end


function order_decline(p_by change_context, p_order_digest bytea, p_proposal uuid, p_reason text) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_reply := take_proposal(p_proposal);
  if v_reply is not null then
    return drop_order(p_by, v_reply);
  end if;
  perform decide_proposal(p_by, p_proposal, null, p_reason);
  return keep_order(p_by, '{"kind":"done"}');
end


function order_forgetting(p_by change_context, p_order_digest bytea, p_member text, p_venue_limits text[]) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  if not exists (select from member m where m.member_id = p_member) then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  return forget_ids(p_by, p_member, loyalty_ids_ever(p_member), p_venue_limits);
end


function order_forgetting_loyalty_id(p_by change_context, p_order_digest bytea, p_loyalty_id text, p_venue_limits text[]) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_member := (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id);
  return forget_ids(
    p_by, v_member, case when v_member is null then array[p_loyalty_id] else loyalty_ids_ever(v_member) end, p_venue_limits
  );
end


function order_import(p_by change_context, p_order_digest bytea, p_rows json) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_now timestamptz := clock_timestamp();
  v_members text[];
  v_currencies text[];
  v_causes text[];
  v_accounts bigint[];
  v_changed bigint[];
  v_before text[];
  v_place integer;
  v_fault json;
  v_added bigint[];
  v_row record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select array_agg(coalesce(
      r.member_id, (select l.member_id from member_loyalty_id l where l.loyalty_id = r.loyalty_id)
    )), array_agg(r.currency_id), array_agg(import_cause(r.currency_id, r.reference))
  into v_members, v_currencies, v_causes
  from json_to_recordset(p_rows) as r (member_id text, loyalty_id text, currency_id text, reference text);
  perform 1 from member m where m.member_id = any (v_members) order by m.member_id for key share;

  v_fault := import_fault(p_rows, v_now, v_members, v_currencies, v_causes);
  if v_fault is not null then
    return drop_order(p_by, v_fault);
  end if;

  perform lock_accounts(v_members, v_currencies);
  v_accounts := array(
    select (select a.account_id from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
    from unnest(v_members, v_currencies) with ordinality n (member_id, currency_id, place)
    order by n.place
  );
  v_place := first_beyond_room(v_accounts, array(
    select r.amount from json_to_recordset(p_rows) as r (amount bigint)
  ));
  if v_place is not null then
    return drop_order(p_by, json_build_object('kind', 'out_of_range', 'place', v_place));
  end if;
  v_changed := array(select distinct unnest(v_accounts) order by 1);
  v_before := array(select account_snapshot(c.id) from unnest(v_changed) with ordinality c (id, place) order by c.place);

  -- Another import may have used a reference since, or a member whose import it was may have been forgotten.
  v_added := add_imports(v_causes, p_by.actor);
  if v_added is null then
    return drop_order(p_by, json_build_object('kind', 'already_imported', 'place', first_imported(v_causes)));
  end if;
  for v_row in
    select m as movement, r.account_id, r.amount, coalesce(r.opens_at, v_now) as opens_at,
      coalesce(r.expires_at, 'infinity') as expires_at
    from rows from (
      json_to_recordset(p_rows) as (amount bigint, opens_at timestamptz, expires_at timestamptz), unnest(v_accounts, v_added)
    ) with ordinality as r (amount, opens_at, expires_at, account_id, movement_id, place)
    join movement m on m.movement_id = r.movement_id
    order by r.place
  loop
    perform credit(v_row.movement, v_row.account_id, 'imported', v_row.amount, v_row.opens_at, v_row.expires_at, false);
  end loop;
  perform audit_accounts(p_by, v_changed, v_before);
  return keep_order(p_by, '{"kind":"done"}');
end


function order_members(p_by change_context, p_order_digest bytea, p_members json) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_heeded record;
  v_members json;
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select h.* into v_heeded from heed_merges(p_by, p_members) h;
  select coalesce(json_agg(json_build_object(
      'member_id', n.member_id,
      'body', case when coalesce(n.blocked, (m.body::json ->> 'blocked')::boolean, false) then n.body_blocked else n.body end,
      'loyalty_ids', n.loyalty_ids
    )), '[]')
  into v_members
  from json_to_recordset(v_heeded.members)
    as n (member_id text, body text, body_blocked text, blocked boolean, loyalty_ids json)
  left join member m on m.member_id = n.member_id;
  select c.* into v_counts from change_members(v_members, p_by) c;
  delete from published_member p
  using json_to_recordset(v_members) as n (member_id text)
  where p.member_id = n.member_id;
  if exists (select from forgotten) then
    delete from forgotten f
    using (
      select forgotten_digest(k, 'member', n.member_id) as digest
      from forgetting_key k, json_to_recordset(v_members) as n (member_id text)
      union
      select forgotten_digest(k, 'loyalty', l.id)
      from forgetting_key k, json_to_recordset(v_members) as n (loyalty_ids json),
        json_array_elements_text(n.loyalty_ids) l (id)
    ) n
    where f.digest = n.digest;
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created, 'changed', v_counts.changed, 'unchanged', v_counts.unchanged,
    'merged', v_heeded.merged
  ));
end


function order_merge(p_by change_context, p_order_digest bytea, p_from text, p_from_loyalty_id text, p_into text, p_into_loyalty_id text, p_venue_limits text[], p_dry_run boolean) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_from text;
  v_into text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_from := coalesce(p_from, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_from_loyalty_id));
  v_into := coalesce(p_into, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_into_loyalty_id));
  perform 1 from member m where m.member_id in (v_from, v_into) order by m.member_id for update;
  if not exists (select from member m where m.member_id = v_from) then
    return drop_order(p_by, '{"kind":"unknown_member","place":0}');
  end if;
  if not exists (select from member m where m.member_id = v_into) then
    return drop_order(p_by, '{"kind":"unknown_member","place":1}');
  end if;
  if v_from = v_into then
    return drop_order(p_by, '{"kind":"same_member"}');
  end if;
  if exists (select from movement m where m.cause = 'request:' || p_by.request_id) then
    return drop_order(p_by, '{"kind":"request_id_conflict"}');
  end if;
  begin
    v_reply := merge_members(p_by, v_from, v_into, p_venue_limits);
    if p_dry_run or v_reply ->> 'kind' <> 'done' then
      -- Undoes everything since "begin".
      raise exception 'not to be kept' using errcode = 'LY002';
    end if;
  exception when sqlstate 'LY002' then
    return drop_order(p_by, v_reply);
  end;
  return keep_order(p_by, v_reply);
end


function order_proposal(p_by change_context, p_order_digest bytea, p_expected integer, p_note text, p_digest bytea, p_document text, p_venues json, p_currencies json, p_limits json) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_known programme_proposal;
  v_newest programme_version;
  v_faults json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  -- Proposals outlive orders.
  select p.* into v_known from programme_proposal p where p.proposal_id = p_by.request_id;
  if found then
    return drop_order(p_by, case
        when (v_known.base_version, v_known.content_digest, v_known.note, v_known.proposed_by)
          = (p_expected, p_digest, p_note, p_by.actor) then '{"kind":"done","proposed":true}'::json
        else '{"kind":"request_id_conflict"}'
      end);
  end if;
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)));
  end if;
  if v_newest.content_digest = p_digest and v_newest.rolled_back_to is null then
    return keep_order(p_by, '{"kind":"done","proposed":false}');
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  insert into programme_proposal (proposal_id, base_version, content_digest, document, note, proposed_by)
  values (p_by.request_id, p_expected, p_digest, p_document, p_note, p_by.actor);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'proposal', p_by.request_id::text,
    json_build_object('state', 'open', 'baseVersion', p_expected, 'digest', encode(p_digest, 'hex'), 'note', p_note)::text
  );
  return keep_order(p_by, '{"kind":"done","proposed":true}');
end


function order_publication(p_by change_context, p_order_digest bytea, p_expected integer, p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest programme_version;
  v_faults json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)));
  end if;
  if v_newest.content_digest = p_digest and v_newest.rolled_back_to is null then
    return keep_order(p_by, json_build_object('kind', 'done', 'version', v_newest.version, 'published', false));
  end if;
  v_faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(p_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, p_by, null)
  ));
end


function order_redelivery(p_by change_context, p_order_digest bytea, p_webhook uuid, p_events json, p_max integer) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_places bigint[];
  v_event event;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform 1 from webhook w where w.webhook_id = p_webhook for update;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_webhook"}');
  end if;
  if exists (select from webhook w where w.webhook_id = p_webhook and w.disabled_at is not null) then
    return drop_order(p_by, '{"kind":"disabled_webhook"}');
  end if;
  if p_events is null then
    v_places := array(
      select d.place from delivery d where d.webhook_id = p_webhook and d.state = 'failed' order by d.place limit p_max
    );
  else
    select array_agg(e.place order by n.number) into v_places
    from json_array_elements(p_events) with ordinality n (named, number)
    left join event e on e.event_id = (n.named ->> 0)::bigint and microseconds(e.at) = (n.named ->> 1)::bigint;
    if array_position(v_places, null) is not null then
      return drop_order(p_by, json_build_object('kind', 'unknown_event', 'place', array_position(v_places, null) - 1));
    end if;
  end if;
  for v_event in
    select e.* from event e where e.place is not null and e.place = any (v_places) order by e.place
  loop
    insert into delivery as d (place, webhook_id, member_id, state)
    values (v_event.place, p_webhook, v_event.member_id, case
      when v_event.member_id is not null and is_pending(p_webhook, v_event.member_id) then 'waiting' else 'due'
    end::delivery_state)
    on conflict (place, webhook_id) do update
    set state = excluded.state, member_id = excluded.member_id, attempts = 0, due_at = excluded.due_at, since = excluded.since
    where d.state in ('delivered', 'failed');
  end loop;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, after)
  values (p_by.actor, p_by.call, p_by.request_id, 'webhook', p_webhook,
    json_build_object('redelivered', cardinality(v_places))::text);
  return keep_order(p_by, json_build_object('kind', 'done', 'events', cardinality(v_places)));
end


function order_release(p_by change_context, p_order_digest bytea, p_calculation uuid, p_reason text, p_dry_run boolean) returns json

declare
  v_reply json := case when not p_dry_run then take_order(p_by, p_order_digest) end;
  v_calculation calculation;
  v_reservations json;
  -- What is stored names no subject, which may be a member.
  v_nameless json;
  v_value json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
  v_reply := case
    when v_calculation.calculation_id is null then json_build_object('kind', 'unknown_calculation')
    when calculation_state_now(v_calculation) <> 'open'
      then json_build_object('kind', 'not_open', 'state', calculation_state_now(v_calculation))
  end;
  if v_reply is not null then
    return drop_order(p_by, v_reply);
  end if;
  perform lock_counters(array[p_calculation]);
  perform lock_held_accounts(array[p_calculation], null, '{}');
  select coalesce(json_agg(json_build_object(
      'limitId', k.limit_id, 'subject', k.subject, 'period', k.period, 'units', r.units
    ) order by k.limit_id, k.subject, k.period), '[]'),
    coalesce(json_agg(json_build_object(
      'limitId', k.limit_id, 'subject', '', 'period', k.period, 'units', r.units
    ) order by k.limit_id, k.subject, k.period), '[]')
  into v_reservations, v_nameless
  from reservation r join limit_counter k on k.counter_id = r.counter_id
  where r.calculation_id = p_calculation and r.state = 'open';
  select coalesce(json_agg(json_build_object('currencyId', a.currency_id, 'amount', h.amount) order by a.currency_id), '[]')
  into v_value
  from value_hold h join account a on a.account_id = h.account_id
  where h.calculation_id = p_calculation and h.state = 'open';
  if not p_dry_run then
    perform release_reservations(array[p_calculation]);
    perform release_value(array[p_calculation], null);
    update calculation c set state = 'expired', expires_at = clock_timestamp() where c.calculation_id = p_calculation;
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    values (
      p_by.actor, p_by.call, p_by.request_id, 'calculation', p_calculation::text,
      json_build_object('state', 'open', 'reservations', v_nameless, 'value', v_value)::text,
      json_build_object('state', 'expired', 'reason', p_reason)::text
    );
    perform keep_order(p_by, json_build_object(
      'kind', 'done', 'reservations', v_nameless, 'value', v_value, 'member', null
    ));
  end if;
  return json_build_object(
    'kind', 'done', 'reservations', v_reservations, 'value', v_value, 'member', v_calculation.member_id
  );
end


function order_return(p_by change_context, p_order_digest bytea, p_calculation uuid, p_lines text, p_kept_refund bigint, p_reference text, p_occurred_at timestamp with time zone) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_reply := make_return(p_by, p_calculation, p_lines, p_kept_refund, p_reference, p_occurred_at);
  return case when v_reply ->> 'kind' = 'done' then keep_order(p_by, v_reply) else drop_order(p_by, v_reply) end;
end


function order_roll_back(p_by change_context, p_order_digest bytea, p_version integer, p_expected integer) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_newest programme_version;
  v_wanted programme_version;
  v_faults json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  if coalesce(v_newest.version, 0) <> p_expected then
    return drop_order(p_by, json_build_object('kind', 'version_mismatch', 'current', coalesce(v_newest.version, 0)));
  end if;
  select v.* into v_wanted from programme_version v where v.version = p_version;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_version"}');
  end if;
  if v_wanted.benefits = v_newest.benefits then
    return keep_order(p_by, json_build_object('kind', 'done', 'version', v_newest.version, 'published', false));
  end if;
  v_faults := money_faults(v_wanted.limits::json, '[]');
  if json_array_length(v_faults) > 0 then
    return drop_order(p_by, json_build_object('kind', 'faulty', 'faults', v_faults));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'published', true,
    'version', add_programme(
      v_wanted.content_digest, v_wanted.document, v_wanted.benefits, '[]', '[]', '[]', v_wanted.limits::json, p_by, v_wanted.version
    )
  ));
end


function order_sale_claim(p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_counted text) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_calculation calculation;
  v_sale sale;
  v_kind text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_member := lock_member(p_member, p_loyalty_id);
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  v_kind := case
    when v_member is null then 'unknown_member'
    -- Quotes inside the strings of a body are escaped, so this matches only the field.
    when (select strpos(m.body, '"blocked":true') > 0 from member m where m.member_id = v_member) then 'blocked_member'
    when v_sale.status is null or v_sale.status = 'cancelled' then 'unknown_sale'
    when v_sale.claimed_at is not null then 'already_claimed'
    when has_other_member(v_sale, v_calculation.member_id, v_member) then 'has_member'
    when v_calculation.calculation_id is null then 'unknown_calculation'
    when p_counted is null then 'body_gone'
  end;
  if v_kind is not null then
    return drop_order(p_by, json_build_object('kind', v_kind));
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'given', claim_sale(p_by, v_sale, v_member, p_counted::json)
  ));
end


function order_tier(p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_tier text, p_until timestamp with time zone, p_reason text) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_member text;
  v_before text;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  v_member := lock_member(p_member, p_loyalty_id);
  if v_member is null then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  if p_tier is not null and not exists (select from value_tier t where t.tier_id = p_tier) then
    return drop_order(p_by, '{"kind":"unknown_tier"}');
  end if;
  if p_until <= clock_timestamp() then
    return drop_order(p_by, '{"kind":"past_end"}');
  end if;
  v_before := tier_snapshot(v_member);
  delete from given_tier g where g.member_id = v_member;
  insert into given_tier (member_id, tier_id, until, reason)
  select v_member, p_tier, p_until, p_reason where p_tier is not null;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (
    p_by.actor, p_by.call, p_by.request_id, 'member', v_member, v_before,
    coalesce(tier_snapshot(v_member), json_build_object('tier', null, 'reason', p_reason)::text)
  );
  perform lock_visits(array[v_member]);
  perform announce_tier(v_member);
  return keep_order(p_by, '{"kind":"done"}');
end


function order_transfer(p_by change_context, p_order_digest bytea, p_from text, p_from_loyalty_id text, p_to text, p_to_loyalty_id text, p_currency text, p_amount bigint, p_reason text) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_giver text;
  v_receiver text;
  v_from bigint;
  v_to bigint;
  v_before text[];
  v_movement movement;
  v_part lot;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  v_giver := lock_member(p_from, p_from_loyalty_id);
  v_receiver := lock_member(p_to, p_to_loyalty_id);
  if v_giver is null or v_receiver is null then
    return drop_order(p_by, json_build_object('kind', 'unknown_member', 'place', (v_giver is not null)::integer));
  end if;
  if v_giver = v_receiver then
    return drop_order(p_by, '{"kind":"same_member"}');
  end if;
  if not exists (select from value_currency k where k.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"unknown_currency","place":0}');
  end if;
  if not exists (select from account a where a.member_id = v_giver and a.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"insufficient","available":0}');
  end if;
  perform lock_accounts(array[v_giver, v_receiver], array[p_currency, p_currency]);
  v_from := (select a.account_id from account a where a.member_id = v_giver and a.currency_id = p_currency);
  v_to := (select a.account_id from account a where a.member_id = v_receiver and a.currency_id = p_currency);
  if p_amount > account_available(v_from) then
    return drop_order(p_by, json_build_object('kind', 'insufficient', 'available', account_available(v_from)));
  end if;
  if p_amount > account_room(v_to, true) then
    return drop_order(p_by, '{"kind":"out_of_range","place":0}');
  end if;
  v_before := array[account_snapshot(v_from), account_snapshot(v_to)];
  v_movement := add_movement('transferred', 'request:' || p_by.request_id, p_reason, p_by.actor);
  if v_movement.movement_id is null then
    return drop_order(p_by, '{"kind":"request_id_conflict"}');
  end if;
  for v_part in select * from debit(v_movement, v_from, 'transferred', p_amount) loop
    perform fill_lots(v_movement.at, array[
      row (v_to, pay_debt(v_to, v_part.amount), v_part.opens_at, v_part.expires_at)::value_credit
    ]);
  end loop;
  perform add_entry(v_movement, v_to, 'transferred', p_amount);
  perform audit_accounts(p_by, array[v_from, v_to], v_before);
  return keep_order(p_by, '{"kind":"done"}');
end


function order_venue(p_by change_context, p_order_digest bytea, p_venues json) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_mixed record;
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  select m.path, array_remove(m.currencies, substring(p_venues -> 0 ->> 'body' from '"currency":"([A-Z]{3})"')) as currencies
  into v_mixed
  from mixed_money((select v.limits::json from programme_version v order by v.version desc limit 1), p_venues) m
  order by m.place limit 1;
  if found then
    return drop_order(p_by, json_build_object('kind', 'mixed_money', 'path', v_mixed.path, 'currencies', v_mixed.currencies));
  end if;
  select c.* into v_counts from change_venues(p_venues, p_by) c;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'created', v_counts.created > 0, 'changed', v_counts.changed > 0
  ));
end


function order_void(p_by change_context, p_order_digest bytea, p_code text) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_code reward_code;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select c.* into v_code from forgetting_key k join reward_code c on c.digest = code_digest(k, p_code) for update of c;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_code"}');
  end if;
  if v_code.state = 'claimed' then
    return drop_order(p_by, '{"kind":"not_open","state":"claimed"}');
  end if;
  if v_code.state = 'open' then
    update reward_code c set state = 'void' where c.digest = v_code.digest;
    perform audit_codes(
      p_by, v_code.currency_id, json_build_object('amount', v_code.amount, 'state', 'open'),
      json_build_object('amount', v_code.amount, 'state', 'void')
    );
  end if;
  return keep_order(p_by, '{"kind":"done"}');
end


function order_vouchers(p_by change_context, p_order_digest bytea, p_members json, p_segment text, p_after text, p_max integer, p_currency text, p_amount bigint, p_expires_at timestamp with time zone) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_found text[];
  v_members text[];
  v_fault json;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  if not exists (select from value_currency k where k.currency_id = p_currency) then
    return drop_order(p_by, '{"kind":"unknown_currency"}');
  end if;
  if p_expires_at <= clock_timestamp() then
    return drop_order(p_by, '{"kind":"past_expiry"}');
  end if;
  if p_segment is null then
    select array_agg(coalesce(
      n.member_id, (select l.member_id from member_loyalty_id l where l.loyalty_id = n.loyalty_id)
    )) into v_found
    from json_to_recordset(p_members) as n (member_id text, loyalty_id text);
  else
    v_found := array(select segment_members(p_segment, p_after, p_max));
  end if;
  perform 1 from member m where m.member_id = any (v_found) order by m.member_id for key share;
  -- One of the segment may have been forgotten meanwhile.
  v_members := case when p_segment is null then v_found else array(
    select m.member_id from member m where m.member_id = any (v_found) order by m.member_id
  ) end;
  v_fault := coalesce(
    members_fault(v_members), issue_vouchers(p_by, v_members, p_currency, p_amount, coalesce(p_expires_at, 'infinity'))
  );
  if v_fault is not null then
    return drop_order(p_by, v_fault);
  end if;
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'members', cardinality(v_members),
    'last', case when p_segment is not null and cardinality(v_found) = p_max then v_found[p_max] end
  ));
end


function order_webhook(p_by change_context, p_order_digest bytea, p_url text, p_types text[], p_secret bytea, p_most integer) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_id uuid := gen_random_uuid();
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  if (select count(*) from webhook) >= p_most then
    return drop_order(p_by, '{"kind":"too_many"}');
  end if;
  while place_events(500) > 0 loop
  end loop;
  insert into webhook (webhook_id, url, secret, types, place) values (v_id, p_url, p_secret, p_types, last_event_place());
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, after)
  select p_by.actor, p_by.call, p_by.request_id, 'webhook', v_id, webhook_snapshot(w) from webhook w where w.webhook_id = v_id;
  return keep_order(p_by, json_build_object('kind', 'done', 'webhookId', v_id));
end


function order_webhook_deletion(p_by change_context, p_order_digest bytea, p_webhook uuid) returns json

declare
  v_reply json := take_order(p_by, p_order_digest);
  v_webhook webhook;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  select w.* into v_webhook from webhook w where w.webhook_id = p_webhook for update;
  if not found then
    return drop_order(p_by, '{"kind":"unknown_webhook"}');
  end if;
  delete from webhook w where w.webhook_id = p_webhook;
  insert into removed_webhook (webhook_id) values (p_webhook);
  perform prune_deliveries(10000);
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before)
  values (p_by.actor, p_by.call, p_by.request_id, 'webhook', p_webhook, webhook_snapshot(v_webhook));
  return keep_order(p_by, '{"kind":"done"}');
end


function paid_back(p_ladder json, p_returned bigint[]) returns bigint

  select coalesce(sum(div(p_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric)), 0)::bigint
  from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)


function paid_less(p_sale sale, p_calculation calculation) returns boolean

  select p_sale.status in ('applied', 'unchanged', 'failed')
    and coalesce(p_sale.paid_total < charged_net(p_sale, p_calculation), false)


function pay_debt(p_account bigint, p_amount bigint) returns bigint

declare
  v_debt bigint := (select a.debt from account a where a.account_id = p_account);
begin
  if v_debt = 0 then
    return p_amount;
  end if;
  update account a set debt = a.debt - least(a.debt, p_amount) where a.account_id = p_account;
  return p_amount - least(v_debt, p_amount);
end


function place_events(p_max integer) returns integer

declare
  v_last bigint;
  v_placed integer;
begin
  -- A reader continues after the last place it read, so no place may be given twice.
  perform require_durable();
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty event feed', 0)) then
    return 0;
  end if;
  -- A separate statement: its snapshot must contain the commit of the last lock holder.
  v_last := last_event_place();
  with next as (
    select e.event_id from event e where e.place is null order by e.event_id limit p_max for update skip locked
  ), placed as (
    select n.event_id, row_number() over (order by n.event_id) as place from next n
  )
  update event e set place = v_last + p.place
  from placed p
  where e.event_id = p.event_id;
  get diagnostics v_placed = row_count;
  return v_placed;
end


function place_sales(p_max integer) returns integer

declare
  v_last bigint;
  v_placed integer;
begin
  -- A reader continues after the last place it read, so no place may be given twice.
  perform require_durable();
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty sale feed', 0)) then
    return 0;
  end if;
  -- A separate statement: its snapshot must contain the commit of the last lock holder.
  select coalesce((select s.feed_place from sale s where s.feed_place is not null order by s.feed_place desc limit 1), 0)
  into v_last;
  with next as (
    select s.calculation_id, s.recorded_at from sale s
    where s.feed_place is null
    order by s.recorded_at, s.calculation_id
    limit p_max
    for update skip locked
  ), placed as (
    select n.calculation_id, row_number() over (order by n.recorded_at, n.calculation_id) as place from next n
  )
  update sale s set feed_place = v_last + p.place
  from placed p
  where s.calculation_id = p.calculation_id;
  get diagnostics v_placed = row_count;
  return v_placed;
end


function prune_changes(p_age interval) returns void

declare
  v_before timestamptz := clock_timestamp() - p_age;
begin
  delete from change c
  where c.changed_at < v_before and c.revision < (select max(n.revision) from change n);
end


function prune_deliveries(p_max integer) returns void

declare
  v_webhook uuid;
  v_count integer;
begin
  for v_webhook in select r.webhook_id from removed_webhook r order by r.webhook_id for update skip locked loop
    delete from delivery d where d.ctid = any (array(
      select o.ctid from delivery o where o.webhook_id = v_webhook limit p_max
    ));
    get diagnostics v_count = row_count;
    delete from removed_webhook r where r.webhook_id = v_webhook and v_count < p_max;
  end loop;
end


function prune_events(p_days integer, p_max integer) returns integer

declare
  v_until timestamptz := clock_timestamp() - make_interval(days => p_days);
  v_places bigint[];
begin
  perform prune_deliveries(p_max);
  -- Events that nobody has read have no place.
  perform place_events(p_max);
  v_places := array(
    select o.place
    from (
      select e.place, e.at from event e
      where e.place is not null and e.place < last_event_place()
      order by e.place limit p_max
    ) o
    where o.at < v_until
      and o.place <= coalesce((select min(w.place) from webhook w where w.disabled_at is null), o.place)
      and not exists (
        select from delivery d join webhook w on w.webhook_id = d.webhook_id
        where d.place = o.place and d.state in ('waiting', 'due')
      )
  );
  delete from delivery d where d.place = any (v_places);
  delete from event e where e.place is not null and e.place = any (v_places);
  return cardinality(v_places);
end


function prune_orders(p_age interval) returns void

declare
  v_before timestamptz := clock_timestamp() - p_age;
begin
  delete from change_order o where o.made_at < v_before;
  delete from wrong_code w where w.at <= clock_timestamp() - interval '1 hour';
end


function prune_records(p_days integer, p_max integer) returns integer

declare
  v_until timestamptz := clock_timestamp() - make_interval(days => p_days);
  v_last bigint;
  v_ids uuid[];
  v_counters bigint[];
  v_sales integer;
begin
  perform require_durable();
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty pruning', 0)) then
    return 0;
  end if;
  select s.feed_place into v_last from sale s where s.feed_place is not null order by s.feed_place desc limit 1;
  v_ids := array(
    select c.calculation_id from calculation c
    where c.answered_at < v_until and c.state <> 'open' and not exists (
      select from sale s
      where s.calculation_id = c.calculation_id and (s.recorded_at >= v_until or s.feed_place = v_last)
    )
    order by c.answered_at, c.calculation_id
    limit p_max
  );
  v_ids := array(
    select c.calculation_id from calculation c where c.calculation_id = any (v_ids)
    order by c.calculation_id for update skip locked
  );
  v_ids := array(
    select i.id from unnest(v_ids) i (id)
    where not exists (select from sale s where s.calculation_id = i.id and s.recorded_at >= v_until)
  );
  perform lock_counters(v_ids);

  delete from value_hold h where h.calculation_id = any (v_ids) and h.state = 'released';
  with gone as (
    delete from reservation r where r.calculation_id = any (v_ids) returning r.counter_id, r.state, r.units
  ), sums as (
    select g.counter_id, coalesce(sum(g.units) filter (where g.state = 'used'), 0)::bigint as used,
      coalesce(sum(g.units) filter (where g.state = 'late'), 0)::bigint as late
    from gone g group by g.counter_id
  ), kept as (
    update limit_counter k set pruned_used = k.pruned_used + s.used, pruned_late = k.pruned_late + s.late
    from sums s where k.counter_id = s.counter_id
    returning k.counter_id
  )
  select array_agg(counter_id) into v_counters from kept;
  delete from limit_counter k
  where k.counter_id = any (v_counters) and k.period <> '' and k.open = 0 and k.used = k.pruned_used and k.late = k.pruned_late
    and not exists (select from reservation r where r.counter_id = k.counter_id and r.units > 0);

  delete from sale s where s.calculation_id = any (v_ids) or s.calculation_id = any (array(
    select u.calculation_id from sale u
    where u.recorded_at < v_until and (u.feed_place = v_last) is not true
      and not exists (select from calculation c where c.calculation_id = u.calculation_id)
    order by u.recorded_at, u.calculation_id
    limit p_max
  ));
  get diagnostics v_sales = row_count;
  delete from calculation c where c.calculation_id = any (v_ids);
  if cardinality(v_ids) + v_sales > 0 then
    update sums_state t set pruned_before = v_until where t.pruned_before < v_until;
  end if;
  return cardinality(v_ids) + v_sales;
end


function prune_traffic(p_age interval) returns void

  delete from traffic_minute t where t.minute < clock_timestamp() - p_age


function publication_faults(p_currencies json, p_limits json, p_venues json) returns json

  select coalesce(json_agg(f.fault order by f.list, f.place), '[]')
  from (
    select 1 as list, e.place, e.fault
    from json_array_elements(fixed_faults(p_currencies, p_limits)) with ordinality e (fault, place)
    union all
    select 2, e.place, e.fault from json_array_elements(money_faults(p_limits, p_venues)) with ordinality e (fault, place)
  ) f


function publish_file(p_digest bytea, p_document text, p_benefits text, p_venues json, p_members json, p_currencies json, p_limits json, p_only_empty boolean, OUT version integer, OUT published boolean, OUT because text, OUT published_by text, OUT faults json) returns record

declare
  v_newest programme_version;
begin
  perform lock_changes();
  select v.* into v_newest from programme_version v order by v.version desc limit 1;
  because := case
      when v_newest.version is null then 'ledger_empty'
      when p_only_empty then 'not_empty'
      when p_digest = (select f.content_digest from programme_file f) then 'file_unchanged'
      when p_digest = v_newest.content_digest then 'file_in_force'
      else 'file_changed'
    end;
  if because in ('ledger_empty', 'file_changed') then
    faults := publication_faults(p_currencies, p_limits, changed_venues(p_venues));
  end if;
  if json_array_length(faults) > 0 then
    because := 'faulty';
  end if;
  published := because in ('ledger_empty', 'file_changed');
  version := v_newest.version;
  published_by := v_newest.published_by;
  if published then
    published_by := 'start';
    version := add_programme(
      p_digest, p_document, p_benefits, p_venues, p_members, p_currencies, p_limits, row('start', 'start', null)::change_context, null
    );
  end if;
  if because not in ('not_empty', 'faulty') then
    insert into programme_file as f (content_digest) values (p_digest)
    on conflict (id) do update set content_digest = excluded.content_digest, taken_at = excluded.taken_at
    where f.content_digest <> excluded.content_digest;
  end if;
end


function quote_return(p_calculation uuid, p_lines text) returns json

declare
  v_reply json;
begin
  begin
    v_reply := make_return(row('', '', null)::change_context, p_calculation, p_lines, null, '', clock_timestamp());
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
  return v_reply;
end


function quote_sale_claim(p_by change_context, p_order_digest bytea, p_member text, p_loyalty_id text, p_calculation uuid, p_counted text) returns json

declare
  v_reply json;
begin
  begin
    v_reply := order_sale_claim(p_by, p_order_digest, p_member, p_loyalty_id, p_calculation, p_counted);
    raise exception 'quoted' using errcode = 'LY004';
  exception when sqlstate 'LY004' then
    null;
  end;
  return v_reply;
end


function reach_place(p_day date, p_before date) returns integer

  select case when p_day - p_before <= 400 then p_day - p_before else 0 end


function record_sale(p_sale json, p_digest bytea, p_body bytea, p_idempotency_s integer, p_recounted text, OUT reply text, OUT discrepancies json, OUT freed json, OUT digest bytea, OUT body bytea, OUT result sale_result, OUT member_id text) returns record

declare
  v_sale sale := json_populate_record(null::sale, p_sale);
  v_calculation calculation;
  v_known boolean;
  v_freed bigint[] := '{}';
begin
  perform require_durable();
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = v_sale.calculation_id for update;
    v_known := found;
    exit when v_known;
    exit when claim_absence(v_sale.calculation_id);
  end loop;

  -- The calculation is locked, so no other sale of it is being recorded.
  select
      case when s.recorded_at > clock_timestamp() - make_interval(secs => p_idempotency_s) then 'stored' else 'duplicate' end,
      s.digest, s.body, s.result
    into reply, digest, body, result
    from sale s where s.calculation_id = v_sale.calculation_id;
  if found then
    return;
  end if;

  -- What was counted while the calculation was unknown is not of its basket.
  if p_recounted is null or (v_known and nullif(p_recounted, '')::json ->> 'memberId' is not null) then
    reply := case
      when v_known then case when v_calculation.earning is not null and paid_less(v_sale, v_calculation) then 'paid_less' end
      when v_sale.status = 'failed' and v_sale.loyalty_id is not null and v_sale.paid_total > 0 and exists (select from value_rule)
        then 'uncounted'
    end;
    if reply is not null then
      return;
    end if;
  end if;

  v_sale.digest := p_digest;
  v_sale.body := p_body;
  v_sale.recorded_at := clock_timestamp();
  if v_known then
    v_sale.result := 'recorded';
    select t.discrepancies, t.freed into v_sale.discrepancies, v_freed 
    from settle_sale(v_sale, v_calculation, null, nullif(p_recounted, '')::json) t;
  else
    v_sale.result := 'unknown_calculation';
    v_sale.discrepancies := array['unknown_calculation'];
    if v_sale.status = 'failed' then
      v_sale.discrepancies := v_sale.discrepancies || earn_unknown(v_sale, p_recounted);
      perform count_visit((select l.member_id from member_loyalty_id l where l.loyalty_id = v_sale.loyalty_id));
      perform announce_tier_of_sale(v_sale.calculation_id);
    end if;
  end if;
  -- Each column by name: a migration may add one to `sale` while this runs.
  insert into sale (
    calculation_id, receipt_number, paid_total, loyalty_discount_total, recorded_at, status, result, loyalty_id_sent, currency,
    channel, occurred_at, failure_reason, transaction_id, loyalty_id, venue_id, bax_id, cash_register_id, discrepancies, digest, body
  )
  values (
    v_sale.calculation_id, v_sale.receipt_number, v_sale.paid_total, v_sale.loyalty_discount_total, v_sale.recorded_at,
    v_sale.status, v_sale.result, v_sale.loyalty_id_sent, v_sale.currency, v_sale.channel, v_sale.occurred_at,
    v_sale.failure_reason, v_sale.transaction_id, v_sale.loyalty_id, v_sale.venue_id, v_sale.bax_id, v_sale.cash_register_id,
    v_sale.discrepancies, v_sale.digest, v_sale.body
  );

  reply := v_sale.result;
  member_id := coalesce(v_calculation.member_id, nullif(p_recounted, '')::json ->> 'memberId');
  discrepancies := to_json(v_sale.discrepancies);
  select coalesce(json_agg(json_build_object('limitId', k.limit_id, 'subject', k.subject, 'period', k.period)), '[]')
    into freed
    from limit_counter k where k.counter_id = any (v_freed);
end


function recount_account(p_account bigint, p_rows integer, OUT passed_over boolean, OUT difference text) returns record

  select greatest(d.rows, c.rows, u.rows) > p_rows, case
    when greatest(d.rows, c.rows, u.rows) > p_rows then null
    when h.amount - a.debt <> d.amount then
      format('account %s of %s: lots %s, debt %s; by the entries %s', p_account, a.currency_id, h.amount, a.debt, d.amount)
    when d.lopsided > 0 then
      format('account %s of %s: %s transfers do not sum to zero', p_account, a.currency_id, d.lopsided)
    when c.given <> t.given or c.taken <> t.taken then
      format(
        'account %s of %s: rules gave %s and took back %s; by the sales %s and %s', p_account, a.currency_id, t.given, t.taken, c.given,
        c.taken
      )
    when c.total <> t.total then
      format('account %s of %s: rules counted %s; by the sales %s', p_account, a.currency_id, t.total, c.total)
    when h.held <> u.held then
      format('account %s of %s: lots hold %s; by the calculations %s', p_account, a.currency_id, h.held, u.held)
    when a.merged_into is null and d.used + u.used <> 0 then
      format('account %s of %s: sales used %s; by the calculations %s', p_account, a.currency_id, -d.used, u.used)
    when u.astray > 0 then
      format('account %s of %s: %s calculations hold or used what their sales do not say', p_account, a.currency_id, u.astray)
  end
  from account a, lateral (
    select coalesce(sum(l.amount), 0)::bigint as amount, coalesce(sum(l.held), 0)::bigint as held from lot l where l.account_id = p_account
  ) h, lateral (
    select count(*) as rows, coalesce(sum(e.amount) filter (where e.account_id = p_account), 0)::bigint as amount,
      coalesce(sum(e.amount) filter (where e.against = 'redeemed' and (
        select m.kind from movement m where m.movement_id = e.movement_id
      ) = 'used'), 0)::bigint as used,
      count(*) filter (where e.account_id = p_account and e.against = 'transferred' and (
        select sum(o.amount) from entry o where o.movement_id = e.movement_id and o.against = 'transferred'
      ) <> 0) as lopsided
    -- What accounts used that were merged into it is listed with them.
    from (
      select r.* from (
        select p_account as account_id union all select m.account_id from account m where m.merged_into = p_account
      ) o join entry r on r.account_id = o.account_id
      limit p_rows + 1
    ) e
  ) d, lateral (
    select coalesce(sum(r.given - r.completed), 0) as given, coalesce(sum(r.taken), 0) as taken, coalesce(sum(r.total), 0) as total
    from earned_total r where r.account_id = p_account
  ) t, lateral (
    select count(*) as rows, coalesce(sum(s.given), 0) as given, coalesce(sum(s.taken), 0) as taken,
      coalesce(sum((s.counted - s.returned)::numeric * s.factor), 0) as total
    from (select r.* from earned r where r.account_id = p_account limit p_rows + 1) s
  ) c, lateral (
    select count(*) as rows,
      coalesce(sum(o.parts) filter (where o.state = 'open'), 0)::bigint as held,
      coalesce(sum(o.amount) filter (where o.state in ('used', 'late')), 0)::bigint as used,
      count(*) filter (where o.state <> o.due or o.parts > o.amount or (o.state in ('open', 'used') and o.parts <> o.amount)) as astray
    from (
      select v.state, v.amount, due_hold_state(v, n, s) as due, coalesce((
        select sum(p.amount) from value_hold_part p where p.calculation_id = v.calculation_id and p.account_id = v.account_id
      ), 0) as parts
      from (select * from value_hold x where x.account_id = p_account and x.amount > 0 limit p_rows + 1) y
      join value_hold v on v.calculation_id = y.calculation_id and v.account_id = y.account_id
      left join calculation n on n.calculation_id = v.calculation_id
      left join sale s on s.calculation_id = v.calculation_id
    ) o
  ) u
  where a.account_id = p_account


function recount_counter(p_counter bigint, p_rows integer, OUT passed_over boolean, OUT difference text) returns record

  select d.rows > p_rows, case
    when d.rows <= p_rows and (k.open, k.used, k.late) <> (d.open, d.used + k.pruned_used, d.late + k.pruned_late) then
      format('%s|%s|%s: open %s, used %s, late %s; by the records open %s, used %s, late %s',
        k.limit_id, k.subject, k.period, k.open, k.used, k.late, d.open, d.used + k.pruned_used, d.late + k.pruned_late)
  end
  from limit_counter k, lateral (
    select count(*) as rows,
      coalesce(sum(e.units) filter (where e.due = 'open'), 0)::bigint as open,
      coalesce(sum(e.units) filter (where e.due = 'used'), 0)::bigint as used,
      coalesce(sum(e.units) filter (where e.due = 'late'), 0)::bigint as late
    from (
      select r.units, due_state(r, c, s) as due
      from (
        select * from reservation o where o.counter_id = p_counter and o.units > 0 limit p_rows + 1
      ) o
      join reservation r on r.calculation_id = o.calculation_id and r.counter_id = o.counter_id
      left join calculation c on c.calculation_id = r.calculation_id
      left join sale s on s.calculation_id = r.calculation_id
    ) e
  ) d
  where k.counter_id = p_counter


function recount_slice(p_pause interval, p_budget interval, p_rows integer, OUT differing text[]) returns text[]

declare
  v_began timestamptz := clock_timestamp();
  v_state recount;
  v_counter bigint;
  v_account bigint;
  v_passed_over boolean;
  v_difference text;
begin
  differing := '{}';
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty recount', 0)) then
    return;
  end if;
  select r.* into strict v_state from recount r;
  if v_state.sliced_at > v_began - p_pause then
    return;
  end if;
  loop
    select k.counter_id into v_counter from limit_counter k
    where k.counter_id >= v_state.next_counter order by k.counter_id limit 1;
    if v_counter is null then
      select a.account_id into v_account from account a
      where a.account_id >= v_state.next_account order by a.account_id limit 1;
    end if;
    exit when v_counter is null and v_account is null or clock_timestamp() > v_began + p_budget;
    if v_counter is null then
      select t.passed_over, t.difference into v_passed_over, v_difference from recount_account(v_account, p_rows) t;
      v_state.accounts := v_state.accounts + 1;
      v_state.next_account := v_account + 1;
    else
      select t.passed_over, t.difference into v_passed_over, v_difference from recount_counter(v_counter, p_rows) t;
      v_state.counters := v_state.counters + 1;
      v_state.next_counter := v_counter + 1;
    end if;
    v_state.passed_over := v_state.passed_over + v_passed_over::integer;
    if v_difference is not null then
      v_state.differences := v_state.differences + 1;
      differing := differing || v_difference;
    end if;
  end loop;
  if v_counter is null and v_account is null then
    v_state.ended_at := clock_timestamp();
    v_state.last_counters := v_state.counters;
    v_state.last_accounts := v_state.accounts;
    v_state.last_differences := v_state.differences;
    v_state.last_passed_over := v_state.passed_over;
    v_state.next_counter := 0;
    v_state.next_account := 0;
    v_state.counters := 0;
    v_state.accounts := 0;
    v_state.differences := 0;
    v_state.passed_over := 0;
  end if;
  update recount r set
    next_counter = v_state.next_counter, next_account = v_state.next_account, counters = v_state.counters,
    accounts = v_state.accounts, differences = v_state.differences,
    passed_over = v_state.passed_over, sliced_at = clock_timestamp(), ended_at = v_state.ended_at,
    last_counters = v_state.last_counters, last_accounts = v_state.last_accounts, last_differences = v_state.last_differences,
    last_passed_over = v_state.last_passed_over;
end


function release_expired(p_counters bigint[]) returns void

declare
  -- In a variable: a volatile function is no index condition.
  v_now timestamptz := clock_timestamp();
begin
  with released as (
    update reservation r set state = 'released', held_until = null
    where r.counter_id = any (p_counters) and r.held_until <= v_now
    returning r.counter_id, r.units
  )
  update limit_counter k set open = k.open - s.units
  from (select counter_id, sum(units)::bigint as units from released group by counter_id) s
  where k.counter_id = s.counter_id;
end


function release_reservations(p_calculations uuid[]) returns bigint[]

declare
  v_counters bigint[];
begin
  with released as (
    update reservation r set state = 'released', held_until = null
    where r.calculation_id = any (p_calculations) and r.state = 'open'
    returning r.counter_id, r.units
  ), given as (
    update limit_counter k set open = k.open - s.units
    from (select counter_id, sum(units)::bigint as units from released group by counter_id) s
    where k.counter_id = s.counter_id
    returning k.counter_id
  )
  select coalesce(array_agg(counter_id), '{}') into v_counters from given;
  return v_counters;
end


function release_value(p_calculations uuid[], p_accounts bigint[]) returns void

declare
  v_accounts bigint[];
begin
  with released as (
    update value_hold h set state = 'released', held_until = null
    where h.calculation_id = any (p_calculations) and h.state = 'open' and (p_accounts is null or h.account_id = any (p_accounts))
    returning h.calculation_id, h.account_id
  ), parts as (
    delete from value_hold_part p using released r
    where p.calculation_id = r.calculation_id and p.account_id = r.account_id
    returning p.account_id, p.lot_id, p.amount
  ), freed as (
    update lot l set held = l.held - s.amount
    from (select lot_id, sum(amount)::bigint as amount from parts group by lot_id) s
    where l.lot_id = s.lot_id
    returning l.account_id
  )
  select array_agg(distinct account_id) into v_accounts from freed;
  perform expire_lots(a.account_id) from unnest(v_accounts) a (account_id);
end


function report_liability() returns TABLE(currency_id text, expiry_month text, amount bigint)
set enable_seqscan=on, enable_hashjoin=on

  select s.currency_id, m.name, least(s.amount, 9223372036854775807)::bigint
  from (
    select a.currency_id, date_trunc('month', (l.expires_at - interval '1 microsecond') at time zone 'UTC') as month,
      sum(case when l.expires_at > statement_timestamp() then l.amount else l.held - ended_holds(l, statement_timestamp()) end)
        as amount
    from lot l
    join account a on a.account_id = l.account_id
    where l.expires_at > statement_timestamp() or l.held > ended_holds(l, statement_timestamp())
    group by 1, 2
  ) s
  cross join lateral (select case when s.month < 'infinity' then to_char(s.month, 'YYYY-MM') else '' end as name) m
  order by s.currency_id, m.name collate "C"


function require_durable() returns void

declare
  v_known integer := nullif(current_setting('loyalty.timeline', true), '')::integer;
begin
  if v_known is not null and v_known > current_timeline() then
    raise exception 'this server is on timeline %, the ledger on %', current_timeline(), v_known using errcode = 'LY002';
  end if;
  if current_setting('synchronous_commit') = 'off' then
    perform set_config('synchronous_commit', 'on', true);
  end if;
end


function return_state(p_calculation uuid) returns json

declare
  v_ladder json := (select l.ladder from sale_ladder l where l.calculation_id = p_calculation);
  v_returned bigint[];
  v_calculation calculation;
  v_sale sale;
begin
  if v_ladder is not null then
    v_returned := returned_lines(p_calculation, v_ladder);
    return json_build_object('kind', 'laddered', 'ladder', v_ladder, 'returned', v_returned, 'refunded', (
      select json_agg(div(v_returned[l.place] * (l.line ->> 2)::numeric, (l.line ->> 1)::numeric) order by l.place)
      from json_array_elements(v_ladder -> 'lines') with ordinality as l (line, place)
    ));
  end if;
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation;
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  if v_calculation.calculation_id is null and v_sale.calculation_id is null then
    return '{"kind":"unknown_calculation"}';
  end if;
  if v_calculation.calculation_id is null or v_sale.calculation_id is null or v_sale.status = 'cancelled'
    or (v_sale.status = 'failed' and v_sale.result = 'unknown_calculation')
  then
    return '{"kind":"not_sold"}';
  end if;
  return json_build_object('kind', 'sold', 'sale', json_build_object(
    'asReturned', v_sale.status = 'applied' and v_calculation.status = 'applied',
    'paidTotal', case when v_sale.paid_total < charged_net(v_sale, v_calculation) then v_sale.paid_total end,
    'spending', (
      select c.spending from used_holds(p_calculation) h join calculation c on c.calculation_id = h.calculation_id limit 1
    )
  ));
end


function return_summary(p_return sale_return) returns json

  select json_build_object(
    'kind', 'done', 'returnId', p_return.return_id, 'calculationId', p_return.calculation_id, 'reference', p_return.reference,
    'lines', p_return.lines::json, 'refund', p_return.refund, 'keptRefund', p_return.kept_refund,
    'takenBack', p_return.taken_back::json, 'givenBack', p_return.given_back::json, 'occurredAt', milliseconds(p_return.occurred_at),
    'recordedAt', milliseconds(p_return.recorded_at), 'recordedAtUs', microseconds(p_return.recorded_at), 'actor', p_return.actor
  )


function returned_lines(p_calculation uuid, p_ladder json) returns bigint[]

  select added_lines(
    array_fill(0::bigint, array[json_array_length(p_ladder -> 'lines')]),
    (
      select coalesce(json_agg(l.line), '[]')
      from sale_return r cross join json_array_elements(r.lines::json) l (line)
      where r.calculation_id = p_calculation
    )
  )


function sale_figures(p_sales uuid[]) returns SETOF sale_sum

  select coalesce(c.venue_id, s.venue_id, ''), local_day(coalesce(c.answered_at, s.recorded_at), v.time_zone), s.currency,
    (s.status <> 'cancelled')::integer::bigint, (s.status <> 'cancelled' and c.member_id is not null)::integer::bigint,
    (s.status = 'applied')::integer::bigint, (s.status = 'failed')::integer::bigint, (s.status = 'cancelled')::integer::bigint,
    case when s.status <> 'cancelled' then coalesce(s.paid_total, 0) else 0 end,
    case when s.status = 'applied' then coalesce(s.loyalty_discount_total, 0) else 0 end
  from unnest(p_sales) i (id)
  join sale s on s.calculation_id = i.id
  left join calculation c on c.calculation_id = i.id
  left join venue v on v.venue_id = coalesce(c.venue_id, s.venue_id)


function sale_summary(p_sale sale, OUT "calculationId" uuid, OUT status text, OUT "failureReason" text, OUT "transactionId" text, OUT "receiptNumber" bigint, OUT "loyaltyId" text, OUT currency text, OUT "paidTotal" bigint, OUT "loyaltyDiscountTotal" bigint, OUT "occurredAt" text, OUT "venueId" text, OUT "baxId" text, OUT "cashRegisterId" text, OUT channel text, OUT result text, OUT "recordedAt" double precision, OUT "joinedAt" double precision, OUT discrepancies json, OUT "recordedAtUs" bigint, OUT "feedPlace" bigint, OUT "claimedAt" double precision) returns record

  select p_sale.calculation_id, p_sale.status::text, p_sale.failure_reason, p_sale.transaction_id, p_sale.receipt_number,
    p_sale.loyalty_id, p_sale.currency, p_sale.paid_total, p_sale.loyalty_discount_total, p_sale.occurred_at, p_sale.venue_id,
    p_sale.bax_id, p_sale.cash_register_id, p_sale.channel, p_sale.result::text, milliseconds(p_sale.recorded_at),
    milliseconds(p_sale.joined_at), to_json(p_sale.discrepancies), microseconds(p_sale.recorded_at), p_sale.feed_place,
    milliseconds(p_sale.claimed_at)


function same_person(p_one text, p_other text) returns boolean

  select substring(p_one from '[(].*$|[^-(]*$') = substring(p_other from '[(].*$|[^-(]*$')


function sample_limits(p_counters json, p_every interval) returns integer

declare
  v_now timestamptz := clock_timestamp();
  v_day timestamptz := v_now - interval '25 hours';
  v_week timestamptz := v_now - interval '7 days 6 hours';
  v_sampled integer;
begin
  perform 1 from limit_sampling g where g.sampled_at <= v_now - p_every for update skip locked;
  if not found then
    return 0;
  end if;
  update limit_sampling set sampled_at = v_now;

  insert into limit_sample (counter_id, at, taken)
  select k.counter_id, v_now, k.used + k.late + k.open
  from json_to_recordset(p_counters) as f ("limitId" text, "isOfVenue" boolean, periods json)
  cross join lateral (
    select '' as subject where not f."isOfVenue" union all select v.venue_id from venue v where f."isOfVenue"
  ) s
  cross join lateral json_array_elements_text(f.periods) p (period)
  join limit_counter k on k.limit_id = f."limitId" and k.subject = s.subject and k.period = p.period
  left join lateral (
    select l.at, l.taken from limit_sample l where l.counter_id = k.counter_id order by l.at desc limit 1
  ) l on true
  where (k.used + k.late + k.open) is distinct from l.taken or l.at < v_now - interval '12 hours'
  on conflict do nothing;
  get diagnostics v_sampled = row_count;

  delete from limit_sample d
  where d.at < v_day and exists (
    select from limit_sample n
    where n.counter_id = d.counter_id and n.at > d.at
      and (n.at < v_week or (n.at < v_day and date_bin('6 hours', n.at, 'epoch') = date_bin('6 hours', d.at, 'epoch')))
  );
  -- Of counters whose period is over.
  delete from limit_sample d where d.at < v_now - interval '8 days';
  return v_sampled;
end


function scale_earning(p_earning text, p_paid bigint, p_net bigint) returns text

  select jsonb_set(p_earning::jsonb, '{rules}', coalesce(jsonb_agg(
    case when r.rule ->> 'per' = 'amount'
      then r.rule || jsonb_build_object(
        'sent', div((r.rule ->> 'sent')::numeric * p_paid, p_net), 'returned', div((r.rule ->> 'returned')::numeric * p_paid, p_net)
      )
      else r.rule
    end order by r.place
  ), '[]'))::text
  from jsonb_array_elements(p_earning::jsonb -> 'rules') with ordinality as r (rule, place)


function segment_members(p_segment text, p_after text, p_max integer) returns SETOF text

  select m.member_id from member m
  where m.member_id > p_after
    and exists (
      select from regexp_matches(
        substring(m.body from '"segments":\[((?:"(?:[^"\\]|\\.)*",?)*)\]'), '"(?:[^"\\]|\\.)*"', 'g'
      ) s (id)
      where s.id[1] = to_json(p_segment)::text
    )
  order by m.member_id
  limit p_max


function settle_calculation(p_calculation calculation, p_status sale_status, p_at timestamp with time zone, OUT late text[], OUT freed bigint[]) returns record

declare
  v_id uuid := p_calculation.calculation_id;
  -- An unchanged calculation holds something only if the basket already contained its discounts; its sale uses them.
  v_given boolean := p_status = 'applied' or (p_status = 'unchanged' and p_calculation.status = 'unchanged');
  -- Whose discounts were given where the basket was charged as sent.
  v_carried uuid := case when not v_given and p_status in ('failed', 'unchanged') then carried_from(p_calculation) end;
begin
  late := '{}';
  freed := '{}';
  perform lock_counters(array[v_id]);
  if exists (select from value_hold h where h.calculation_id in (v_id, v_carried)) then
    -- With those that `earn` locks, so that all are locked in one order.
    perform lock_held_accounts(array[v_id, v_carried], p_calculation.member_id, array(
      select r.currency_id from earning_rules(p_calculation.earning::jsonb, p_status = 'applied') r
    ));
  end if;
  -- Checked under the locks: before that, another call may find it expired and take its units.
  if p_calculation.state = 'open'
    and coalesce(p_at, clock_timestamp()) < p_calculation.expires_at
    and not exists (select from reservation r where r.calculation_id = v_id and r.state = 'released')
    and not exists (select from value_hold h where h.calculation_id = v_id and h.state = 'released')
  then
    if v_given then
      perform use_reservations(v_id);
      perform use_value(v_id);
    else
      freed := release_reservations(array[v_id]);
      perform release_value(array[v_id], null);
    end if;
    update calculation c
    set state = case when p_status = 'cancelled' then 'abandoned' else 'finalised' end::calculation_state
    where c.calculation_id = v_id;
    if use_carried(v_carried, v_id) then
      late := array['value_overdrawn'];
    end if;
    return;
  end if;
  if p_calculation.state = 'open' then
    update calculation c set state = 'expired' where c.calculation_id = v_id;
  end if;
  freed := release_reservations(array[v_id]);
  perform release_value(array[v_id], null);
  late := array[case when p_calculation.state = 'superseded' then 'superseded' else 'late_event' end];
  if v_given and use_late(v_id) then
    late := late || 'limit_exceeded'::text;
  end if;
  if (v_given and use_value_late(v_id, v_id)) or use_carried(v_carried, v_id) then
    late := late || 'value_overdrawn'::text;
  end if;
end


function settle_return(p_return sale_return, p_ladder json, p_before bigint[], p_after bigint[], p_member text, OUT taken_back json, OUT given_back json) returns record

declare
  v_movement movement;
  v_debt bigint;
  v_due record;
  v_back record;
  v_rows json[] := '{}';
begin
  for v_due in
    select d.* from spent_due(p_return.calculation_id, p_ladder, p_before, p_after) d where d.amount > 0 order by d.currency_id
  loop
    if p_member is null then
      v_rows := v_rows || moved_row(v_due.currency_id, 0, 0, v_due.amount);
      continue;
    end if;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', 'return:' || p_return.return_id, '', p_return.actor);
    end if;
    v_debt := give_back(v_movement, v_due.account_id, v_due.held_by, v_due.before, v_due.amount);
    v_rows := v_rows || moved_row(v_due.currency_id, v_due.amount, v_debt, 0);
  end loop;
  given_back := array_to_json(v_rows);
  v_rows := '{}';
  for v_due in
    select a.account_id, a.currency_id, min(u.on_return) as on_return, sum(u.amount)::bigint as amount
    from uncount_sale(p_return.calculation_id, p_ladder, p_after) u
    join account a on a.account_id = u.account_id
    group by a.account_id
    order by a.currency_id
  loop
    if p_member is null then
      select 0::bigint as taken, 0::bigint as debt, v_due.amount as forgiven into v_back;
    else
      select * into v_back
      from take_back(v_due.account_id, p_return.calculation_id, v_due.on_return, v_due.amount);
    end if;
    v_rows := v_rows || moved_row(v_due.currency_id, v_back.taken + v_back.debt, v_back.debt, v_back.forgiven);
    continue when v_back.taken + v_back.debt = 0;
    if v_movement.movement_id is null then
      v_movement := add_movement('returned', 'return:' || p_return.return_id, '', p_return.actor);
    end if;
    perform add_entry(v_movement, v_due.account_id, 'issued', -(v_back.taken + v_back.debt));
  end loop;
  taken_back := array_to_json(v_rows);
end


function settle_sale(p_sale sale, p_calculation calculation, p_at timestamp with time zone, p_recounted json, OUT discrepancies text[], OUT freed bigint[]) returns record

begin
  select compare_sale(p_sale, p_calculation) || t.late, t.freed into discrepancies, freed
  from settle_calculation(p_calculation, p_sale.status, p_at) t;
  -- A failed sale that came before its calculation has earned by itself (earn_unknown).
  if p_calculation.earning is not null and not (p_sale.status = 'failed' and p_sale.result = 'unknown_calculation') then
    discrepancies := discrepancies || earn(p_sale, p_calculation.member_id, case
      when not paid_less(p_sale, p_calculation) then p_calculation.earning
      when p_recounted is not null then p_recounted ->> 'earning'
      else scale_earning(p_calculation.earning, p_sale.paid_total, charged_net(p_sale, p_calculation))
    end);
  end if;
  -- One that failed before its calculation came was counted by its loyalty id.
  if p_sale.status in ('applied', 'unchanged', 'failed')
    and not (p_sale.status = 'failed' and p_sale.result = 'unknown_calculation' and p_sale.loyalty_id is not null)
  then
    perform count_visit(p_calculation.member_id);
  end if;
  perform announce_tier_of_sale(p_sale.calculation_id);
end


function snapshot_loyalty_ids(p_snapshot text) returns json

  select (split_part(p_snapshot, ',"profile":', 1) || '}')::json -> 'loyaltyIds'


function snapshot_without(p_snapshot text, p_loyalty_ids text[]) returns text

  select case when strpos(p_snapshot, ',"profile":') = 0 then p_snapshot else '{"loyaltyIds":' || coalesce((
      select json_agg(case when l.id = any (p_loyalty_ids) then 'forgotten' else l.id end order by l.place)::text
      from json_array_elements_text(snapshot_loyalty_ids(p_snapshot)) with ordinality l (id, place)
    ), '[]') || substr(p_snapshot, strpos(p_snapshot, ',"profile":')) end


function spent_back(p_ladder json, p_returned bigint[]) returns TABLE(currency_id text, amount bigint)

  with line as (
    select l.place - 1 as at, case when q.quantity % 1000 = 0 then q.quantity / 1000 else 1 end as units,
      case when q.quantity % 1000 = 0 then p_returned[l.place] / 1000 else (p_returned[l.place] = q.quantity)::integer end as returned
    from json_array_elements(p_ladder -> 'lines') with ordinality as l (line, place)
    cross join lateral (select (l.line ->> 1)::bigint as quantity) q
  ), spent as (
    select s.* from rows from (
      json_to_recordset(p_ladder -> 'spent') as ("currencyId" text, per text, amount bigint, times bigint, lines json)
    ) with ordinality as s (currency_id, per, amount, times, lines, place)
  ), discounted as (
    select s.place, u.units, l.units - u.units as others, l.returned,
      sum(u.units) filter (where u.units < l.units) over (partition by l.at) as partial,
      sum(u.units) filter (where u.units < l.units) over (partition by l.at order by s.place) as partial_so_far
    from spent s
    cross join lateral json_array_elements(s.lines) as n (line)
    join line l on l.at = (n.line ->> 0)::bigint
    cross join lateral (select least(l.units, (n.line ->> 1)::bigint) as units) u
  ), back as (
    select d.place, d.units, case
      when d.others = 0 then least(d.units, d.returned)
      else greatest(0, least(d.units, d.returned - greatest(0, d.units + d.others - d.partial) - (d.partial_so_far - d.units)))
    end as returned
    from discounted d
  ), sums as (
    select b.place, sum(b.returned) as returned, bool_and(b.returned = b.units) as is_all from back b group by b.place
  )
  select s.currency_id, sum(case
    when s.per = 'unit' then s.amount * least(s.times, coalesce(b.returned, 0))
    when coalesce(b.is_all, not anything_kept(p_ladder, p_returned)) then s.amount * s.times
    else 0
  end)::bigint
  from spent s left join sums b on b.place = s.place
  group by s.currency_id


function spent_due(p_calculation uuid, p_ladder json, p_before bigint[], p_after bigint[]) returns TABLE(account_id bigint, currency_id text, held_by uuid, before bigint, amount bigint)

  select a.account_id, a.currency_id, h.calculation_id, least(h.amount, o.amount), least(h.amount, n.amount) - least(h.amount, o.amount)
  from used_holds(p_calculation) h
  join account a on a.account_id = h.account_id
  join spent_back(p_ladder, p_before) o on o.currency_id = a.currency_id
  join spent_back(p_ladder, p_after) n on n.currency_id = a.currency_id


function stands_for_forgotten(p_id text) returns boolean

  select p_id ~ '^forgotten-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'


function store_calculations(p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[], p_confirmed boolean, p_expiry_s integer) returns uuid[]

declare
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now at time zone 'UTC')::date;
  v_stored uuid[];
begin
  with stored as (
    insert into calculation (
      calculation_id, supersedes_calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at,
      programme_version, body_day, status, optimal, gap, confirmed, venue_id, bax_id, cash_register_id, channel, currency,
      requested_at, reason, loyalty_id, member_id, earning, spending, carried,
      gave
    )
    select r.calculation_id, r.supersedes_calculation_id, r.net_before, r.net_after, r.loyalty_discount_total, r.answered_at,
      case when p_confirmed then v_now else r.answered_at end + make_interval(secs => p_expiry_s),
      r.programme_version, v_day, r.status, r.optimal, coalesce(r.gap, 0), p_confirmed, r.venue_id, r.bax_id, r.cash_register_id, r.channel,
      r.currency, r.requested_at, r.reason, r.loyalty_id,
      coalesce((select g.into_id from merged_member g where g.member_id = r.member_id), r.member_id), r.earning, r.spending, coalesce(r.carried, 0),
      r.gave
    from json_populate_recordset(null::calculation, p_records) r
    order by r.calculation_id
    on conflict do nothing
    returning calculation_id
  )
  select coalesce(array_agg(calculation_id), '{}') into v_stored from stored;

  insert into calculation_body (day, calculation_id, digest, packed, inputs, explanation)
  select v_day, b.*
  from rows from (
    json_to_recordset(p_records) as (calculation_id uuid),
    unnest(p_digests), unnest(p_packed), unnest(p_inputs), unnest(p_explanations)
  ) as b (calculation_id, digest, packed, inputs, explanation)
  where b.calculation_id = any (v_stored);
  return v_stored;
end


function store_currencies(p_currencies json) returns void

  insert into value_rule as k (rule_id, currency_id, give, per, every, terms)
  select r.rule_id, c.currency_id, r.give, r.per, r.every, coalesce(r.terms::text, '{}')
  from json_to_recordset(p_currencies) as c (currency_id text, rules json)
  cross join json_to_recordset(c.rules) as r (rule_id text, give bigint, per text, every bigint, terms json)
  order by r.rule_id
  on conflict (rule_id) do update set terms = excluded.terms where k.terms <> excluded.terms;

  insert into value_currency as k (currency_id, name, scale)
  select c.currency_id, c.name, c.scale
  from json_to_recordset(p_currencies) as c (currency_id text, name text, scale integer)
  order by c.currency_id
  on conflict (currency_id) do update set name = excluded.name where k.name <> excluded.name


function store_exchanges(p_currencies json) returns void

begin
  delete from value_exchange;
  insert into value_exchange (from_currency_id, to_currency_id, exchange_id, from_amount, to_amount, valid_days)
  select c.currency_id, e.to_currency_id, e.exchange_id, e.from_amount, e.to_amount, e.valid_days
  from json_to_recordset(p_currencies) as c (currency_id text, exchanges json),
    json_to_recordset(c.exchanges)
      as e (exchange_id text, from_amount bigint, to_currency_id text, to_amount bigint, valid_days integer);
end


function store_limits(p_limits json) returns void

  insert into published_limit (limit_id, counts)
  select l.limit_id, l.counts from json_to_recordset(p_limits) as l (limit_id text, counts text)
  on conflict (limit_id) do nothing


function store_members(p_members json) returns void

declare
  v_changed text[];
  v_moved text[];
begin
  with stored as (
    insert into member (member_id, body)
    select m.member_id, m.body from json_to_recordset(p_members) as m (member_id text, body text)
    on conflict (member_id) do update set body = excluded.body where member.body <> excluded.body
    returning member_id
  )
  select coalesce(array_agg(member_id), '{}') into v_changed from stored;

  with wanted as (
    select m.member_id, l.loyalty_id
    from json_to_recordset(p_members) as m (member_id text, loyalty_ids json),
      json_array_elements_text(m.loyalty_ids) l (loyalty_id)
  ), had as (
    select x.loyalty_id, x.member_id from wanted w join member_loyalty_id x on x.loyalty_id = w.loyalty_id
    union
    select x.loyalty_id, x.member_id
    from json_to_recordset(p_members) as m (member_id text) join member_loyalty_id x on x.member_id = m.member_id
  ), lost as (
    delete from member_loyalty_id x using (select loyalty_id from had except select loyalty_id from wanted) l
    where x.loyalty_id = l.loyalty_id
  ), gained as (
    insert into member_loyalty_id (loyalty_id, member_id) select loyalty_id, member_id from wanted
    on conflict (loyalty_id) do update set member_id = excluded.member_id
      where member_loyalty_id.member_id <> excluded.member_id
  ), past as (
    insert into past_loyalty_id (loyalty_id, member_id)
    select loyalty_id, member_id from had except select loyalty_id, member_id from wanted
    on conflict do nothing
  ), moved as (
    (select loyalty_id, member_id from wanted except select loyalty_id, member_id from had)
    union (select loyalty_id, member_id from had except select loyalty_id, member_id from wanted)
  )
  select coalesce(array_agg(loyalty_id), '{}'), v_changed || coalesce(array_agg(member_id), '{}') into v_moved, v_changed
  from moved;

  -- The answer for a loyaltyId contains all loyaltyIds of its member.
  insert into change (kind, id)
  select 'member', u.id
  from (
    select unnest(v_moved) as id
    union
    select x.loyalty_id from member_loyalty_id x where x.member_id = any (v_changed)
  ) u
  order by u.id;
end


function store_tiers(p_benefits text) returns void

begin
  delete from value_tier;
  if json_typeof(p_benefits::json) = 'object' then
    insert into value_tier (tier_id, rank, currency_id, amount, window_months, keep_months)
    select t."tierId", t.rank, t."currencyId", t.amount, t."windowMonths", t."keepMonths"
    from json_to_recordset(p_benefits::json -> 'tiers')
      as t ("tierId" text, rank integer, "currencyId" text, amount bigint, "windowMonths" integer, "keepMonths" integer);
  end if;
end


function store_venues(p_venues json) returns void

declare
  v_changed text[];
  v_moved text[];
begin
  with stored as (
    insert into venue (venue_id, body)
    select v.venue_id, v.body from json_to_recordset(p_venues) as v (venue_id text, body text)
    on conflict (venue_id) do update set
      body = excluded.body,
      zone_since = case when venue.time_zone is distinct from excluded.time_zone then clock_timestamp() else venue.zone_since end
    where venue.body <> excluded.body
    returning venue_id
  )
  select coalesce(array_agg(venue_id), '{}') into v_changed from stored;

  with wanted as (
    select v.venue_id, b.bax_id
    from json_to_recordset(p_venues) as v (venue_id text, bax_ids json), json_array_elements_text(v.bax_ids) b (bax_id)
  ), had as (
    select x.bax_id, x.venue_id from wanted w join bax x on x.bax_id = w.bax_id
    union
    select x.bax_id, x.venue_id
    from json_to_recordset(p_venues) as v (venue_id text) join bax x on x.venue_id = v.venue_id
  ), lost as (
    delete from bax x using (select bax_id from had except select bax_id from wanted) l where x.bax_id = l.bax_id
  ), gained as (
    insert into bax (bax_id, venue_id) select bax_id, venue_id from wanted
    on conflict (bax_id) do update set venue_id = excluded.venue_id where bax.venue_id <> excluded.venue_id
  ), moved as (
    (select bax_id, venue_id from wanted except select bax_id, venue_id from had)
    union (select bax_id, venue_id from had except select bax_id, venue_id from wanted)
  )
  select coalesce(array_agg(venue_id), '{}') into v_moved from moved;

  insert into change (kind, id)
  select 'venue', u.id from (select distinct unnest(v_changed || v_moved) as id) u order by u.id;
end


function sum_keys(p_venue text, p_day date) returns TABLE(span sum_span, venue_id text, day date)

  values ('v'::sum_span, p_venue, p_day), ('m', p_venue, date_trunc('month', p_day::timestamp)::date), ('a', '', p_day)


function sum_sales(p_max integer) returns integer

declare
  -- Both before anything is written or locked: from then on this transaction has a number, and counts as running.
  v_began timestamptz := clock_timestamp();
  v_running xid8 := pg_snapshot_xmin(pg_current_snapshot());
  v_state sums_state;
  v_new uuid[];
  v_given uuid[];
  v_earning uuid[];
  v_last timestamptz;
begin
  perform require_durable();
  if not pg_try_advisory_xact_lock(hashtextextended('loyalty sums', 0)) then
    return 0;
  end if;
  select * into strict v_state from sums_state;
  if not exists (select from unsummed_sales('infinity', 1)) then
    return 0;
  end if;
  if v_running < v_state.next_xid then
    if v_state.next_xid > pg_snapshot_xmax(pg_current_snapshot()) then
      -- Restored from a dump, into a database that counts its transactions anew.
      perform mark_sums(v_began);
    end if;
    return 0;
  end if;

  perform 1
  from unsummed_sales(v_state.next_at, p_max) u join sale s on s.calculation_id = u.calculation_id
  where s.result = 'unknown_calculation' and s.joined_at is null
  order by s.calculation_id
  for share of s;
  select coalesce(array_agg(u.calculation_id order by u.recorded_at, u.calculation_id) filter (where not u.is_joined), '{}'),
    coalesce(array_agg(u.calculation_id), '{}'), coalesce(array_agg(u.calculation_id) filter (where u.earns), '{}'),
    max(u.recorded_at) filter (where not u.is_joined)
  into v_new, v_given, v_earning, v_last
  from unsummed_sales(v_state.next_at, p_max) u;
  perform add_sums(v_new, v_given, v_earning);
  delete from joined_sale j where j.calculation_id = any (v_given);
  if cardinality(v_new) = p_max then
    update sums_state set summed_at = v_last, summed_id = v_new[p_max];
  else
    update sums_state t set summed_at = t.next_at, summed_id = '00000000-0000-0000-0000-000000000000'
    where t.next_at > t.summed_at;
    perform mark_sums(v_began);
  end if;
  return cardinality(v_given);
end


function supersede_calculations(p_stored uuid[]) returns void

declare
  v_locked uuid[];
  v_superseded uuid[];
begin
  -- Few calculations supersede one; without this look the rest took a tenth of the time of a batch.
  if not exists (
    select from calculation n where n.calculation_id = any (p_stored) and n.supersedes_calculation_id is not null
  ) and not exists (select from calculation n where n.supersedes_calculation_id = any (p_stored)) then
    return;
  end if;

  v_locked := lock_calculations(array_remove(array(
    select n.supersedes_calculation_id from calculation n where n.calculation_id = any (p_stored)
  ), null));

  select coalesce(array_agg(distinct p.old) filter (where p.superseded), '{}') into v_superseded
  from (
    select o.calculation_id as old,
      o.state = 'open' and o.venue_id = n.venue_id and n.answered_at < o.expires_at as superseded
    from calculation n join calculation o on o.calculation_id = n.supersedes_calculation_id
    where n.calculation_id = any (p_stored) and o.calculation_id = any (v_locked)
    union all
    select o.calculation_id,
      o.state = 'open' and o.venue_id = n.venue_id and n.answered_at < o.expires_at
    from calculation o join calculation n on n.supersedes_calculation_id = o.calculation_id
    where o.calculation_id = any (p_stored)
  ) p;
  if v_superseded = '{}' then
    return;
  end if;

  perform lock_counters(v_superseded);
  perform lock_held_accounts(v_superseded, null, '{}');
  perform release_reservations(v_superseded);
  perform release_value(v_superseded, null);
  update calculation c set state = 'superseded' where c.calculation_id = any (v_superseded);
end


function sweep_ladders(p_age interval, p_lease interval, p_max integer, OUT ids uuid[], OUT last json) returns record

declare
  v_sweep ladder_sweep;
begin
  ids := '{}';
  select w.* into v_sweep from ladder_sweep w where w.leased_until < clock_timestamp() for update skip locked;
  if not found then
    return;
  end if;
  with next as (
    select s.* from sale s
    where (s.recorded_at, s.calculation_id) > (v_sweep.recorded_at, v_sweep.calculation_id)
      and s.recorded_at < clock_timestamp() - p_age
    order by s.recorded_at, s.calculation_id
    limit p_max
  )
  select coalesce((
      select array_agg(n.calculation_id order by n.recorded_at, n.calculation_id) from next n
      where n.status <> 'cancelled' and not exists (select from sale_ladder l where l.calculation_id = n.calculation_id)
    ), '{}'), (
      select json_build_object('recordedAtUs', microseconds(n.recorded_at), 'calculationId', n.calculation_id)
      from next n order by n.recorded_at desc, n.calculation_id desc limit 1
    )
  into ids, last;
  update ladder_sweep w set leased_until = clock_timestamp() + p_lease where last is not null;
end


function swept_ladders(p_recorded_at timestamp with time zone, p_calculation uuid) returns void

  update ladder_sweep w set recorded_at = p_recorded_at, calculation_id = p_calculation, leased_until = '-infinity'
  where (w.recorded_at, w.calculation_id) < (p_recorded_at, p_calculation)


function take_available(p_account bigint, p_at timestamp with time zone, p_amount bigint) returns SETOF lot

declare
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
begin
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.opens_at <= p_at and l.amount > l.held
    order by l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_taken;
    update lot l set amount = l.amount - v_taken where l.lot_id = v_lot.lot_id;
    v_left := v_left - v_taken;
    v_lot.amount := v_taken;
    v_lot.held := 0;
    return next v_lot;
  end loop;
  if v_left > 0 then
    raise exception 'account % has % too little', p_account, v_left;
  end if;
end


function take_back(p_account bigint, p_calculation uuid, p_on_return text, p_amount bigint, OUT taken bigint, OUT debt bigint, OUT forgiven bigint) returns record

declare
  v_now timestamptz := clock_timestamp();
  v_lot lot;
  v_part bigint;
begin
  taken := 0;
  for v_lot in
    select l.* from lot l
    where l.account_id = p_account and l.amount > l.held and (p_on_return <> 'pending_only' or l.opens_at > v_now)
    order by l.opens_at > v_now and l.calculation_id is not distinct from p_calculation desc, l.opens_at > v_now desc,
      l.expires_at desc, l.lot_id desc
  loop
    exit when taken = p_amount;
    v_part := least(p_amount - taken, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_part;
    update lot l set amount = l.amount - v_part where l.lot_id = v_lot.lot_id;
    taken := taken + v_part;
  end loop;
  debt := case p_on_return
    when 'debt' then p_amount - taken
    when 'pending_only' then 0
    else least(p_amount - taken, (
      select greatest(0, coalesce(sum(l.held), 0) - a.debt)
      from account a left join lot l on l.account_id = a.account_id
      where a.account_id = p_account group by a.account_id
    ))
  end;
  update account a set debt = a.debt + take_back.debt where a.account_id = p_account and take_back.debt > 0;
  forgiven := p_amount - taken - debt;
end


function take_deliveries(p_max integer, p_busy json, p_claim interval) returns TABLE(webhook_id uuid, url text, secret bytea, place bigint, attempt integer, event_id bigint, at timestamp with time zone, type text, member_id text, body text)

declare
  v_now timestamptz;
begin
  if not exists (select from webhook w where w.disabled_at is null) then
    return;
  end if;
  perform place_events(500);
  perform add_deliveries(500);
  v_now := clock_timestamp();
  return query
  with taken as materialized (
    select t.webhook_id, t.place
    from webhook w cross join lateral (
      select d.webhook_id, d.place from delivery d
      where d.webhook_id = w.webhook_id and d.state = 'due' and d.due_at <= v_now and w.paused_until <= v_now
      order by d.due_at, d.place
      limit greatest(p_max - coalesce((p_busy ->> w.webhook_id::text)::integer, 0), 0)
      for update skip locked
    ) t
  ), claimed as (
    update delivery d set attempts = d.attempts + 1, due_at = v_now + p_claim
    from taken t
    where d.place = t.place and d.webhook_id = t.webhook_id
    returning d.webhook_id, d.place, d.attempts
  )
  select w.webhook_id, w.url, w.secret, c.place, c.attempts, e.event_id, e.at, e.type, e.member_id, e.body
  from claimed c
  join webhook w on w.webhook_id = c.webhook_id
  join event e on e.place is not null and e.place = c.place
  order by c.place;
end


function take_lots(p_account bigint, p_amount bigint) returns void

declare
  v_lot lot;
  v_left bigint := p_amount;
  v_taken bigint;
begin
  for v_lot in
    select l.* from lot l where l.account_id = p_account and l.amount > l.held
    order by l.opens_at > clock_timestamp(), l.expires_at, l.lot_id
  loop
    exit when v_left = 0;
    v_taken := least(v_left, v_lot.amount - v_lot.held);
    delete from lot l where l.lot_id = v_lot.lot_id and l.amount = v_taken;
    update lot l set amount = l.amount - v_taken where l.lot_id = v_lot.lot_id;
    v_left := v_left - v_taken;
  end loop;
end


function take_order(p_by change_context, p_digest bytea) returns json

declare
  v_order change_order;
begin
  perform require_durable();
  loop
    insert into change_order (request_id, call, digest, reply) values (p_by.request_id, p_by.call, p_digest, '')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select o.* into v_order from change_order o where o.request_id = p_by.request_id;
    exit when found;
  end loop;
  if v_order.call = p_by.call and v_order.digest = p_digest then
    return v_order.reply;
  end if;
  return '{"kind":"request_id_conflict"}';
end


function take_proposal(p_proposal uuid) returns json

declare
  v_state text;
begin
  select p.state into v_state from programme_proposal p where p.proposal_id = p_proposal for update;
  if not found then
    return '{"kind":"unknown_proposal"}';
  end if;
  return case when v_state <> 'open' then json_build_object('kind', 'not_open', 'state', v_state) end;
end


function tier_snapshot(p_member text) returns text

  select json_build_object('tier', g.tier_id, 'until', milliseconds(g.until), 'reason', g.reason)::text
  from given_tier g where g.member_id = p_member


function tier_until(p_account bigint, p_tier value_tier, p_now timestamp with time zone) returns timestamp with time zone

  with counted as (
    select e.recorded_at at time zone 'UTC' as at, e.given - e.taken as amount
    from earned e
    where e.account_id = p_account and e.given <> e.taken
      -- A few days more, because months differ in length.
      and e.recorded_at > p_now - make_interval(months => p_tier.window_months + p_tier.keep_months, days => 5)
  ), changes as (
    select x.at, x.amount
    from counted c
    cross join lateral (values (c.at, c.amount), (c.at + make_interval(months => p_tier.window_months), -c.amount)) as x (at, amount)
    -- Most tiers are out of reach of most members: then nothing is sorted.
    where (select sum(greatest(p.amount, 0)) from counted p) >= p_tier.amount
  ), sums as (
    -- Of changes at one moment each row has the sum after all of them.
    select c.at, sum(c.amount) over (order by c.at) as amount from changes c
  ), missed as (
    select min(s.at) as at from sums s
    where s.at > (select max(q.at) from sums q where q.amount >= p_tier.amount)
  )
  select (
    date_trunc('day', m.at - interval '1 microsecond') + make_interval(months => p_tier.keep_months) + interval '1 day'
  ) at time zone 'UTC'
  from missed m


function too_much(p_ladder json, p_returned bigint[], p_lines json) returns json

  select json_build_object('kind', 'too_much', 'place', l.place - 1, 'left', l.left)
  from (
    select n.place, (n.line ->> 1)::bigint as quantity,
      (p_ladder -> 'lines' -> (n.line ->> 0)::integer ->> 1)::bigint - p_returned[(n.line ->> 0)::integer + 1] as left
    from json_array_elements(p_lines) with ordinality n (line, place)
  ) l
  where l.quantity > l.left
  order by l.place
  limit 1


function uncount_sale(p_calculation uuid, p_ladder json, p_returned bigint[]) returns TABLE(account_id bigint, on_return text, amount bigint)

#variable_conflict use_column
declare
  v_all bigint[] := array_fill(0::bigint, array[cardinality(p_returned)]);
  v_rule record;
  v_total earned_total;
  v_out numeric;
  v_taken numeric;
begin
  for v_rule in
    -- What was counted is not what the ladder counts where a sale was joined, or scaled, without its basket: then in proportion.
    select e.*, r.give, r.per, r.every::numeric * 10000 as step, coalesce(k.on_return, 'to_zero') as on_return, k.place, case
      when a.counted > 0 then div(e.counted::numeric * k.counted, a.counted)
      when anything_kept(p_ladder, p_returned) then e.counted
      else 0
    end as kept
    from earned e
    join value_rule r on r.rule_id = e.rule_id
    left join kept_counts(p_ladder, v_all) a on a.rule_id = e.rule_id
    left join kept_counts(p_ladder, p_returned) k on k.rule_id = e.rule_id
    where e.calculation_id = p_calculation
    order by k.place, e.rule_id
  loop
    v_out := v_rule.counted - v_rule.returned - v_rule.kept;
    continue when v_out <= 0;
    select t.* into strict v_total from earned_total t
    where t.account_id = v_rule.account_id and t.rule_id = v_rule.rule_id;
    v_taken := least(
      case when v_rule.per = 'visit' then v_rule.given else
        v_rule.give * (div(v_total.total, v_rule.step) - div(v_total.total - v_out * v_rule.factor, v_rule.step))
      end,
      case when v_rule.per = 'visit' or v_rule.is_limited then greatest(0, v_rule.given - v_rule.taken) end,
      v_total.given - v_total.taken
    );
    update earned e set returned = e.returned + v_out, taken = e.taken + v_taken
    where e.calculation_id = p_calculation and e.rule_id = v_rule.rule_id;
    update earned_total t set total = t.total - v_out * v_rule.factor, taken = t.taken + v_taken
    where t.account_id = v_rule.account_id and t.rule_id = v_rule.rule_id;
    continue when v_taken = 0;
    account_id := v_rule.account_id;
    on_return := v_rule.on_return;
    amount := v_taken;
    return next;
  end loop;
end


function unsummed_sales(p_until timestamp with time zone, p_max integer) returns TABLE(calculation_id uuid, recorded_at timestamp with time zone, is_joined boolean, earns boolean)

  (
    select s.calculation_id, s.recorded_at, false, true
    from sums_state t, sale s
    where (s.recorded_at, s.calculation_id) > (t.summed_at, t.summed_id) and s.recorded_at < p_until
    order by s.recorded_at, s.calculation_id
    limit p_max
  )
  union all
  select s.calculation_id, s.recorded_at, true, s.status <> 'failed'
  from sums_state t, joined_sale j join sale s on s.calculation_id = j.calculation_id
  where (s.recorded_at, s.calculation_id) <= (t.summed_at, t.summed_id)


function use_carried(p_calculation uuid, p_sale uuid) returns boolean

begin
  if p_calculation is null then
    return false;
  end if;
  perform release_value(array[p_calculation], null);
  return use_value_late(p_calculation, p_sale);
end


function use_late(p_calculation uuid) returns boolean

declare
  v_counters bigint[];
begin
  with used as (
    update reservation r set state = 'late'
    where r.calculation_id = p_calculation and r.state = 'released'
    returning r.counter_id, r.units
  ), counted as (
    update limit_counter k set late = k.late + u.units
    from used u
    where k.counter_id = u.counter_id
    returning k.counter_id
  )
  select coalesce(array_agg(counter_id), '{}') into v_counters from counted;
  perform announce_budgets(v_counters);
  perform release_expired(v_counters);
  return exists (
    select from limit_counter k where k.counter_id = any (v_counters) and k.used + k.late + k.open > k.maximum
  );
end


function use_reservations(p_calculation uuid) returns void

declare
  v_counters bigint[];
begin
  with used as (
    update reservation r set state = 'used', held_until = null
    where r.calculation_id = p_calculation and r.state = 'open'
    returning r.counter_id, r.units
  ), counted as (
    update limit_counter k set open = k.open - u.units, used = k.used + u.units
    from used u
    where k.counter_id = u.counter_id
    returning k.counter_id
  )
  select array_agg(counter_id) into v_counters from counted;
  if v_counters is not null then
    perform announce_budgets(v_counters);
  end if;
end


function use_value(p_calculation uuid) returns void

declare
  v_hold value_hold;
  v_part value_hold_part;
  v_movement movement;
begin
  for v_hold in
    select h.* from value_hold h where h.calculation_id = p_calculation and h.state = 'open' order by h.account_id
  loop
    if v_movement.movement_id is null then
      v_movement := add_movement('used', 'spending:' || p_calculation, '', '');
    end if;
    for v_part in
      select p.* from value_hold_part p where p.calculation_id = p_calculation and p.account_id = v_hold.account_id
    loop
      delete from lot l where l.lot_id = v_part.lot_id and l.amount = v_part.amount;
      update lot l set amount = l.amount - v_part.amount, held = l.held - v_part.amount where l.lot_id = v_part.lot_id;
    end loop;
    perform add_entry(v_movement, v_hold.account_id, 'redeemed', -v_hold.amount);
    update value_hold h set state = 'used', held_until = null
    where h.calculation_id = p_calculation and h.account_id = v_hold.account_id;
  end loop;
end


function use_value_late(p_calculation uuid, p_sale uuid) returns boolean

declare
  v_hold value_hold;
  v_movement movement;
  v_there bigint;
  v_overdrawn boolean := false;
begin
  for v_hold in
    select h.* from value_hold h where h.calculation_id = p_calculation and h.state = 'released' order by h.account_id
  loop
    if v_movement.movement_id is null then
      v_movement := add_movement('used', 'spending:' || p_calculation, '', '');
    end if;
    v_there := least(v_hold.amount, account_available(v_hold.account_id));
    insert into value_hold_part (calculation_id, account_id, place, lot_id, amount, opens_at, expires_at)
    select p_calculation, v_hold.account_id, t.ordinality, t.lot_id, t.amount, t.opens_at, t.expires_at
    from take_available(v_hold.account_id, v_movement.at, v_there) with ordinality t;
    if v_there < v_hold.amount then
      update account a set debt = a.debt + v_hold.amount - v_there where a.account_id = v_hold.account_id;
      v_overdrawn := true;
    end if;
    perform add_entry(v_movement, v_hold.account_id, 'redeemed', -v_hold.amount);
    update value_hold h set state = 'late', used_by = nullif(p_sale, p_calculation)
    where h.calculation_id = p_calculation and h.account_id = v_hold.account_id;
  end loop;
  return v_overdrawn;
end


function used_holds(p_calculation uuid) returns SETOF value_hold

  select h.* from value_hold h
  where h.calculation_id = p_calculation and h.used_by is null and h.state in ('used', 'late')
  union all
  select h.* from value_hold h where h.used_by = p_calculation


function value_event_type(p_kind text, p_against system_account, p_account bigint) returns text

  select case p_kind
    when 'activated' then case when p_against = 'issued' then 'reward.activated' else 'value.spent' end
    when 'cancelled' then case when p_against = 'issued' then 'reward.cancelled' else 'value.returned' end
    else case
      when exists (
        select from account a join value_exchange x on x.to_currency_id = a.currency_id where a.account_id = p_account
      ) then 'reward.used' else 'value.spent'
    end
  end


function value_figures(p_sales uuid[]) returns TABLE(venue_id text, day date, source_id text, currency_id text, earned bigint, spent bigint)

  select f.venue_id, f.day, f.source_id, f.currency_id, sum(f.earned)::bigint, sum(f.spent)::bigint
  from (
    select local_day(coalesce(c.answered_at, s.recorded_at), v.time_zone) as day, coalesce(c.venue_id, s.venue_id, '') as venue_id,
      e.rule_id as source_id, a.currency_id, e.given as earned, 0 as spent
    from unnest(p_sales) i (id)
    join sale s on s.calculation_id = i.id
    join earned e on e.calculation_id = i.id
    join account a on a.account_id = e.account_id
    left join calculation c on c.calculation_id = i.id
    left join venue v on v.venue_id = coalesce(c.venue_id, s.venue_id)
    where s.claimed_at is null
    union all
    select g.day, g.venue_id, g.benefit_id, g.cost_currency, 0, g.cost
    from given_by_sales(p_sales) g
    where g.redeemed and g.cost > 0
  ) f
  group by f.day, f.venue_id, f.source_id, f.currency_id


function value_left(p_member text, p_spends json, p_freeing uuid) returns json

declare
  v_now timestamptz := clock_timestamp();
begin
  return (
    select case when bool_or(s.amount > s.left) then
      json_agg(json_build_object('currencyId', s.currency_id, 'left', s.left))
    end
    from (
      select w.currency_id, w.amount, coalesce(account_available(a.account_id), 0) + coalesce((
        select sum(p.amount)::bigint
        from value_hold h join value_hold_part p on p.calculation_id = h.calculation_id and p.account_id = h.account_id
        where h.calculation_id = p_freeing and h.account_id = a.account_id and h.state = 'open' and p.expires_at > v_now
      ), 0) as left
      from json_to_recordset(p_spends) as w (currency_id text, amount bigint)
      left join account a on a.member_id = p_member and a.currency_id = w.currency_id
    ) s
  );
end


function venue_digests(p_venues json) returns jsonb

  select coalesce(jsonb_object_agg(v.venue ->> 'venue_id', encode(sha256(convert_to(v.venue::text, 'UTF8')), 'hex')), '{}')
  from json_array_elements(p_venues) v (venue)


function venue_snapshot(p_venue text) returns text

  select '{"baxIds":' || coalesce((
      select json_agg(b.bax_id order by b.bax_id)::text from bax b where b.venue_id = v.venue_id
    ), '[]') || ',"profile":' || v.body || '}'
  from venue v where v.venue_id = p_venue


function webhook_snapshot(p_webhook webhook) returns text

  select json_build_object('url', p_webhook.url, 'types', p_webhook.types)::text


function withdraw_calculation(p_calculation uuid) returns text

declare
  v_calculation calculation;
begin
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = p_calculation for update;
    exit when found;
    if claim_absence(p_calculation) then
      return 'unknown';
    end if;
  end loop;
  if v_calculation.replayed or v_calculation.state <> 'open' or not v_calculation.confirmed then
    return 'replayed';
  end if;
  perform lock_counters(array[p_calculation]);
  perform lock_held_accounts(array[p_calculation], null, '{}');
  perform release_reservations(array[p_calculation]);
  perform release_value(array[p_calculation], null);
  perform forget_calculation(p_calculation);
  return 'withdrawn';
end


function wrong_codes(p_member text, OUT wrong integer, OUT until timestamp with time zone) returns record

begin
  perform pg_advisory_xact_lock(hashtextextended('loyalty wrong codes ' || p_member, 0));
  select count(*), min(w.at) + interval '1 hour' into wrong, until
  from wrong_code w where w.member_id = p_member and w.at > clock_timestamp() - interval '1 hour';
end

