
create table value_currency (
  currency_id text collate "C" primary key,
  name text not null,
  scale integer not null check (scale between 0 and 4),
  -- JSON of {expires, timeZone} as published last, for value given without a sale; as in `value_rule`.
  terms text not null default '{}'
);

-- A member's value in one currency. Everything below changes only under the lock of its row. System accounts have no row: their
-- sums are the sums of `entry`.
create table account (
  account_id bigint generated always as identity primary key,
  member_id text collate "C" not null,
  currency_id text collate "C" not null,
  debt bigint not null default 0 check (debt >= 0),
  -- Where the value of a merged member's account went; the account stays for its entries. Null: nowhere.
  merged_into bigint,
  unique (member_id, currency_id)
) with (fillfactor = 80);
create index account_merged_into on account (merged_into) where merged_into is not null;

-- One sequence for lots and movements: the movement of a lot that expires has the id of the lot, and so it has an id before it is
-- written.
create sequence value_id;

create table lot (
  lot_id bigint primary key default nextval('value_id'),
  account_id bigint not null,
  amount bigint not null check (amount > 0),
  held bigint not null default 0 check (held between 0 and amount),
  opens_at timestamptz not null,
  expires_at timestamptz not null default 'infinity',
  -- The activation that gave it, which may be cancelled: nothing else is added to such a lot. Null: no activation.
  activation_id bigint,
  -- The sale that gave it, while it is pending: a return of that sale takes it first. Null: no sale; open lots may have any.
  calculation_id uuid,
  -- Its opening is still to be announced (announce_lots).
  awaits_opening boolean not null default false,
  expiry_announced boolean not null default false,
  check (opens_at < expires_at)
) with (fillfactor = 80);
create index lot_of_account on lot (account_id, expires_at, lot_id);
create index lot_expiry on lot (expires_at) where expires_at < 'infinity';
create index lot_opening on lot (opens_at) where awaits_opening;
create index lot_expiring on lot (expires_at) where not expiry_announced and expires_at < 'infinity';

create type movement_kind as enum (
  'adjusted', 'transferred', 'imported', 'expired', 'forfeited', 'earned', 'issued', 'claimed', 'activated', 'cancelled', 'used',
  'returned', 'merged'
);
create type system_account as enum ('adjusted', 'transferred', 'imported', 'expired', 'forfeited', 'issued', 'redeemed');

-- Why value moved. Never changed or deleted; forgetting a member removes reason and import reference.
create table movement (
  movement_id bigint primary key default nextval('value_id'),
  kind movement_kind not null,
  at timestamptz not null default clock_timestamp(),
  cause text collate "C" not null unique,
  reason text not null default '',
  actor text not null default ''
);

-- The change of one account by a movement, and the opposite of it on a system account: so each row sums to zero by itself. A transfer is two
-- rows against `transferred`, which sum to zero.
create table entry (
  movement_id bigint not null,
  account_id bigint not null,
  amount bigint not null check (amount <> 0),
  at timestamptz not null,
  against system_account not null,
  primary key (movement_id, account_id, against)
);
create index entry_of_account on entry (account_id, at, movement_id);

create type value_credit as (
  account_id bigint,
  amount bigint,
  opens_at timestamptz,
  expires_at timestamptz
);

-- == Rewards: exchanges, and codes that members claim ==

create table value_exchange (
  from_currency_id text collate "C" not null,
  to_currency_id text collate "C" not null,
  exchange_id text collate "C" not null,
  from_amount bigint not null check (from_amount > 0),
  to_amount bigint not null check (to_amount > 0),
  valid_days integer,
  primary key (from_currency_id, to_currency_id)
);

create table activation (
  activation_id bigint primary key,
  from_account bigint not null,
  to_account bigint not null,
  from_amount bigint not null,
  to_amount bigint not null
);
create index activation_of_account on activation (from_account);

create table activation_part (
  activation_id bigint not null,
  place bigint not null,
  amount bigint not null check (amount > 0),
  opens_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (activation_id, place)
);

create type code_state as enum ('open', 'claimed', 'void');

-- A code that one member may claim for an amount. It stays for ever, so that no code is imported twice.
create table reward_code (
  digest bytea primary key,
  currency_id text collate "C" not null,
  amount bigint not null check (amount > 0),
  expires_at timestamptz not null,
  state code_state not null default 'open'
);

