table audit_record
  audit_id bigint identity PRIMARY KEY (audit_id)
  at timestamp with time zone default clock_timestamp()
  actor text
  call text
  request_id uuid null
  subject_kind change_kind
  subject_id text collate "C"
  before text null
  after text null
  reason text null default NULLIF(current_setting('lps.reason'::text, true), ''::text)
  INDEX audit_of_subject ON public.audit_record USING btree (subject_kind, subject_id, audit_id)
table benefit_change
  benefit_id text collate "C"
  version integer FOREIGN KEY (version) REFERENCES programme_version(version)
  digest text null
  PRIMARY KEY (benefit_id, version)
table change
  revision bigint identity PRIMARY KEY (revision)
  kind change_kind
  id text collate "C"
  changed_at timestamp with time zone default clock_timestamp()
  INDEX change_age ON public.change USING btree (changed_at)
type change_kind: programme, venue, member, codes, sale, webhook, calculation, proposal, draft, view
table change_request
  request_id uuid PRIMARY KEY (request_id)
  call text
  digest bytea
  reply text
  made_at timestamp with time zone default clock_timestamp()
  INDEX change_request_age ON public.change_request USING btree (made_at)
table programme_draft
  draft_id uuid PRIMARY KEY (draft_id)
  name text
  document text
  base_version integer
  revision integer default 1
  begun_by text
  begun_at timestamp with time zone default clock_timestamp()
  changed_by text
  changed_at timestamp with time zone default clock_timestamp()
table programme_file
  id integer default 1 CHECK ((id = 1)) PRIMARY KEY (id)
  content_digest bytea
  taken_at timestamp with time zone default clock_timestamp()
table programme_proposal
  proposal_id uuid PRIMARY KEY (proposal_id)
  base_version integer
  content_digest bytea
  document text
  note text
  proposed_by text
  proposed_at timestamp with time zone default clock_timestamp()
  state text default 'open'::text CHECK ((state = ANY (ARRAY['open'::text, 'scheduled'::text, 'approved'::text, 'declined'::text, 'failed'::text])))
  decided_by text null
  decided_at timestamp with time zone null
  reason text default ''::text
  failure text default ''::text
  publish_at timestamp with time zone null
  time_zone text null
  acknowledgements text[] default '{}'::text[]
  leased_until timestamp with time zone default '-infinity'::timestamp with time zone
  version integer null
  UNIQUE (proposed_at, proposal_id)
  INDEX proposal_due ON public.programme_proposal USING btree (publish_at) WHERE (state = 'scheduled'::text)
table programme_version
  version integer PRIMARY KEY (version)
  content_digest bytea
  document text
  benefits text
  limits text
  experiments text
  venues jsonb
  published_at timestamp with time zone default clock_timestamp()
  published_by text default 'start'::text
  rolled_back_to integer null
table published_limit
  limit_id text collate "C" PRIMARY KEY (limit_id)
  counts text
