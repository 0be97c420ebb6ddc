
create table programme_version (
  version integer primary key,
  content_digest bytea not null,
  document text not null,
  benefits text not null,
  limits text not null,
  experiments text not null,
  -- By venue id the SHA-256, in hexadecimal, of the entry as store_venues gets it: a publication does not touch venues that it does not change.
  venues jsonb not null,
  published_at timestamptz not null default clock_timestamp(),
  published_by text not null default 'start',
  rolled_back_to integer
);

create table benefit_change (
  benefit_id text collate "C" not null,
  version integer not null references programme_version,
  digest text,
  primary key (benefit_id, version)
);

create table programme_file (
  id integer primary key default 1 check (id = 1),
  content_digest bytea not null,
  taken_at timestamptz not null default clock_timestamp()
);

create table published_limit (
  limit_id text collate "C" primary key,
  counts text not null
);

create table programme_proposal (
  proposal_id uuid primary key,
  base_version integer not null,
  content_digest bytea not null,
  document text not null,
  note text not null,
  proposed_by text not null,
  proposed_at timestamptz not null default clock_timestamp(),
  state text not null default 'open' check (state in ('open', 'scheduled', 'approved', 'declined', 'failed')),
  decided_by text,
  decided_at timestamptz,
  reason text not null default '',
  failure text not null default '',
  publish_at timestamptz,
  time_zone text,
  acknowledgements text[] not null default '{}',
  leased_until timestamptz not null default '-infinity',
  version integer,
  constraint programme_proposal_age unique (proposed_at, proposal_id)
);

create index proposal_due on programme_proposal (publish_at) where state = 'scheduled';

create table programme_draft (
  draft_id uuid primary key,
  name text not null,
  document text not null,
  base_version integer not null,
  -- Counts the changes: each is made over the revision that its writer has seen.
  revision integer not null default 1,
  begun_by text not null,
  begun_at timestamptz not null default clock_timestamp(),
  changed_by text not null,
  changed_at timestamptz not null default clock_timestamp()
);

create type change_kind as enum ('programme', 'venue', 'member', 'codes', 'sale', 'webhook', 'calculation', 'proposal', 'draft', 'view');

-- Changes for the caches of the gateways. Written under lock_changes, so that revisions become visible in their order.
create table change (
  revision bigint generated always as identity primary key,
  kind change_kind not null,
  id text collate "C" not null,
  changed_at timestamptz not null default clock_timestamp()
);
create index change_age on change (changed_at);

create type change_context as (actor text, call text, request_id uuid);

-- Request ids that were used, each with its reply. An empty reply is never visible: its own transaction fills it in.
create table change_request (
  request_id uuid primary key,
  call text not null,
  digest bytea not null,
  reply text not null,
  made_at timestamptz not null default clock_timestamp()
);
create index change_request_age on change_request (made_at);

create table audit_record (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  call text not null,
  request_id uuid,
  subject_kind change_kind not null,
  subject_id text collate "C" not null,
  before text,
  after text,
  -- Why a person made the change; null where its own columns hold a reason. The call gives it as a setting of its transaction, so
  -- that no function of a change has to pass it on.
  reason text default nullif(current_setting('lps.reason', true), '')
);
create index audit_of_subject on audit_record (subject_kind, subject_id, audit_id);
