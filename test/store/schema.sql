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
column calculation.carried: bigint not null default 0
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
column change_request.request_id: uuid not null
column change_request.call: text not null
column change_request.digest: bytea not null
column change_request.reply: text not null
column change_request.made_at: timestamp with time zone not null default clock_timestamp()
column completed_units.account_id: bigint not null
column completed_units.rule_id: text collate "C" not null
column completed_units.day: date not null
column completed_units.about: date
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
column earned.about: date
column earned.recorded_at: timestamp with time zone not null default clock_timestamp()
column earned.factor: integer not null
column earned.before: numeric not null default 0
column earned.is_limited: boolean not null default false
column earned.returned: bigint not null default 0
column earned.taken: bigint not null default 0
column earned_total.account_id: bigint not null
column earned_total.rule_id: text collate "C" not null
column earned_total.total: numeric not null
column earned_total.given: bigint not null
column earned_total.completed: bigint not null default 0
column earned_total.taken: bigint not null default 0
column entry.movement_id: bigint not null
column entry.account_id: bigint not null
column entry.amount: bigint not null
column entry.at: timestamp with time zone not null
column entry.against: system_account not null
column erasure.request_id: uuid not null
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
column forgetting.request_id: uuid not null
column forgetting.asked_at: timestamp with time zone not null default clock_timestamp()
column forgetting.completed_at: timestamp with time zone
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
column gateway_process.traffic: json not null
column gateway_process.started_at: timestamp with time zone not null
column gateway_process.seen_at: timestamp with time zone not null
column given_tier.member_id: text collate "C" not null
column given_tier.tier_id: text collate "C" not null
column given_tier.until: timestamp with time zone not null
column given_tier.reason: text not null
column joined_sale.calculation_id: uuid not null
column ladder_basket.calculation_id: uuid not null
column ladder_basket.member_id: text collate "C" not null
column ladder_basket.packed: bytea not null
column ladder_basket.facts: text not null
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
column limit_counter.created_at: timestamp with time zone not null default clock_timestamp()
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
column member.blocked: boolean default (strpos(body, '"blocked":true'::text) > 0)
column member_loyalty_id.loyalty_id: text collate "C" not null
column member_loyalty_id.member_id: text collate "C" not null
column member_visits.member_id: text collate "C" not null
column member_visits.visits: bigint not null
column member_visits.last_at: timestamp with time zone
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
column pos_return.pos_return_id: uuid not null
column pos_return.return_id: bigint not null
column pos_return.digest: bytea not null
column pos_return.body: bytea not null
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
column programme_version.limits: text not null
column programme_version.venues: jsonb not null
column programme_version.published_at: timestamp with time zone not null default clock_timestamp()
column programme_version.published_by: text not null default 'start'::text
column programme_version.rolled_back_to: integer
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
column sale.claimed_at: timestamp with time zone
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
column sale_ladder.calculation_id: uuid not null
column sale_ladder.ladder: text not null
column sale_return.return_id: bigint not null identity
column sale_return.calculation_id: uuid not null
column sale_return.reference: text collate "C" not null
column sale_return.lines: text not null
column sale_return.refund: bigint not null
column sale_return.line_refunds: text not null
column sale_return.as_paid_refund: bigint not null
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
column sale_sum.apart: bigint not null
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
column traffic_minute.calls: jsonb not null
column value_currency.currency_id: text collate "C" not null
column value_currency.name: text not null
column value_currency.scale: integer not null
column value_currency.terms: text not null default '{}'::text
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
column venue.day_starts: interval not null default make_interval(mins => (COALESCE("substring"(body, '"dayStartsAt":(\d+)'::text), '0'::text))::integer)
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
constraint change_request_pkey on change_request: PRIMARY KEY (request_id)
constraint completed_units_pkey on completed_units: PRIMARY KEY (account_id, rule_id, day)
constraint console_session_pkey on console_session: PRIMARY KEY (digest)
constraint delivery_pkey on delivery: PRIMARY KEY (place, webhook_id)
constraint earned_check on earned: CHECK (((returned >= 0) AND (returned <= counted)))
constraint earned_counted_check on earned: CHECK ((counted > 0))
constraint earned_given_check on earned: CHECK ((given >= 0))
constraint earned_pkey on earned: PRIMARY KEY (calculation_id, rule_id)
constraint earned_taken_check on earned: CHECK ((taken >= 0))
constraint earned_total_check on earned_total: CHECK (((completed >= 0) AND (completed <= given)))
constraint earned_total_check1 on earned_total: CHECK (((taken >= 0) AND (taken <= given)))
constraint earned_total_pkey on earned_total: PRIMARY KEY (account_id, rule_id)
constraint earned_total_total_check on earned_total: CHECK ((total >= (0)::numeric))
constraint entry_amount_check on entry: CHECK ((amount <> 0))
constraint entry_pkey on entry: PRIMARY KEY (movement_id, account_id, against)
constraint erasure_pkey on erasure: PRIMARY KEY (request_id, member_id)
constraint erasure_request_id_fkey on erasure: FOREIGN KEY (request_id) REFERENCES forgetting(request_id)
constraint event_pkey on event: PRIMARY KEY (event_id)
constraint flush_wish_only_row_check on flush_wish: CHECK (only_row)
constraint flush_wish_pkey on flush_wish: PRIMARY KEY (only_row)
constraint forgetting_pkey on forgetting: PRIMARY KEY (request_id)
constraint forgetting_key_id_check on forgetting_key: CHECK ((id = 1))
constraint forgetting_key_pkey on forgetting_key: PRIMARY KEY (id)
constraint forgotten_pkey on forgotten: PRIMARY KEY (digest)
constraint gateway_pkey on gateway: PRIMARY KEY (gateway_id)
constraint gateway_process_cache_check on gateway_process: CHECK ((cache = ANY (ARRAY['up'::text, 'down'::text, 'absent'::text])))
constraint gateway_process_pkey on gateway_process: PRIMARY KEY (process_id)
constraint given_tier_pkey on given_tier: PRIMARY KEY (member_id)
constraint joined_sale_pkey on joined_sale: PRIMARY KEY (calculation_id)
constraint ladder_basket_pkey on ladder_basket: PRIMARY KEY (calculation_id)
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
constraint pos_return_pkey on pos_return: PRIMARY KEY (pos_return_id)
constraint pos_return_return_id_fkey on pos_return: FOREIGN KEY (return_id) REFERENCES sale_return(return_id)
constraint pos_return_return_id_key on pos_return: UNIQUE (return_id)
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
index: CREATE UNIQUE INDEX change_pkey ON public.change USING btree (revision)
index: CREATE INDEX change_request_age ON public.change_request USING btree (made_at)
index: CREATE UNIQUE INDEX change_request_pkey ON public.change_request USING btree (request_id)
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
index: CREATE UNIQUE INDEX erasure_pkey ON public.erasure USING btree (request_id, member_id)
index: CREATE UNIQUE INDEX event_feed ON public.event USING btree (place) WHERE (place IS NOT NULL)
index: CREATE INDEX event_of_member ON public.event USING btree (member_id, event_id) WHERE (member_id IS NOT NULL)
index: CREATE UNIQUE INDEX event_pkey ON public.event USING btree (event_id)
index: CREATE INDEX event_unplaced ON public.event USING btree (event_id) WHERE (place IS NULL)
index: CREATE UNIQUE INDEX flush_wish_pkey ON public.flush_wish USING btree (only_row)
index: CREATE UNIQUE INDEX forgetting_key_pkey ON public.forgetting_key USING btree (id)
index: CREATE UNIQUE INDEX forgetting_pkey ON public.forgetting USING btree (request_id)
index: CREATE UNIQUE INDEX forgotten_pkey ON public.forgotten USING btree (digest)
index: CREATE UNIQUE INDEX gateway_pkey ON public.gateway USING btree (gateway_id)
index: CREATE UNIQUE INDEX gateway_process_pkey ON public.gateway_process USING btree (process_id)
index: CREATE UNIQUE INDEX given_tier_pkey ON public.given_tier USING btree (member_id)
index: CREATE UNIQUE INDEX joined_sale_pkey ON public.joined_sale USING btree (calculation_id)
index: CREATE INDEX ladder_basket_of_member ON public.ladder_basket USING btree (member_id)
index: CREATE UNIQUE INDEX ladder_basket_pkey ON public.ladder_basket USING btree (calculation_id)
index: CREATE UNIQUE INDEX ladder_sweep_pkey ON public.ladder_sweep USING btree (id)
index: CREATE INDEX limit_counter_birthday ON public.limit_counter USING btree (subject, limit_id, period) WHERE (period ~~ 'birthday-%'::text)
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
index: CREATE UNIQUE INDEX pos_return_pkey ON public.pos_return USING btree (pos_return_id)
index: CREATE UNIQUE INDEX pos_return_return_id_key ON public.pos_return USING btree (return_id)
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
index: CREATE INDEX sale_transaction ON public.sale USING btree (transaction_id, venue_id, cash_register_id, COALESCE(paid_total, ('-1'::integer)::bigint)) WHERE (transaction_id IS NOT NULL)
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
