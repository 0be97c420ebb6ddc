
create table experiment (
  experiment_id text collate "C" primary key,
  name text not null,
  body text not null,
  until_at timestamptz,
  -- When its sales count: from its begin to its end, without the times in which the programme in force did not have it.
  runs tstzmultirange not null
);

create table experiment_member (
  experiment_id text collate "C" not null,
  member_id text collate "C" not null,
  arm_id text collate "C" not null,
  currency text not null,
  entered_at timestamptz not null,
  counted boolean not null default false,
  left_out boolean not null default false,
  entry integer not null default 0,
  -- It came 8 weeks before its entry, and paid so much in these; else 0.
  past integer not null default 0,
  spend bigint not null default 0,
  -- Since its entry, in minor units; net is less refunds, and so are discounts in proportion. given: by benefits of the experiment.
  visits bigint not null default 0,
  net bigint not null default 0,
  refunded bigint not null default 0,
  discount bigint not null default 0,
  given bigint not null default 0,
  primary key (experiment_id, member_id)
) with (fillfactor = 80);
create index experiment_of_member on experiment_member (member_id, experiment_id);
create index experiment_entry on experiment_member (experiment_id, member_id) where not counted and not left_out;
create index experiment_left_out on experiment_member (experiment_id) where left_out;

create table experiment_sum (
  experiment_id text collate "C" not null,
  arm_id text collate "C" not null,
  currency text collate "C" not null,
  day date not null,
  figure text collate "C" not null,
  amount numeric not null,
  primary key (experiment_id, arm_id, currency, day, figure)
) with (fillfactor = 80);

create table experiment_return (
  return_id bigint primary key
);

create table experiment_withheld (
  calculation_id uuid not null,
  experiment_id text collate "C" not null,
  arm_id text collate "C" not null,
  currency text collate "C" not null,
  leased_until timestamptz not null default '-infinity',
  primary key (calculation_id, experiment_id)
);
