-- What reports need: what benefits gave, daily sums of sales, and sales by receipt. The functions are in ../functions.

-- JSON rows of [benefit, discount] or [benefit, discount, currency, what it cost]. Null: no benefit applied.
alter table calculation add column gave text;

create index sale_receipt on sale (receipt_number) where receipt_number is not null;
create index sale_transaction on sale (transaction_id) where transaction_id is not null;

-- Of the body, which may hold a long price list, and texts that json refuses. Quotes inside its strings are escaped, so this matches
-- only the field.
alter table venue add column time_zone text generated always as (substring(body from '"timeZone":"([^"\\]*)"')) stored;

-- == Daily sums: of sales, by the local day of their calculation ==
-- One transaction at a time adds to them (sum_sales), so no sale waits for another. What is not added yet is summed when it is read
-- (unsummed_sales). Sums stay when sales are pruned, and hold no member.

-- How far the sums have come. One row; written under the advisory lock of sum_sales.
create table sums_state (
  id integer primary key default 1 check (id = 1),
  -- Every sale up to this one, by recorded_at and id, is in the sums.
  summed_at timestamptz not null default '-infinity',
  summed_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Every sale recorded before next_at is visible once no transaction below next_xid runs.
  next_at timestamptz not null default '-infinity',
  next_xid xid8 not null default '0'
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
  -- Empty in a.
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
  -- As of benefit_sum.
  span sum_span not null,
  venue_id text collate "C" not null,
  day date not null,
  -- An earning rule, or a benefit that costs.
  source_id text collate "C" not null,
  currency_id text collate "C" not null,
  earned bigint not null,
  spent bigint not null,
  primary key (span, venue_id, day, source_id, currency_id)
) with (fillfactor = 90);
create index value_sum_day on value_sum (span, day);

-- There are few of these: of a day at a venue.
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
  discount bigint not null,
  primary key (venue_id, day, currency)
) with (fillfactor = 90);
create index sale_sum_day on sale_sum (day);
