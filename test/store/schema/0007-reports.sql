table benefit_member
  member_id text collate "C"
  benefit_id text collate "C"
  last_day date
  day_before date null
  redemptions bigint
  PRIMARY KEY (member_id, benefit_id)
  INDEX benefit_member_most ON public.benefit_member USING btree (benefit_id, redemptions DESC, member_id) WHERE (benefit_id <> ''::text)
table benefit_reach
  benefit_id text collate "C"
  day date
  first bigint
  again bigint[]
  PRIMARY KEY (day, benefit_id)
table benefit_sum
  span sum_span
  venue_id text collate "C"
  day date
  benefit_id text collate "C"
  currency text collate "C"
  calculations bigint
  redemptions bigint
  discount bigint
  paid bigint
  PRIMARY KEY (span, venue_id, day, benefit_id, currency)
  INDEX benefit_sum_day ON public.benefit_sum USING btree (span, day)
table joined_sale
  calculation_id uuid PRIMARY KEY (calculation_id)
table sale_sum
  venue_id text collate "C"
  day date
  currency text collate "C"
  sales bigint
  member_sales bigint
  applied bigint
  failed bigint
  cancelled bigint
  paid bigint
  discount bigint
  apart bigint
  PRIMARY KEY (venue_id, day, currency)
  INDEX sale_sum_day ON public.sale_sum USING btree (day)
type sum_span: v, m, a
table sums_state
  id integer default 1 CHECK ((id = 1)) PRIMARY KEY (id)
  summed_at timestamp with time zone default '-infinity'::timestamp with time zone
  summed_id uuid default '00000000-0000-0000-0000-000000000000'::uuid
  next_at timestamp with time zone default '-infinity'::timestamp with time zone
  next_xid xid8 default '0'::xid8
  pruned_before timestamp with time zone default '-infinity'::timestamp with time zone
  reach_since timestamp with time zone default clock_timestamp()
table value_sum
  span sum_span
  venue_id text collate "C"
  day date
  source_id text collate "C"
  currency_id text collate "C"
  earned bigint
  spent bigint
  PRIMARY KEY (span, venue_id, day, source_id, currency_id)
  INDEX value_sum_day ON public.value_sum USING btree (span, day)
