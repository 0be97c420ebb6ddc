table ladder_basket
  calculation_id uuid PRIMARY KEY (calculation_id)
  member_id text collate "C"
  packed bytea
  facts text
  INDEX ladder_basket_of_member ON public.ladder_basket USING btree (member_id)
table ladder_sweep
  id integer default 1 CHECK ((id = 1)) PRIMARY KEY (id)
  recorded_at timestamp with time zone default '-infinity'::timestamp with time zone
  calculation_id uuid default '00000000-0000-0000-0000-000000000000'::uuid
  leased_until timestamp with time zone default '-infinity'::timestamp with time zone
table pos_return
  pos_return_id uuid PRIMARY KEY (pos_return_id)
  return_id bigint FOREIGN KEY (return_id) REFERENCES sale_return(return_id) UNIQUE (return_id)
  digest bytea
  body bytea
table sale
  calculation_id uuid PRIMARY KEY (calculation_id)
  receipt_number bigint null
  paid_total bigint null
  loyalty_discount_total bigint null
  recorded_at timestamp with time zone
  joined_at timestamp with time zone null
  claimed_at timestamp with time zone null
  status sale_status
  result sale_result
  loyalty_id_sent boolean
  currency text
  channel text
  occurred_at text
  failure_reason text null
  transaction_id text null
  loyalty_id text collate "C" null
  venue_id text collate "C" null
  bax_id text collate "C" null
  cash_register_id text collate "C" null
  discrepancies text[]
  settled text[] default '{}'::text[]
  settled_at timestamp with time zone null
  settled_by text null
  settled_note text null
  digest bytea
  body bytea
  feed_place bigint null
  INDEX sale_age ON public.sale USING btree (recorded_at, calculation_id)
  INDEX sale_discrepancy ON public.sale USING btree (recorded_at, calculation_id) WHERE (discrepancies <> '{}'::text[])
  INDEX sale_of_loyalty_id ON public.sale USING btree (loyalty_id) WHERE (loyalty_id IS NOT NULL)
  INDEX sale_of_venue ON public.sale USING btree (venue_id, recorded_at, calculation_id) WHERE (venue_id IS NOT NULL)
  INDEX sale_receipt ON public.sale USING btree (receipt_number) WHERE (receipt_number IS NOT NULL)
  INDEX sale_transaction ON public.sale USING btree (transaction_id, venue_id, cash_register_id, COALESCE(paid_total, ('-1'::integer)::bigint)) WHERE (transaction_id IS NOT NULL)
  INDEX sale_unplaced ON public.sale USING btree (recorded_at, calculation_id) WHERE (feed_place IS NULL)
  UNIQUE INDEX sale_feed ON public.sale USING btree (feed_place) WHERE (feed_place IS NOT NULL)
table sale_ladder
  calculation_id uuid PRIMARY KEY (calculation_id)
  ladder text
type sale_result: recorded, unknown_calculation
table sale_return
  return_id bigint identity PRIMARY KEY (return_id)
  calculation_id uuid
  reference text collate "C"
  lines text
  refund bigint CHECK ((refund >= 0))
  line_refunds text
  as_paid_refund bigint
  kept_refund bigint null
  taken_back text default '[]'::text
  given_back text default '[]'::text
  occurred_at timestamp with time zone
  recorded_at timestamp with time zone default clock_timestamp()
  actor text
  UNIQUE (calculation_id, reference)
  INDEX sale_return_age ON public.sale_return USING btree (recorded_at, return_id)
type sale_status: applied, unchanged, member_not_found, failed, cancelled
