table calculation
  calculation_id uuid PRIMARY KEY (calculation_id)
  supersedes_calculation_id uuid null
  net_before bigint
  net_after bigint
  loyalty_discount_total bigint
  answered_at timestamp with time zone
  expires_at timestamp with time zone
  programme_version integer
  body_day date
  state calculation_state default 'open'::calculation_state
  status calculation_status
  optimal boolean
  gap bigint default 0
  carried bigint default 0
  confirmed boolean
  replayed boolean default false
  venue_id text collate "C"
  bax_id text collate "C"
  cash_register_id text collate "C" null
  channel text
  currency text
  requested_at text
  reason text null
  loyalty_id text collate "C" null
  member_id text collate "C" null
  earning text null
  spending text null
  gave text null
  entered text null
  INDEX calculation_age ON public.calculation USING btree (answered_at, calculation_id)
  INDEX calculation_expiry ON public.calculation USING btree (expires_at) WHERE (state = 'open'::calculation_state)
  INDEX calculation_of_loyalty_id ON public.calculation USING btree (loyalty_id, answered_at, calculation_id) WHERE (loyalty_id IS NOT NULL)
  INDEX calculation_of_member ON public.calculation USING btree (member_id, answered_at, calculation_id) WHERE (member_id IS NOT NULL)
  INDEX calculation_of_venue ON public.calculation USING btree (venue_id, answered_at, calculation_id) WHERE (net_before >= 0)
  INDEX calculation_superseder ON public.calculation USING btree (supersedes_calculation_id) WHERE (supersedes_calculation_id IS NOT NULL)
table calculation_body
  day date
  calculation_id uuid
  digest bytea
  packed bytea storage external
  inputs bytea
  explanation bytea storage external
  PRIMARY KEY (calculation_id, day)
type calculation_state: open, finalised, abandoned, superseded, expired
type calculation_status: applied, unchanged, member_not_found
table limit_counter
  counter_id bigint identity PRIMARY KEY (counter_id)
  used bigint default 0 CHECK ((used >= 0))
  open bigint default 0 CHECK ((open >= 0))
  late bigint default 0 CHECK ((late >= 0))
  maximum bigint
  limit_id text collate "C"
  subject text collate "C"
  period text collate "C"
  pruned_used bigint default 0
  pruned_late bigint default 0
  merged bigint default 0
  announced integer default 0
  created_at timestamp with time zone default clock_timestamp()
  UNIQUE (limit_id, subject, period)
  INDEX limit_counter_birthday ON public.limit_counter USING btree (subject, limit_id, period) WHERE (period ~~ 'birthday-%'::text)
  INDEX limit_counter_subject ON public.limit_counter USING btree (subject, limit_id, period) WHERE (subject <> ''::text)
table limit_sample
  counter_id bigint
  at timestamp with time zone
  taken bigint
  PRIMARY KEY (counter_id, at)
table limit_sampling
  id integer default 1 CHECK ((id = 1)) PRIMARY KEY (id)
  sampled_at timestamp with time zone default '-infinity'::timestamp with time zone
table recount
  id integer default 1 CHECK ((id = 1)) PRIMARY KEY (id)
  next_counter bigint default 0
  next_account bigint default 0
  counters bigint default 0
  accounts bigint default 0
  differences bigint default 0
  passed_over bigint default 0
  sliced_at timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone
  ended_at timestamp with time zone null
  last_counters bigint default 0
  last_accounts bigint default 0
  last_differences bigint default 0
  last_passed_over bigint default 0
table reservation
  calculation_id uuid
  counter_id bigint
  units bigint CHECK ((units > 0))
  held_until timestamp with time zone null
  state reservation_state default 'open'::reservation_state
  CHECK (((held_until IS NOT NULL) = (state = 'open'::reservation_state)))
  PRIMARY KEY (calculation_id, counter_id)
  INDEX reservation_held ON public.reservation USING btree (counter_id, held_until) WHERE (held_until IS NOT NULL)
  INDEX reservation_of_counter ON public.reservation USING btree (counter_id) WHERE (units > 0)
type reservation_state: open, used, late, released
