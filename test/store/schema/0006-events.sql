table delivery
  place bigint
  webhook_id uuid
  state delivery_state
  attempts integer default 0
  due_at timestamp with time zone default clock_timestamp()
  since timestamp with time zone default clock_timestamp()
  member_id text collate "C" null
  outcome text default ''::text
  PRIMARY KEY (place, webhook_id)
  INDEX delivery_due ON public.delivery USING btree (webhook_id, due_at, place) WHERE (state = 'due'::delivery_state)
  INDEX delivery_failed ON public.delivery USING btree (webhook_id, place) WHERE (state = 'failed'::delivery_state)
  INDEX delivery_pending ON public.delivery USING btree (webhook_id, member_id, place) WHERE (state = ANY (ARRAY['waiting'::delivery_state, 'due'::delivery_state]))
type delivery_state: waiting, due, delivered, failed
table event
  event_id bigint identity PRIMARY KEY (event_id)
  at timestamp with time zone default clock_timestamp()
  place bigint null
  type text collate "C"
  member_id text collate "C" null
  body text
  INDEX event_of_member ON public.event USING btree (member_id, event_id) WHERE (member_id IS NOT NULL)
  INDEX event_unplaced ON public.event USING btree (event_id) WHERE (place IS NULL)
  UNIQUE INDEX event_feed ON public.event USING btree (place) WHERE (place IS NOT NULL)
table removed_webhook
  webhook_id uuid PRIMARY KEY (webhook_id)
table webhook
  webhook_id uuid PRIMARY KEY (webhook_id)
  url text
  secret bytea
  types text[]
  created_at timestamp with time zone default clock_timestamp()
  place bigint
  disabled_at timestamp with time zone null
  failing_since timestamp with time zone null
  paused_until timestamp with time zone default '-infinity'::timestamp with time zone
