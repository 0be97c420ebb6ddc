-- Merges a member into another (merge_members), or lists what that would move.
--   p_from, p_from_loyalty_id, p_into, p_into_loyalty_id  of each pair one; the other is null
--   p_venue_limits                                        as of merge_counters
-- Replies
--   {"kind":"done","accounts","calculations","loyaltyIds","counters","visits","given"}
--   {"kind":"unknown_member","place"}  0: from, 1: into
--   {"kind":"same_member"}, {"kind":"out_of_range","currencyId"}
create or replace function change_merge(
  p_by change_context, p_from text, p_from_loyalty_id text, p_into text, p_into_loyalty_id text,
  p_venue_limits text[], p_dry_run boolean
) returns json
language plpgsql as $$
declare
  v_reply json;
  v_from text;
  v_into text;
begin
  perform lock_changes();
  v_from := coalesce(p_from, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_from_loyalty_id));
  v_into := coalesce(p_into, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_into_loyalty_id));
  perform 1 from member m where m.member_id in (v_from, v_into) order by m.member_id for update;
  perform refuse('{"kind":"unknown_member","place":0}') where not exists (select from member m where m.member_id = v_from);
  perform refuse('{"kind":"unknown_member","place":1}') where not exists (select from member m where m.member_id = v_into);
  perform refuse('{"kind":"same_member"}') where v_from = v_into;
  perform refuse('{"kind":"request_id_conflict"}') where exists (select from movement m where m.cause = 'request:' || p_by.request_id);
  v_reply := merge_members(p_by, v_from, v_into, p_venue_limits);
  perform refuse(v_reply) where p_dry_run;
  return v_reply;
end
$$;

-- Merges a member into another, which keeps its own tier, segments and block, and a given tier if it has one in force. A programme changes
-- neither from then on. The caller holds lock_changes and both members.
create or replace function merge_members(p_by change_context, p_from text, p_into text, p_venue_limits text[]) returns json
language plpgsql as $$
declare
  v_from_before text := member_snapshot(p_from);
  v_into_before text := member_snapshot(p_into);
  v_calculations bigint;
  v_counters json;
  v_accounts json;
  v_loyalty_ids integer;
  v_visits bigint;
  v_given json;
begin
  perform merge_experiments(p_from, p_into);
  perform 1 from calculation c where c.member_id = p_from order by c.calculation_id for update;
  update calculation c set member_id = p_into where c.member_id = p_from;
  get diagnostics v_calculations = row_count;
  update ladder_basket b set member_id = p_into where b.member_id = p_from;
  v_counters := merge_counters(p_from, p_into, p_venue_limits);
  v_accounts := merge_accounts(p_by, p_from, p_into);
  select s.visits, s.given into v_visits, v_given from merge_standing(p_from, p_into) s;
  update wrong_code w set member_id = p_into where w.member_id = p_from;
  insert into voucher_grant (grant_id, member_id)
  select g.grant_id, p_into from voucher_grant g where g.member_id = p_from order by g.grant_id
  on conflict do nothing;
  delete from voucher_grant g where g.member_id = p_from;
  v_loyalty_ids := merge_loyalty_ids(p_from, p_into);
  delete from published_member p where p.member_id in (p_from, p_into);
  update merged_member g set into_id = p_into where g.into_id = p_from;
  insert into merged_member (member_id, into_id) values (p_from, p_into);
  delete from member m where m.member_id = p_from;
  perform merge_reach(p_from, p_into);
  perform add_audit(p_by, 'member', p_from, v_from_before, null);
  perform add_audit(p_by, 'member', p_into, v_into_before, member_snapshot(p_into));
  return json_build_object(
    'kind', 'done', 'accounts', v_accounts, 'calculations', v_calculations, 'loyaltyIds', v_loyalty_ids,
    'counters', v_counters, 'visits', v_visits, 'given', v_given
  );
end
$$;

-- Adds a member's use of its limits to the counters of another, with the reservations. Replies the counters of both that changed, a
-- JSON array of {limitId, subject, period}.
--   p_venue_limits  limits whose counters belong to venues: a venue may have the same id as the member
create or replace function merge_counters(p_from text, p_into text, p_venue_limits text[]) returns json
language plpgsql as $$
declare
  v_from limit_counter;
  v_into bigint;
  v_names json[] := '{}';
