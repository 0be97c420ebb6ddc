-- Gives a member a tier until a moment, or ends its given one (p_tier null), and announces the resulting tier.
-- Replies {"kind":"done"} or {"kind":"unknown_member" | "unknown_tier" | "past_end"}.
create or replace function change_tier(
  p_by change_context, p_member text, p_loyalty_id text, p_tier text, p_until timestamptz, p_reason text
) returns json
language plpgsql as $$
declare
  v_member text;
  v_before text;
begin
  perform lock_changes();
  v_member := lock_member(p_member, p_loyalty_id);
  perform refuse('{"kind":"unknown_member"}') where v_member is null;
  perform refuse('{"kind":"unknown_tier"}') where p_tier is not null and not exists (select from value_tier t where t.tier_id = p_tier);
  perform refuse('{"kind":"past_end"}') where p_until <= clock_timestamp();
  v_before := tier_snapshot(v_member);
  delete from given_tier g where g.member_id = v_member;
  insert into given_tier (member_id, tier_id, until, reason)
  select v_member, p_tier, p_until, p_reason where p_tier is not null;
  perform add_audit(
    p_by, 'member', v_member, v_before, coalesce(tier_snapshot(v_member), json_build_object('tier', null, 'reason', p_reason)::text)
  );
  perform lock_visits(array[v_member]);
  perform announce_tier(v_member);
  return '{"kind":"done"}';
end
$$;

create or replace function tier_snapshot(p_member text) returns text
language sql stable as $$
  select json_build_object('tier', g.tier_id, 'until', milliseconds(g.until), 'reason', g.reason)::text
  from given_tier g where g.member_id = p_member
$$;

-- The tier of a member by the ledger's clock.
--   tier_id  null: it has none, or nothing computes one: then the one that is stored with the member counts
--   until    exclusive, if nothing more is earned
--   reason   why it was given; null: it was earned
create or replace function member_tier(p_member text, out tier_id text, out until timestamptz, out reason text)
language plpgsql stable as $$
declare
  v_now timestamptz := clock_timestamp();
  v_tier value_tier;
begin
  if not exists (select from value_tier) then
    return;
  end if;
  select g.tier_id, g.until, g.reason into tier_id, until, reason
  from given_tier g where g.member_id = p_member and g.until > v_now;
  if found then
    return;
  end if;
  for v_tier in select t.* from value_tier t order by t.rank desc loop
    until := (
      select tier_until(a.account_id, v_tier, v_now) from account a
      where a.member_id = p_member and a.currency_id = v_tier.currency_id
    );
    if until > v_now then
      tier_id := v_tier.tier_id;
      return;
    end if;
  end loop;
  until := null;
end
$$;

-- Until when an account keeps a tier if nothing more is earned: the first moment (UTC) after the day that lies keep_months after the
-- last day on which it qualified, or will have. Each sale counts for window_months from when it was recorded. Null: it has not qualified
-- for so long that it cannot matter.
create or replace function tier_until(p_account bigint, p_tier value_tier, p_now timestamptz) returns timestamptz
language plpgsql stable as $$
begin
  return (
    with counted as (
      select e.recorded_at at time zone 'UTC' as at, e.given - e.taken as amount
      from earned e
      where e.account_id = p_account and e.given <> e.taken
        -- A few days more, because months differ in length.
        and e.recorded_at > p_now - make_interval(months => p_tier.window_months + p_tier.keep_months, days => 5)
    ), changes as (
      select x.at, x.amount
      from counted c
      cross join lateral (values (c.at, c.amount), (c.at + make_interval(months => p_tier.window_months), -c.amount)) as x (at, amount)
      -- Most tiers are out of reach of most members: then nothing is sorted.
      where (select sum(greatest(p.amount, 0)) from counted p) >= p_tier.amount
    ), sums as (
      -- For changes at one moment each row has the sum after all of them.
      select c.at, sum(c.amount) over (order by c.at) as amount from changes c
    ), missed as (
      select min(s.at) as at from sums s
      where s.at > (select max(q.at) from sums q where q.amount >= p_tier.amount)
    )
    select (
      date_trunc('day', m.at - interval '1 microsecond') + make_interval(months => p_tier.keep_months) + interval '1 day'
    ) at time zone 'UTC'
    from missed m
  );
end
$$;

-- Adds the event of a member's tier if it differs from the one announced last. The caller has locked the member's visits in a
-- statement of its own: so this one sees the earning of others.
create or replace function announce_tier(p_member text) returns void
language plpgsql as $$
declare
  v_tier record;
  v_before text;
begin
  if not exists (select from member m where m.member_id = p_member) then
    return;
  end if;
  select t.tier_id, t.until into v_tier from member_tier(p_member) t;
  select a.tier_id into v_before from announced_tier a where a.member_id = p_member;
  if v_tier.tier_id is distinct from v_before then
    perform add_event('tier.changed', p_member, json_build_object(
      'tierId', v_tier.tier_id, 'previousTierId', v_before, 'until', milliseconds(v_tier.until)
    ));
  end if;
  if v_tier.tier_id is null then
    delete from announced_tier a where a.member_id = p_member;
    return;
  end if;
  -- Each sale moves the end: then the row stays, and announce_tiers looks again when the old end has come.
  insert into announced_tier as a (member_id, tier_id, lapses_at) values (p_member, v_tier.tier_id, v_tier.until)
  on conflict (member_id) do update set tier_id = excluded.tier_id, lapses_at = excluded.lapses_at
  where a.tier_id <> excluded.tier_id or a.lapses_at > excluded.lapses_at or a.lapses_at <= clock_timestamp();
end
$$;

create or replace function announce_tier_of_sale(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_member text;
begin
  if not exists (select from value_tier) then
    return;
  end if;
  select min(a.member_id) into v_member
  from earned e join account a on a.account_id = e.account_id
  where e.calculation_id = p_calculation and e.given > 0
    and a.currency_id in (select t.currency_id from value_tier t);
  if v_member is not null then
    perform lock_visits(array[v_member]);
    perform announce_tier(v_member);
  end if;
end
$$;

-- Announces the tiers of at most p_max members whose time is over, the longest over first. Replies how many.
create or replace function announce_tiers(p_max integer) returns integer
language plpgsql as $$
declare
  v_member text;
  v_count integer := 0;
begin
  for v_member in
    select v.member_id from member_visits v
    where v.member_id in (
      select a.member_id from announced_tier a where a.lapses_at <= clock_timestamp() order by a.lapses_at limit p_max
    )
    order by v.member_id
    for update skip locked
  loop
    perform announce_tier(v_member);
    v_count := v_count + 1;
  end loop;
  return v_count;
end
$$;
