table account
  account_id bigint identity PRIMARY KEY (account_id)
  member_id text collate "C"
  currency_id text collate "C"
  debt bigint default 0 CHECK ((debt >= 0))
  merged_into bigint null
  UNIQUE (member_id, currency_id)
  INDEX account_merged_into ON public.account USING btree (merged_into) WHERE (merged_into IS NOT NULL)
table activation
  activation_id bigint PRIMARY KEY (activation_id)
  from_account bigint
  to_account bigint
  from_amount bigint
  to_amount bigint
  INDEX activation_of_account ON public.activation USING btree (from_account)
table activation_part
  activation_id bigint
  place bigint
  amount bigint CHECK ((amount > 0))
  opens_at timestamp with time zone
  expires_at timestamp with time zone
  PRIMARY KEY (activation_id, place)
table announced_tier
  member_id text collate "C" PRIMARY KEY (member_id)
  tier_id text collate "C"
  lapses_at timestamp with time zone
  INDEX announced_tier_lapse ON public.announced_tier USING btree (lapses_at)
type code_state: open, claimed, void
table completed_units
  account_id bigint
  rule_id text collate "C"
  day date
  about date null
  given bigint
  PRIMARY KEY (account_id, rule_id, day)
table earned
  calculation_id uuid
  rule_id text collate "C"
  account_id bigint
  counted bigint CHECK ((counted > 0))
  given bigint CHECK ((given >= 0))
  at timestamp with time zone
  day date
  about date null
  recorded_at timestamp with time zone default clock_timestamp()
  factor integer
  before numeric default 0
  is_limited boolean default false
  returned bigint default 0
  taken bigint default 0 CHECK ((taken >= 0))
  CHECK (((returned >= 0) AND (returned <= counted)))
  PRIMARY KEY (calculation_id, rule_id)
  INDEX earned_age ON public.earned USING btree (account_id, recorded_at)
  INDEX earned_of_account ON public.earned USING btree (account_id, rule_id, at)
table earned_total
  account_id bigint
  rule_id text collate "C"
  total numeric CHECK ((total >= (0)::numeric))
  given bigint
  completed bigint default 0
  taken bigint default 0
  CHECK (((completed >= 0) AND (completed <= given)))
  CHECK (((taken >= 0) AND (taken <= given)))
  PRIMARY KEY (account_id, rule_id)
table entry
  movement_id bigint
  account_id bigint
  amount bigint CHECK ((amount <> 0))
  at timestamp with time zone
  against system_account
  PRIMARY KEY (movement_id, account_id, against)
  INDEX entry_of_account ON public.entry USING btree (account_id, at, movement_id)
table given_tier
  member_id text collate "C" PRIMARY KEY (member_id)
  tier_id text collate "C"
  until timestamp with time zone
  reason text
table lot
  lot_id bigint default nextval('value_id'::regclass) PRIMARY KEY (lot_id)
  account_id bigint
  amount bigint CHECK ((amount > 0))
  held bigint default 0
  opens_at timestamp with time zone
  expires_at timestamp with time zone default 'infinity'::timestamp with time zone
  activation_id bigint null
  calculation_id uuid null
  awaits_opening boolean default false
  expiry_announced boolean default false
  CHECK (((held >= 0) AND (held <= amount)))
  CHECK ((opens_at < expires_at))
  INDEX lot_expiring ON public.lot USING btree (expires_at) WHERE ((NOT expiry_announced) AND (expires_at < 'infinity'::timestamp with time zone))
  INDEX lot_expiry ON public.lot USING btree (expires_at) WHERE (expires_at < 'infinity'::timestamp with time zone)
  INDEX lot_of_account ON public.lot USING btree (account_id, expires_at, lot_id)
  INDEX lot_opening ON public.lot USING btree (opens_at) WHERE awaits_opening
table member_visits
  member_id text collate "C" PRIMARY KEY (member_id)
  visits bigint CHECK ((visits >= 0))
  last_at timestamp with time zone null
table movement
  movement_id bigint default nextval('value_id'::regclass) PRIMARY KEY (movement_id)
  kind movement_kind
  at timestamp with time zone default clock_timestamp()
  cause text collate "C" UNIQUE (cause)
  reason text default ''::text
  actor text default ''::text
type movement_kind: adjusted, transferred, imported, expired, forfeited, earned, issued, claimed, activated, cancelled, used, returned, merged
table reward_code
  digest bytea PRIMARY KEY (digest)
  currency_id text collate "C"
  amount bigint CHECK ((amount > 0))
  expires_at timestamp with time zone
  state code_state default 'open'::code_state
type system_account: adjusted, transferred, imported, expired, forfeited, issued, redeemed
table value_currency
  currency_id text collate "C" PRIMARY KEY (currency_id)
  name text
  scale integer CHECK (((scale >= 0) AND (scale <= 4)))
  terms text default '{}'::text
table value_exchange
  from_currency_id text collate "C"
  to_currency_id text collate "C"
  exchange_id text collate "C"
  from_amount bigint CHECK ((from_amount > 0))
  to_amount bigint CHECK ((to_amount > 0))
  valid_days integer null
  PRIMARY KEY (from_currency_id, to_currency_id)
table value_hold
  calculation_id uuid
  account_id bigint
  amount bigint CHECK ((amount > 0))
  held_until timestamp with time zone null
  state reservation_state default 'open'::reservation_state
  used_by uuid null
  CHECK (((held_until IS NOT NULL) = (state = 'open'::reservation_state)))
  PRIMARY KEY (calculation_id, account_id)
  INDEX value_hold_of_account ON public.value_hold USING btree (account_id) WHERE (amount > 0)
  INDEX value_hold_open ON public.value_hold USING btree (account_id, held_until) WHERE (held_until IS NOT NULL)
  INDEX value_hold_used_by ON public.value_hold USING btree (used_by) WHERE (used_by IS NOT NULL)
table value_hold_part
  calculation_id uuid
  account_id bigint
  place integer
  lot_id bigint
  amount bigint CHECK ((amount > 0))
  opens_at timestamp with time zone
  expires_at timestamp with time zone
  PRIMARY KEY (calculation_id, account_id, place)
table value_rule
  rule_id text collate "C" PRIMARY KEY (rule_id)
  currency_id text collate "C"
  give bigint
  per text
  every bigint null
  terms text default '{}'::text
table value_tier
  tier_id text collate "C" PRIMARY KEY (tier_id)
  rank integer UNIQUE (rank)
  currency_id text collate "C"
  amount bigint CHECK ((amount > 0))
  window_months integer
  keep_months integer
table voucher_grant
  grant_id text collate "C"
  member_id text collate "C"
  PRIMARY KEY (grant_id, member_id)
  INDEX grant_of_member ON public.voucher_grant USING btree (member_id)
table wrong_code
  member_id text collate "C"
  at timestamp with time zone
  INDEX wrong_code_of_member ON public.wrong_code USING btree (member_id, at)
