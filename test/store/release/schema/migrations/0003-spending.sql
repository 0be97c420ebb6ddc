-- What calculations take of accounts, for benefits that cost value.

alter table calculation
  -- JSON of what its benefits cost the member. Null: nothing.
  add column spending text,
  -- Minor units of discounts of ours that the basket carried as sent, from an earlier answer.
  add column carried bigint not null default 0;

-- What a calculation takes of an account, for all its benefits together. Changes only under the lock of its account. What was used stays
-- as long as the movements do.
create table value_hold (
  calculation_id uuid not null,
  account_id bigint not null,
  amount bigint not null check (amount > 0),
  -- Null unless open.
  held_until timestamptz,
  state reservation_state not null default 'open',
  -- Another calculation, whose basket was charged as sent and carried the discounts of this one: its sale used this hold.
  used_by uuid,
  primary key (calculation_id, account_id),
  check ((held_until is not null) = (state = 'open'))
);
create index value_hold_open on value_hold (account_id, held_until) where held_until is not null;
-- `amount > 0` is always true; only the recount asks for it, so no other statement uses this index.
create index value_hold_of_account on value_hold (account_id) where amount > 0;

-- From which lots it is held, or was used, in the order taken. What became debt has none, and neither has what was released.
create table value_hold_part (
  calculation_id uuid not null,
  account_id bigint not null,
  place integer not null,
  lot_id bigint not null,
  amount bigint not null check (amount > 0),
  -- Of the lot, which may be gone.
  opens_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (calculation_id, account_id, place)
);
