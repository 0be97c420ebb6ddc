-- The tables of returns (4-member-value 5). The functions that work on them are in ../functions, one per file.

-- What returns need of a sale, for ever: its calculation, body and sale may be gone. Returns of a sale hold the lock of its row.
create table sale_ladder (
  calculation_id uuid primary key,
  -- JSON: `lines` of [lineId, quantity, net, due, free], `rules` with positions in `lines`, and `spent` of {currencyId, per, amount, times,
  -- lines}, which has [position, units]. Only a claim changes its rules.
  ladder text not null
);

-- A return that was recorded. Never changed.
create table sale_return (
  return_id bigint generated always as identity primary key,
  calculation_id uuid not null,
  reference text collate "C" not null,
  -- JSON array of [position in the ladder, quantity in thousandths], ascending.
  lines text not null,
  -- Minor units.
  refund bigint not null check (refund >= 0),
  -- What would be refunded if the kept basket were priced anew. Null: its body was gone.
  kept_refund bigint,
  -- JSON arrays of {currencyId, amount, debt, forgiven}.
  taken_back text not null default '[]',
  given_back text not null default '[]',
  occurred_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  -- Name of the token.
  actor text not null,
  unique (calculation_id, reference)
);
create index sale_return_age on sale_return (recorded_at, return_id);

-- How far the sweep that stores ladders has come: every sale recorded before has one, or none can be had. One row.
create table ladder_sweep (
  id integer primary key default 1 check (id = 1),
  recorded_at timestamptz not null default '-infinity',
  calculation_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- Until then one gateway works on the next ones.
  leased_until timestamptz not null default '-infinity'
);
insert into ladder_sweep default values;

-- Returns look for what a sale has used of another calculation's holds.
create index value_hold_used_by on value_hold (used_by) where used_by is not null;
