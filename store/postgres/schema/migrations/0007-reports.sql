-- Daily sums of sales, by the local day of their calculation.
-- One transaction at a time adds to them (sum_sales), so no sale waits for another. Sales not added yet are summed by each read
-- (unsummed_sales). Sums stay when sales are pruned, and hold no member.

create table sums_state (
  id integer primary key default 1 check (id = 1),
  -- Every sale up to this one, by recorded_at and id, is in the sums.
  summed_at timestamptz not null default '-infinity',
  summed_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Every sale recorded before next_at is visible once no transaction below next_xid runs.
  next_at timestamptz not null default '-infinity',
  next_xid xid8 not null default '0',
  -- Records before this moment may be deleted (prune_records).
  pruned_before timestamptz not null default '-infinity',
  -- Members are counted since then (benefit_reach).
  reach_since timestamptz not null default clock_timestamp()
);
insert into sums_state default values;

-- Sales whose calculation came after them: their benefits may be missing in the sums.
create table joined_sale (
  calculation_id uuid primary key
);

-- v: of a day at a venue. m: of a month at a venue, for long reports. a: of a day, all venues together.
create type sum_span as enum ('v', 'm', 'a');

create table benefit_sum (
  span sum_span not null,
  venue_id text collate "C" not null,
  -- In m: the first of the month.
  day date not null,
  benefit_id text collate "C" not null,
  currency text collate "C" not null,
  calculations bigint not null,
  redemptions bigint not null,
  discount bigint not null,
  paid bigint not null,
  primary key (span, venue_id, day, benefit_id, currency)
) with (fillfactor = 90);
create index benefit_sum_day on benefit_sum (span, day);

create table value_sum (
  span sum_span not null,
  venue_id text collate "C" not null,
  day date not null,
  source_id text collate "C" not null,
  currency_id text collate "C" not null,
  earned bigint not null,
  spent bigint not null,
  primary key (span, venue_id, day, source_id, currency_id)
) with (fillfactor = 90);
create index value_sum_day on value_sum (span, day);

create table sale_sum (
  venue_id text collate "C" not null,
  day date not null,
  currency text collate "C" not null,
  sales bigint not null,
  member_sales bigint not null,
  applied bigint not null,
  failed bigint not null,
  cancelled bigint not null,
  paid bigint not null,
  -- Given by benefits, lower prices and added lines included: the sum of benefit_sum.
  discount bigint not null,
  apart bigint not null,
  primary key (venue_id, day, currency)
) with (fillfactor = 90);
create index sale_sum_day on sale_sum (day);

-- == Reach: how many different members got a benefit ==

create table benefit_member (
  member_id text collate "C" not null,
  benefit_id text collate "C" not null,
  last_day date not null,
  day_before date,
  redemptions bigint not null,
  primary key (member_id, benefit_id)
) with (fillfactor = 90);
create index benefit_member_most on benefit_member (benefit_id, redemptions desc, member_id) where benefit_id <> '';

-- How many members got a benefit on a day, at all venues together, by how long ago each had got it before. Those who got it within a
-- stretch of days are those whose day before lies before the stretch. No member is named.
create table benefit_reach (
  benefit_id text collate "C" not null,
  day date not null,
  first bigint not null,
  again bigint[] not null,
  primary key (day, benefit_id)
) with (fillfactor = 70);