begin
  insert into limit_counter (limit_id, subject, period, maximum)
  select k.limit_id, p_into, period_of(k, p_into), k.maximum from limit_counter k
  where k.subject = p_from and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.period
  on conflict do nothing;
  perform 1 from limit_counter k
  where k.subject in (p_from, p_into) and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period
  for update;
  for v_from in
    select k.* from limit_counter k where k.subject = p_from and k.limit_id <> all (p_venue_limits) order by k.limit_id, k.period
  loop
    select k.counter_id into strict v_into from limit_counter k
    where k.limit_id = v_from.limit_id and k.subject = p_into and k.period = period_of(v_from, p_into);
    update reservation r set counter_id = v_into where r.counter_id = v_from.counter_id and r.units > 0;
    update limit_counter k
    set used = k.used + v_from.used, open = k.open + v_from.open, late = k.late + v_from.late,
      merged = k.merged + v_from.used + v_from.open, pruned_used = k.pruned_used + v_from.pruned_used,
      pruned_late = k.pruned_late + v_from.pruned_late
    where k.counter_id = v_into;
    delete from limit_counter k where k.counter_id = v_from.counter_id;
    v_names := v_names
      || json_build_object('limitId', v_from.limit_id, 'subject', p_from, 'period', v_from.period)
      || json_build_object('limitId', v_from.limit_id, 'subject', p_into, 'period', period_of(v_from, p_into));
  end loop;
  return to_json(v_names);
end
$$;

-- The period in which a counter counts for another member: of windows within 180 days that member's (benefits 5), else its own.
create or replace function period_of(p_counter limit_counter, p_member text) returns text
language sql stable as $$
  select coalesce((
    select k.period from limit_counter k
    where p_counter.period like 'birthday-%' and k.limit_id = p_counter.limit_id and k.subject = p_member
      and k.period like 'birthday-%' and abs(substr(k.period, 10)::date - substr(p_counter.period, 10)::date) <= 180
    order by abs(substr(k.period, 10)::date - substr(p_counter.period, 10)::date) limit 1
  ), p_counter.period)
$$;

create or replace function merge_accounts(p_by change_context, p_from text, p_into text) returns json
language plpgsql as $$
declare
  v_currencies text[] := array(select k.currency_id from value_currency k);
  v_had text[] := array(select a.currency_id from account a where a.member_id = p_from);
  v_from account;
  v_into account;
  v_before text;
  v_row json;
  v_rows json[] := '{}';
begin
  perform lock_accounts(
    array_fill(p_from, array[cardinality(v_currencies || v_had)]) || array_fill(p_into, array[cardinality(v_had)]),
    v_currencies || v_had || v_had
  );
  for v_from in
    select a.* from account a
    where a.member_id = p_from and (
      exists (select from entry e where e.account_id = a.account_id)
      or exists (select from earned_total t where t.account_id = a.account_id)
    )
    order by a.currency_id
  loop
    -- A sale may have opened it since they were listed.
    select l.* into strict v_into from lock_accounts(array[p_into], array[v_from.currency_id]) l;
    v_before := account_snapshot(v_into.account_id);
    v_row := merge_account(p_by, p_from, v_from, v_into);
    perform refuse(json_build_object('kind', 'out_of_range', 'currencyId', v_from.currency_id)) where v_row is null;
    v_rows := v_rows || v_row;
    if account_snapshot(v_into.account_id) <> v_before then
      perform audit_accounts(p_by, array[v_into.account_id], array[v_before]);
    end if;
  end loop;
  return to_json(v_rows);
end
$$;

-- Moves an account into another one of the same currency, with its dates: lots with their holds, debt, which is paid at once
-- from free lots, holds of calculations, activations, and the totals of rules. It stays, empty, for its entries.
-- Replies {currencyId, amount, debt, paid, completed}: lots and debt moved, debt paid, units that the sums completed; null: the account
-- would pass 2^53 - 1.
create or replace function merge_account(p_by change_context, p_from_member text, p_from account, p_into account) returns json
language plpgsql as $$
declare
  c_most constant numeric := 9007199254740991;
  v_from bigint := (p_from).account_id;
  v_into bigint := (p_into).account_id;
  v_debt numeric := (p_from).debt::numeric + (p_into).debt;
  v_moved bigint := coalesce((select sum(l.amount) from lot l where l.account_id = v_from), 0);
  v_lots numeric := v_moved + coalesce((select sum(l.amount) from lot l where l.account_id = v_into), 0);
  v_paid numeric := least(v_debt, (select coalesce(sum(l.amount - l.held), 0) from lot l where l.account_id in (v_from, v_into)));
  v_completed bigint;
