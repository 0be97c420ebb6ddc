
create type sale_status as enum ('applied', 'unchanged', 'member_not_found', 'failed', 'cancelled');
create type sale_result as enum ('recorded', 'unknown_calculation');

create table sale (
  calculation_id uuid primary key,
  receipt_number bigint,
  paid_total bigint,
  loyalty_discount_total bigint,
  recorded_at timestamptz not null,
  -- When its calculation was stored after it.
  joined_at timestamptz,
  claimed_at timestamptz,
  status sale_status not null,
  result sale_result not null,
  loyalty_id_sent boolean not null,
  currency text not null,
  channel text not null,
  occurred_at text not null,
  failure_reason text,
  transaction_id text,
  loyalty_id text collate "C",
  venue_id text collate "C",
  bax_id text collate "C",
  cash_register_id text collate "C",
  discrepancies text[] not null,
  settled text[] not null default '{}',
  settled_at timestamptz,
  settled_by text,
  settled_note text,
  digest bytea not null,
  body bytea not null,
  -- Place in the feed of sales. Given after the commit (place_sales): a number taken before it could become visible below one that
  -- was already read.
  feed_place bigint
);
create index sale_age on sale (recorded_at, calculation_id);
create index sale_of_venue on sale (venue_id, recorded_at, calculation_id) where venue_id is not null;
create index sale_of_loyalty_id on sale (loyalty_id) where loyalty_id is not null;
create index sale_discrepancy on sale (recorded_at, calculation_id) where discrepancies <> '{}';
create unique index sale_feed on sale (feed_place) where feed_place is not null;
create index sale_unplaced on sale (recorded_at, calculation_id) where feed_place is null;
create index sale_receipt on sale (receipt_number) where receipt_number is not null;
-- A register may count its transactions anew every day, so one id is in many sales (claim_transaction).
create index sale_transaction on sale (transaction_id, venue_id, cash_register_id, coalesce(paid_total, -1))
  where transaction_id is not null;

-- == Returns (4-member-value 5) ==

create table sale_ladder (
  calculation_id uuid primary key,
  -- JSON (StoredLadder of engine/value). Only a claim changes it.
  ladder text not null
);

create table ladder_basket (
  calculation_id uuid primary key,
  member_id text collate "C" not null,
  packed bytea not null,
  facts text not null
);
create index ladder_basket_of_member on ladder_basket (member_id);

create table sale_return (
  return_id bigint generated always as identity primary key,
  calculation_id uuid not null,
  reference text collate "C" not null,
  -- JSON array of [position in the ladder, quantity in thousandths], ascending.
  lines text not null,
  refund bigint not null check (refund >= 0),
  -- JSON array of its parts, in the order of lines.
  line_refunds text not null,
  as_paid_refund bigint not null,
  kept_refund bigint,
  -- JSON arrays of {currencyId, amount, debt, forgiven}.
  taken_back text not null default '[]',
  given_back text not null default '[]',
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  actor text not null,
  unique (calculation_id, reference)
);
create index sale_return_age on sale_return (recorded_at, return_id);

create table pos_return (
  pos_return_id uuid primary key,
  return_id bigint not null unique references sale_return,
  digest bytea not null,
  body bytea not null
);

create table ladder_sweep (
  id integer primary key default 1 check (id = 1),
  recorded_at timestamptz not null default '-infinity',
  calculation_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Until then one gateway works on the next ones.
  leased_until timestamptz not null default '-infinity'
);
insert into ladder_sweep default values;
