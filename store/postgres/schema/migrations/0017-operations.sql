-- What somebody on call and reports need: traffic by the minute, how fast limits go, and who got a benefit.

-- What all gateways answered to baskets in a minute. Each process adds what it counted, once. Deleted after two days (prune_traffic).
create table traffic_minute (
  minute timestamptz primary key,
  -- Those that have added what they counted: an attempt that is repeated adds nothing.
  processes uuid[] not null,
  -- Baskets by outcome, such as {"applied": 12}.
  outcomes jsonb not null,
  -- Baskets by the upper bound of the time of their answer in seconds, such as {"0.005": 10, "+Inf": 2}; each basket once.
  times jsonb not null
);

-- A counter begins with nothing taken. Null: it was there before this column.
alter table limit_counter add column created_at timestamptz;
alter table limit_counter alter column created_at set default clock_timestamp();

-- What was taken of the counters of limits for everyone or a venue, every ten minutes where it changes (sample_limits). Of more than a day
-- ago the last of every six hours stays, of more than a week ago the newest.
create table limit_sample (
  counter_id bigint not null,
  at timestamptz not null,
  taken bigint not null,
  primary key (counter_id, at)
);

-- When samples were last taken. One row; whoever locks it takes them.
create table limit_sampling (
  id integer primary key default 1 check (id = 1),
  sampled_at timestamptz not null default '-infinity'
);
insert into limit_sampling default values;

-- == Reach: how many different members got a benefit ==

-- The last two local days on which a member got a benefit; written by sum_sales alone, deleted with the member.
create table benefit_member (
  member_id text collate "C" not null,
  benefit_id text collate "C" not null,
  last_day date not null,
  -- Null: there was none.
  day_before date,
  primary key (member_id, benefit_id)
) with (fillfactor = 90);

-- How many members got a benefit on a day, at all venues together, by how long ago each had got it before. Those who got it within a
-- stretch of days are those whose day before lies before the stretch. No member is named.
create table benefit_reach (
  benefit_id text collate "C" not null,
  day date not null,
  -- Their day before is more than 400 days ago, or there was none.
  first bigint not null,
  -- The n-th: their day before was n days ago.
  again bigint[] not null,
  primary key (day, benefit_id)
) with (fillfactor = 70);

-- Sales that were summed before are in no reach.
alter table sums_state add column reach_since timestamptz not null default clock_timestamp();
