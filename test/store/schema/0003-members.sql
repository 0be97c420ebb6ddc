table bax
  bax_id text collate "C" PRIMARY KEY (bax_id)
  venue_id text collate "C" FOREIGN KEY (venue_id) REFERENCES venue(venue_id)
  INDEX bax_of_venue ON public.bax USING btree (venue_id)
table erasure
  request_id uuid FOREIGN KEY (request_id) REFERENCES forgetting(request_id)
  member_id text collate "C"
  loyalty_ids text[]
  name_seed uuid default gen_random_uuid()
  asked_at timestamp with time zone default clock_timestamp()
  PRIMARY KEY (request_id, member_id)
table forgetting
  request_id uuid PRIMARY KEY (request_id)
  asked_at timestamp with time zone default clock_timestamp()
  completed_at timestamp with time zone null
table forgetting_key
  id integer default 1 CHECK ((id = 1)) PRIMARY KEY (id)
  inner_key bytea
  outer_key bytea
table forgotten
  digest bytea PRIMARY KEY (digest)
  forgotten_at timestamp with time zone default clock_timestamp()
table member
  member_id text collate "C" PRIMARY KEY (member_id)
  body text
  blocked boolean null default (strpos(body, '"blocked":true'::text) > 0)
table member_loyalty_id
  loyalty_id text collate "C" PRIMARY KEY (loyalty_id)
  member_id text collate "C" FOREIGN KEY (member_id) REFERENCES member(member_id)
  INDEX loyalty_id_of_member ON public.member_loyalty_id USING btree (member_id)
table merged_loyalty_id
  loyalty_id text collate "C" PRIMARY KEY (loyalty_id)
  member_id text collate "C"
  into_id text collate "C"
  INDEX merged_loyalty_id_of ON public.merged_loyalty_id USING btree (into_id)
table merged_member
  member_id text collate "C" PRIMARY KEY (member_id)
  into_id text collate "C"
  merged_at timestamp with time zone default clock_timestamp()
  INDEX merged_into ON public.merged_member USING btree (into_id)
table past_loyalty_id
  member_id text collate "C"
  loyalty_id text collate "C"
  PRIMARY KEY (member_id, loyalty_id)
  UNIQUE (loyalty_id, member_id)
table published_member
  member_id text collate "C" PRIMARY KEY (member_id)
table venue
  venue_id text collate "C" PRIMARY KEY (venue_id)
  body text
  time_zone text null default "substring"(body, '"timeZone":"([^"\\]*)"'::text)
  day_starts interval default make_interval(mins => (COALESCE("substring"(body, '"dayStartsAt":(\d+)'::text), '0'::text))::integer)
  zone_since timestamp with time zone default clock_timestamp()
