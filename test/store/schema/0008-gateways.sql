table console_session
  digest text collate "C" PRIMARY KEY (digest)
  is_ticket boolean
  role text
  name text
  issuer text null
  ends_at timestamp with time zone
  INDEX console_session_end ON public.console_session USING btree (ends_at)
table flush_wish
  only_row boolean default true CHECK (only_row) PRIMARY KEY (only_row)
  number bigint
table gateway
  gateway_id uuid PRIMARY KEY (gateway_id)
  held_since timestamp with time zone
  held_until timestamp with time zone
  uses_cache boolean
  flushed_through bigint
table gateway_process
  process_id uuid PRIMARY KEY (process_id)
  host text
  pid integer
  port integer
  number integer
  version text
  node_version text
  processes integer
  programme_version integer
  cache text CHECK ((cache = ANY (ARRAY['up'::text, 'down'::text, 'absent'::text])))
  traffic json
  started_at timestamp with time zone
  seen_at timestamp with time zone
table saved_view
  view_id uuid PRIMARY KEY (view_id)
  list text
  name text
  query text
  is_shared boolean
  stored_by text
  stored_at timestamp with time zone default clock_timestamp()
table traffic_minute
  minute timestamp with time zone PRIMARY KEY (minute)
  processes uuid[]
  outcomes jsonb
  times jsonb
  calls jsonb
  is_failing boolean null