begin
  if v_lots - v_paid > c_most or v_debt - v_paid > c_most then
    return null;
  end if;
  if v_moved <> (p_from).debt then
    perform add_entry(merge_of(p_by, p_from_member), v_from, 'transferred', (p_from).debt - v_moved);
    perform add_entry(merge_of(p_by, p_from_member), v_into, 'transferred', v_moved - (p_from).debt);
  end if;
  update lot l set account_id = v_into where l.account_id = v_from;
  update value_hold h set account_id = v_into where h.account_id = v_from and h.amount > 0;
  update value_hold_part p set account_id = v_into
  from value_hold h where h.account_id = v_into and h.amount > 0 and p.calculation_id = h.calculation_id and p.account_id = v_from;
  update account a set debt = v_debt - v_paid where a.account_id = v_into;
  perform take_lots(v_into, v_paid::bigint);
  update account a set debt = 0, merged_into = v_into where a.account_id = v_from;
  update account a set merged_into = v_into where a.merged_into = v_from;
  update activation n set from_account = v_into where n.from_account = v_from;
  update activation n set to_account = v_into where n.to_account = v_from;
  v_completed := merge_totals(p_by, p_from_member, v_from, v_into);
  if v_completed is null then
    return null;
  end if;
  return json_build_object(
    'currencyId', (p_from).currency_id, 'amount', v_moved, 'debt', (p_from).debt, 'paid', v_paid, 'completed', v_completed
  );
end
$$;

-- The movement of a merge, added at the first call. p_from, the member that is gone, is its reason.
create or replace function merge_of(p_by change_context, p_from text) returns movement
language plpgsql as $$
declare
  v_movement movement := add_movement('merged', 'request:' || p_by.request_id, p_from, p_by.actor);
begin
  if v_movement.movement_id is null then
    select m.* into strict v_movement from movement m where m.cause = 'request:' || p_by.request_id;
  end if;
  return v_movement;
end
$$;

-- Adds the totals of one account's rules to those of another, with the sales that they counted, and gives the units that the sums
-- complete: up to today's maximum of the rule, opening and expiring as if earned now. They pay debt first. Replies the amount
-- given; null: the account has no room for it.
create or replace function merge_totals(p_by change_context, p_from_member text, p_from bigint, p_into bigint) returns bigint
language plpgsql as $$
declare
  v_rule record;
  v_units numeric;
  v_sum numeric := 0;
  v_at timestamptz := clock_timestamp();
  v_day date;
  v_about date;
  v_period text;
  v_opens_after interval;
  v_expires timestamptz;
begin
  update earned e set account_id = p_into where e.account_id = p_from;
  insert into completed_units as u (account_id, rule_id, day, about, given)
  select p_into, f.rule_id, f.day, f.about, f.given from completed_units f where f.account_id = p_from
  on conflict (account_id, rule_id, day) do update set given = u.given + excluded.given;
  delete from completed_units u where u.account_id = p_from;
  for v_rule in
    select f.*, coalesce(i.total, 0) as other, r.give, r.per, r.every::numeric * 10000 as step, r.terms::json as terms
    from earned_total f
    left join earned_total i on i.account_id = p_into and i.rule_id = f.rule_id
    left join value_rule r on r.rule_id = f.rule_id
    where f.account_id = p_from
    order by f.rule_id
  loop
    delete from earned_total t where t.account_id = p_from and t.rule_id = v_rule.rule_id;
    insert into earned_total as t (account_id, rule_id, total, given, taken, completed)
    values (p_into, v_rule.rule_id, v_rule.total, v_rule.given, v_rule.taken, v_rule.completed)
    on conflict (account_id, rule_id) do update
      set total = t.total + excluded.total, given = t.given + excluded.given, taken = t.taken + excluded.taken,
        completed = t.completed + excluded.completed;
    continue when v_rule.step is null;
    v_units := v_rule.give * (
      div(v_rule.total + v_rule.other, v_rule.step) - div(v_rule.total, v_rule.step) - div(v_rule.other, v_rule.step)
    );
    v_day := local_day(v_at, v_rule.terms ->> 'timeZone', make_interval(mins => (v_rule.terms ->> 'dayStartsAt')::integer));
    v_period := v_rule.terms -> 'maximum' ->> 'period';
    v_about := null;
    if v_period = 'birthday' then
      -- The last one in which either was given something; without one nothing was.
      select max(e.about) into v_about from earned e where e.account_id = p_into and e.rule_id = v_rule.rule_id;
    end if;
    if v_period is not null then
      v_units := least(v_units, (v_rule.terms -> 'maximum' ->> 'amount')::bigint - given_within(
        p_into, v_rule.rule_id, v_period, v_day, v_about
      ));
    end if;
    continue when v_units <= 0;
    insert into completed_units as u (account_id, rule_id, day, about, given)
    values (p_into, v_rule.rule_id, v_day, v_about, v_units)
    on conflict (account_id, rule_id, day) do update set given = u.given + excluded.given;
    update earned_total t set given = t.given + v_units, completed = t.completed + v_units
    where t.account_id = p_into and t.rule_id = v_rule.rule_id;
    v_sum := v_sum + v_units;
    v_opens_after := make_interval(hours => 24 * coalesce((v_rule.terms ->> 'opensAfterDays')::integer, 0));
    v_expires := lot_expiry(v_at, v_rule.terms ->> 'timeZone', (v_rule.terms ->> 'expires')::json);
  end loop;
  if v_sum > account_room(p_into, true) then
    return null;
  end if;
  if v_sum > 0 then
    perform credit(
      merge_of(p_by, p_from_member), p_into, 'issued', v_sum::bigint, v_at + v_opens_after, v_expires, true
    );
  end if;
  return v_sum;
