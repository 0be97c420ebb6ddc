-- Locks the accounts of these members and currencies, creates missing ones, releases holds of expired calculations, and writes
-- expiries. A merged member has the account of the member that it was merged into.
--   p_members, p_currencies  of each account; the same length, in any order, repeats allowed
-- Replies the accounts, without those whose member was forgotten meanwhile. Where a member was merged while its account was waited for,
-- the one that has its value is locked after the others.
create or replace function lock_accounts(p_members text[], p_currencies text[]) returns setof account
language plpgsql as $$
begin
  return query select a.* from unnest(locked_accounts(p_members, p_currencies)) a;
end
$$;

-- lock_accounts with an array as reply: a sale passes it on, and rows would be collected twice.
create or replace function locked_accounts(p_members text[], p_currencies text[]) returns account[]
language plpgsql as $$
declare
  v_members text[] := p_members;
  v_accounts account[];
  v_ids bigint[];
  v_account account;
  v_now timestamptz;
  v_soon timestamptz;
  v_ended uuid[];
  v_locked account[] := '{}';
begin
  -- Joined: for `not exists` the planner could read all accounts.
  if exists (
    select from unnest(p_members, p_currencies) n (member_id, currency_id)
    left join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    left join merged_member g on g.member_id = n.member_id
    where a.account_id is null or g.member_id is not null
  ) then
    v_members := array(
      select coalesce(g.into_id, n.member_id) from unnest(p_members) with ordinality n (member_id, place)
      left join merged_member g on g.member_id = n.member_id
      order by n.place
    );
    insert into account (member_id, currency_id)
    select distinct n.member_id collate "C", n.currency_id collate "C"
    from unnest(v_members, p_currencies) n (member_id, currency_id)
    where not exists (select from account a where a.member_id = n.member_id and a.currency_id = n.currency_id)
    order by 1, 2
    on conflict do nothing;
  end if;
  select array_agg(l), array_agg(l.account_id) into v_accounts, v_ids
  from (
    select a.*
    from (select distinct n.member_id, n.currency_id from unnest(v_members, p_currencies) n (member_id, currency_id)) n
    join account a on a.member_id = n.member_id and a.currency_id = n.currency_id
    order by a.member_id, a.currency_id
    for update of a
  ) l;

  v_now := clock_timestamp();
  v_soon := v_now + interval '7 days';
  -- Most accounts have nothing to follow, release, write or announce: one query finds that for all of them.
  if not (
    exists (select from merged_member g where g.member_id = any (v_members))
    or exists (select from value_hold h where h.account_id = any (v_ids) and h.held_until <= v_now)
    or exists (
      select from lot l
      where l.account_id = any (v_ids) and (
        (l.expires_at <= v_soon and (not l.expiry_announced or (l.expires_at <= v_now and l.amount > l.held)))
        or (l.awaits_opening and l.opens_at <= v_now)
      )
    )
  ) then
    return v_accounts;
  end if;
  foreach v_account in array coalesce(v_accounts, '{}') loop
    if exists (select from merged_member g where g.member_id = v_account.member_id) then
      v_locked := v_locked || locked_accounts(array[v_account.member_id], array[v_account.currency_id]);
      continue;
    end if;
    v_ended := array(select h.calculation_id from value_hold h where h.account_id = v_account.account_id and h.held_until <= v_now);
    if v_ended <> '{}' then
      perform release_value(v_ended, array[v_account.account_id]);
    end if;
    perform expire_lots(array[v_account.account_id]);
    v_locked := v_locked || v_account;
  end loop;
  return v_locked;
end
$$;

create or replace function account_available(p_account bigint) returns bigint
language plpgsql as $$
begin
  return (
    select coalesce(sum(l.amount - l.held), 0) from lot l where l.account_id = p_account and l.opens_at <= clock_timestamp()
  );
end
$$;

-- The amount that can still be credited to an account: it never passes 2^53 - 1.
--   p_pays_debt  the credit pays debt first
create or replace function account_room(p_account bigint, p_pays_debt boolean) returns bigint
language plpgsql stable as $$
begin
  return (
    select 9007199254740991 - coalesce((select sum(l.amount) from lot l where l.account_id = p_account), 0)::bigint
      + case when p_pays_debt then a.debt else 0 end
    from account a where a.account_id = p_account
  );
end
$$;

create or replace function account_sums(
  p_account bigint, p_at timestamptz, out available bigint, out pending bigint, out held bigint
)
language sql stable as $$
  select
    coalesce(sum(l.amount - l.held) filter (where l.opens_at <= p_at and l.expires_at > p_at), 0)::bigint,
    coalesce(sum(l.amount - l.held) filter (where l.opens_at > p_at), 0)::bigint,
    coalesce(sum(l.held), 0)::bigint
  from (
    select o.amount, o.opens_at, o.expires_at, o.held - ended_holds(o, p_at) as held from lot o where o.account_id = p_account
  ) l
$$;

create or replace function account_snapshot(p_account bigint) returns text
language sql volatile as $$
  select json_build_object(
    'currencyId', a.currency_id, 'available', s.available, 'pending', s.pending, 'held', s.held, 'debt', a.debt
  )::text
  from account a, account_sums(a.account_id, clock_timestamp()) s
  where a.account_id = p_account
$$;

-- Adds an audit record for each of these accounts.
--   p_before  account_snapshot of each before the change, in the same order
--   p_more    other fields of `after`
create or replace function audit_accounts(p_by change_context, p_accounts bigint[], p_before text[], p_more jsonb default null)
returns void
language sql as $$
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  select p_by.actor, p_by.call, p_by.request_id, 'member', a.member_id, n.before,
    coalesce((account_snapshot(a.account_id)::jsonb || p_more)::text, account_snapshot(a.account_id))
  from unnest(p_accounts, p_before) with ordinality n (account_id, before, place)
  join account a on a.account_id = n.account_id
  order by n.place
