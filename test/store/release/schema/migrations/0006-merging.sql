-- Members that were merged into others, and sales that were claimed for a member.

-- A member that is gone because its value and history went to another one; never a chain: where that one is merged, this row follows.
create table merged_member (
  member_id text collate "C" primary key,
  into_id text collate "C" not null,
  merged_at timestamptz not null default clock_timestamp()
);
create index merged_into on merged_member (into_id);

-- Loyalty ids that came with a merged member, until an import of the member that has them now names one of them: from then on the
-- system that sends the import knows of the merge.
create table merged_loyalty_id (
  loyalty_id text collate "C" primary key,
  member_id text collate "C" not null,
  into_id text collate "C" not null
);
create index merged_loyalty_id_of on merged_loyalty_id (into_id);

-- Where the value of a merged member's account went; the account stays for its entries. Null: nowhere.
alter table account add column merged_into bigint;
create index account_merged_into on account (merged_into) where merged_into is not null;

-- The part of `given` that no sale was given: units that the totals of two members completed together.
alter table earned_total add column completed bigint not null default 0;

-- Of it, what was given on each day of the rule's venue: it counts towards the maximum of that day, week or month.
create table completed_units (
  account_id bigint not null,
  rule_id text collate "C" not null,
  day date not null,
  given bigint not null,
  primary key (account_id, rule_id, day)
);

-- JSON of {opensAfterDays, expires, maximum, timeZone} as in the newest programme that had the rule, for what no sale gives.
alter table value_rule add column terms text not null default '{}';

-- When somebody claimed the sale for a member (order_sale_claim). Null: nobody.
alter table sale add column claimed_at timestamptz;

-- The part of `used` and `open` that came with merged members: together they may have passed the maximum.
alter table limit_counter add column merged bigint not null default 0;