end
$$;

create or replace function merge_reach(p_from text, p_into text) returns void
language plpgsql as $$
begin
  insert into benefit_member as m (member_id, benefit_id, last_day, day_before, redemptions)
  select p_into, f.benefit_id, f.last_day, f.day_before, f.redemptions from benefit_member f where f.member_id = p_from
  order by f.benefit_id
  on conflict (member_id, benefit_id) do update set redemptions = m.redemptions + excluded.redemptions,
    last_day = greatest(m.last_day, excluded.last_day), day_before = (
    select max(d.day) from (values (m.last_day), (m.day_before), (excluded.last_day), (excluded.day_before)) d (day)
    where d.day < greatest(m.last_day, excluded.last_day)
  );
  delete from benefit_member f where f.member_id = p_from;
end
$$;

-- Adds a member's visits to another's, which gets its given tier (JSON of {tierId, until}) unless it has one in force itself.
-- Announces the resulting tier.
create or replace function merge_standing(p_from text, p_into text, out visits bigint, out given json)
language plpgsql as $$
begin
  perform lock_visits(array[p_from, p_into]);
  visits := coalesce((select v.visits from member_visits v where v.member_id = p_from), 0);
  update member_visits v set visits = v.visits + f.visits, last_at = greatest(v.last_at, f.last_at)
  from member_visits f where v.member_id = p_into and f.member_id = p_from;
  delete from member_visits v where v.member_id = p_from;
  if not exists (select from given_tier g where g.member_id = p_into and g.until > clock_timestamp())
    and exists (select from given_tier g where g.member_id = p_from and g.until > clock_timestamp())
  then
    delete from given_tier g where g.member_id = p_into;
    update given_tier g set member_id = p_into where g.member_id = p_from
    returning json_build_object('tierId', g.tier_id, 'until', milliseconds(g.until)) into given;
  end if;
  delete from given_tier g where g.member_id = p_from;
  delete from announced_tier a where a.member_id = p_from;
  perform announce_tier(p_into);
end
$$;

create or replace function merge_loyalty_ids(p_from text, p_into text) returns integer
language plpgsql as $$
declare
  v_moved text[];
begin
  with moved as (
    update member_loyalty_id l set member_id = p_into where l.member_id = p_from returning l.loyalty_id
  )
  select coalesce(array_agg(loyalty_id), '{}') into v_moved from moved;
  insert into past_loyalty_id (member_id, loyalty_id)
  select p_into, p.loyalty_id from past_loyalty_id p where p.member_id = p_from
  on conflict do nothing;
  insert into past_loyalty_id (member_id, loyalty_id) select p_from, unnest(v_moved) on conflict do nothing;
  update merged_loyalty_id g set into_id = p_into where g.into_id = p_from;
  insert into merged_loyalty_id (loyalty_id, member_id, into_id)
  select unnest(v_moved), p_from, p_into
  on conflict (loyalty_id) do update set member_id = excluded.member_id, into_id = excluded.into_id;
  insert into change (kind, id)
  select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_into order by l.loyalty_id;
  return cardinality(v_moved);
end
$$;
