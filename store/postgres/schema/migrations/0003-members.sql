
create table member (
  member_id text collate "C" primary key,
  body text not null,
  blocked boolean generated always as (strpos(body, '"blocked":true') > 0) stored
);

create table member_loyalty_id (
  loyalty_id text collate "C" primary key,
  member_id text collate "C" not null references member
);
create index loyalty_id_of_member on member_loyalty_id (member_id);

create table past_loyalty_id (
  member_id text collate "C" not null,
  loyalty_id text collate "C" not null,
  primary key (member_id, loyalty_id),
  unique (loyalty_id, member_id)
);

create table published_member (
  member_id text collate "C" primary key
);

-- How far each ForgetMember is, for ever.
create table forgetting (
  request_id uuid primary key,
  asked_at timestamptz not null default clock_timestamp(),
  completed_at timestamptz
);

-- Members whose forgetting is not complete. A calculation may be on its way to the ledger while its member is forgotten, so
-- complete_erasure erases once more after it has arrived, and deletes the row. A member that was enrolled again and forgotten again has
-- a row for each request.
create table erasure (
  request_id uuid not null references forgetting,
  member_id text collate "C" not null,
  loyalty_ids text[] not null,
  -- Makes the names that replace its ids in documents: secret, and gone with the row.
  name_seed uuid not null default gen_random_uuid(),
  asked_at timestamptz not null default clock_timestamp(),
  primary key (request_id, member_id)
);

-- HMAC-SHA256 of each forgotten id (forgotten_digest), so that a programme does not enrol it again. Without a key a short id could
-- be guessed from its digest.
create table forgotten (
  digest bytea primary key,
  forgotten_at timestamptz not null default clock_timestamp()
);

create table forgetting_key (
  id integer primary key default 1 check (id = 1),
  inner_key bytea not null,
  outer_key bytea not null
);

-- A member that is gone because its value and history went to another one; never a chain: where that one is merged, this row follows.
create table merged_member (
  member_id text collate "C" primary key,
  into_id text collate "C" not null,
  merged_at timestamptz not null default clock_timestamp()
);
create index merged_into on merged_member (into_id);

-- Loyalty ids that came with a merged member, until an import of their present member names one of them: its sender has then seen
-- the merge.
create table merged_loyalty_id (
  loyalty_id text collate "C" primary key,
  member_id text collate "C" not null,
  into_id text collate "C" not null
);
create index merged_loyalty_id_of on merged_loyalty_id (into_id);

create table venue (
  venue_id text collate "C" primary key,
  body text not null,
  -- Part of the body, which may hold a long price list, and texts that json refuses. Quotes inside its strings are escaped, so this
  -- matches only the field.
  time_zone text generated always as (substring(body from '"timeZone":"([^"\\]*)"')) stored,
  -- Part of the body, too: the start of the day, after midnight.
  day_starts interval not null generated always as (
    make_interval(mins => coalesce(substring(body from '"dayStartsAt":(\d+)'), '0')::integer)
  ) stored,
  -- Since when the venue has its time zone and day: earlier sales may have counted on another day.
  zone_since timestamptz not null default clock_timestamp()
);

create table bax (
  bax_id text collate "C" primary key,
  venue_id text collate "C" not null references venue
);
create index bax_of_venue on bax (venue_id);