-- Members that got vouchers under the name of a grant, each once (change_vouchers).
create table voucher_grant (
  grant_id text collate "C" not null,
  member_id text collate "C" not null,
  primary key (grant_id, member_id)
);
create index grant_of_member on voucher_grant (member_id);

create table wrong_code (
  member_id text collate "C" not null,
  at timestamptz not null
);
create index wrong_code_of_member on wrong_code (member_id, at);

create table value_rule (
  rule_id text collate "C" primary key,
  currency_id text collate "C" not null,
  give bigint not null,
  per text not null,
  every bigint,
  -- JSON of {opensAfterDays, expires, maximum, timeZone, dayStartsAt} as in the newest programme that had the rule, for value given without a sale.
  terms text not null default '{}'
);

-- The total of a rule for one account: all that it counted so far and was not returned, each sale times its factor in ten-thousandths,
-- and all that it gave.
-- Changes only under the lock of the account.
create table earned_total (
  account_id bigint not null,
  rule_id text collate "C" not null,
  total numeric not null check (total >= 0),
  given bigint not null,
  completed bigint not null default 0 check (completed between 0 and given),
  taken bigint not null default 0 check (taken between 0 and given),
  primary key (account_id, rule_id)
) with (fillfactor = 80);

-- A rule's count of a sale, and the value given for it. Kept as long as the movements are: cooldowns and maxima read it.
create table earned (
  calculation_id uuid not null,
  rule_id text collate "C" not null,
  account_id bigint not null,
  counted bigint not null check (counted > 0),
  given bigint not null check (given >= 0),
  at timestamptz not null,
  day date not null,
  about date,
  recorded_at timestamptz not null default clock_timestamp(),
  factor integer not null,
  before numeric not null default 0,
  -- The rule had a maximum or a cooldown: a return takes back at most what this sale was given.
  is_limited boolean not null default false,
  returned bigint not null default 0 check (returned between 0 and counted),
  taken bigint not null default 0 check (taken >= 0),
  primary key (calculation_id, rule_id)
);
create index earned_of_account on earned (account_id, rule_id, at);
create index earned_age on earned (account_id, recorded_at);

-- The part given on each day of the rule's venue: it counts towards the maximum of that day, week, month, year or birthday.
create table completed_units (
  account_id bigint not null,
  rule_id text collate "C" not null,
  day date not null,
  about date,
  given bigint not null,
  primary key (account_id, rule_id, day)
);

create table value_hold (
  calculation_id uuid not null,
  account_id bigint not null,
  amount bigint not null check (amount > 0),
  held_until timestamptz,
  state reservation_state not null default 'open',
  used_by uuid,
  primary key (calculation_id, account_id),
  check ((held_until is not null) = (state = 'open'))
);
create index value_hold_open on value_hold (account_id, held_until) where held_until is not null;
-- `amount > 0` is always true; only the recount asks for it, so no other statement uses this index.
create index value_hold_of_account on value_hold (account_id) where amount > 0;
-- Returns look for holds of another calculation that the sale has used.
create index value_hold_used_by on value_hold (used_by) where used_by is not null;

-- The lots from which it is held, or was used, in the order taken. A part that became debt, or was released, has none.
create table value_hold_part (
  calculation_id uuid not null,
  account_id bigint not null,
  place integer not null,
  lot_id bigint not null,
  amount bigint not null check (amount > 0),
  -- Dates of the lot, which may be gone.
  opens_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (calculation_id, account_id, place)
);

create table member_visits (
  member_id text collate "C" primary key,
  -- 0: only locked so far (lock_visits).
  visits bigint not null check (visits >= 0),
  last_at timestamptz
) with (fillfactor = 80);

create table value_tier (
  tier_id text collate "C" primary key,
  rank integer not null unique,
  currency_id text collate "C" not null,
  amount bigint not null check (amount > 0),
  window_months integer not null,
  keep_months integer not null
);

create table given_tier (
  member_id text collate "C" primary key,
  tier_id text collate "C" not null,
  until timestamptz not null,
  reason text not null
);

-- The tier that was announced last of a member that has one, given or earned. Changes only under the lock of the member's visits.
create table announced_tier (
  member_id text collate "C" primary key,
  tier_id text collate "C" not null,
  lapses_at timestamptz not null
);
create index announced_tier_lapse on announced_tier (lapses_at);