$$;

create or replace function add_movement(p_kind movement_kind, p_cause text, p_reason text, p_actor text) returns movement
language plpgsql as $$
declare
  v_movement movement;
begin
  insert into movement (kind, cause, reason, actor) values (p_kind, p_cause, p_reason, p_actor)
  on conflict (cause) do nothing
  returning * into v_movement;
  return v_movement;
end
$$;

create or replace function add_entry(p_movement movement, p_account bigint, p_against system_account, p_amount bigint) returns void
language plpgsql as $$
begin
  perform add_entries(p_movement, p_against, array[row (p_account, p_amount, null, null)::value_credit]);
end
$$;

-- Adds entries of a movement, each the amount to its account and the opposite to the system account, and the event of each. The caller
-- holds the accounts, and changes lots and debt by the same amounts. The event of an import has no cause, which may name the member.
--   p_credits  each account once; an amount below 0 takes. Opening and expiry do not matter
create or replace function add_entries(p_movement movement, p_against system_account, p_credits value_credit[]) returns void
language plpgsql as $$
declare
  v_kind text := (p_movement).kind;
begin
  with added as (
    insert into entry (movement_id, account_id, amount, at, against)
    select (p_movement).movement_id, n.account_id, n.amount, (p_movement).at, p_against
    from unnest(p_credits) n
    returning account_id, amount
  )
  insert into event (at, type, member_id, body)
  select (p_movement).at,
    case when v_kind in ('activated', 'cancelled', 'used') then value_event_type(v_kind, p_against, a.account_id)
      else 'value.' || v_kind end,
    case when v_kind <> 'forfeited' then a.member_id end,
    json_build_object(
      'currencyId', a.currency_id, 'amount', n.amount, 'movementId', (p_movement).movement_id,
      'cause', case when v_kind <> 'imported' then (p_movement).cause end
    )::text
  from added n join account a on a.account_id = n.account_id;
end
$$;

create or replace function value_event_type(p_kind text, p_against system_account, p_account bigint) returns text
language plpgsql stable as $$
begin
  return (
    select case p_kind
      when 'activated' then case when p_against = 'issued' then 'reward.activated' else 'value.spent' end
      when 'cancelled' then case when p_against = 'issued' then 'reward.cancelled' else 'value.returned' end
      else case
        when exists (
          select from account a join value_exchange x on x.to_currency_id = a.currency_id where a.account_id = p_account
        ) then 'reward.used' else 'value.spent'
      end
    end
  );
end
$$;

create or replace function credit(
  p_movement movement, p_account bigint, p_against system_account, p_amount bigint,
  p_opens_at timestamptz, p_expires_at timestamptz, p_pays_debt boolean
) returns void
language plpgsql as $$
begin
  perform credit_accounts(
    p_movement, p_against, array[row (p_account, p_amount, p_opens_at, p_expires_at)::value_credit], p_pays_debt
  );
end
$$;

-- Credits accounts, which the caller holds: adds the entries, pays debt first, and puts the rest into lots.
--   p_credits      each account once; amounts from 1 to account_room, expiries after the opening and after the movement
--   p_pays_debt    false only for an import, or where no account has debt
--   p_calculation  the sale that gives it; null: none
create or replace function credit_accounts(
  p_movement movement, p_against system_account, p_credits value_credit[], p_pays_debt boolean, p_calculation uuid default null
) returns void
language plpgsql as $$
begin
  perform add_entries(p_movement, p_against, p_credits);
  if p_pays_debt then
    p_credits := array(
      select row (n.account_id, pay_debt(n.account_id, n.amount), n.opens_at, n.expires_at)::value_credit from unnest(p_credits) n
    );
  end if;
  perform fill_lots((p_movement).at, p_credits, p_calculation);
end
$$;

create or replace function debit(p_movement movement, p_account bigint, p_against system_account, p_amount bigint)
returns setof lot
language plpgsql as $$
begin
  return query select * from take_available(p_account, (p_movement).at, p_amount);
  perform add_entry(p_movement, p_account, p_against, -p_amount);
end
$$;

create or replace function pay_debt(p_account bigint, p_amount bigint) returns bigint
language plpgsql as $$
declare
  v_debt bigint := (select a.debt from account a where a.account_id = p_account);
begin
  if v_debt = 0 then
    return p_amount;
  end if;
  update account a set debt = a.debt - least(a.debt, p_amount) where a.account_id = p_account;
  return p_amount - least(v_debt, p_amount);
end
$$;

create or replace function report_liability() returns table (currency_id text, expiry_month text, amount bigint)
language sql stable
-- It reads whole tables, for which planning.ts turns the right plans off.
set enable_seqscan = on
set enable_hashjoin = on
as $$
  select s.currency_id, m.name, least(s.amount, 9223372036854775807)::bigint
  from (
    select a.currency_id, date_trunc('month', (l.expires_at - interval '1 microsecond') at time zone 'UTC') as month,
      sum(case when l.expires_at > statement_timestamp() then l.amount else l.held - ended_holds(l, statement_timestamp()) end)
        as amount
    from lot l
    join account a on a.account_id = l.account_id
    where l.expires_at > statement_timestamp() or l.held > ended_holds(l, statement_timestamp())
    group by 1, 2
  ) s
  cross join lateral (select case when s.month < 'infinity' then to_char(s.month, 'YYYY-MM') else '' end as name) m
  order by s.currency_id, m.name collate "C"
$$;
