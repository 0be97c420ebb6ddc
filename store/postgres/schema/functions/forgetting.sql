-- Forgets a member (p_member) with every loyalty id it ever had, or the member that has p_loyalty_id; without one, the loyalty id alone.
--   p_venue_limits  as of erase_member
-- Replies {"kind":"done","calculations","sales","counters","recent"} (see forget_ids) or {"kind":"unknown_member"}.
create or replace function change_forgetting(
  p_by change_context, p_member text, p_loyalty_id text, p_venue_limits text[]
) returns json
language plpgsql as $$
declare
  v_member text;
begin
  perform lock_changes();
  v_member := (select m.member_id from member m where m.member_id = coalesce(
    p_member, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id)
  ));
  perform refuse('{"kind":"unknown_member"}') where v_member is null and p_member is not null;
  return forget_ids(
    p_by, v_member, case when v_member is null then array[p_loyalty_id] else loyalty_ids_ever(v_member) end, p_venue_limits
  );
end
$$;

create or replace function loyalty_ids_ever(p_member text) returns text[]
language sql stable as $$
  select array(
    select h.loyalty_id from (
      select x.loyalty_id from member_loyalty_id x where x.member_id = p_member
      union
      select p.loyalty_id from past_loyalty_id p where p.member_id = p_member
      union
      select c.loyalty_id from calculation c
      where c.member_id = p_member and c.loyalty_id is not null and not exists (
        select from past_loyalty_id p where p.loyalty_id = c.loyalty_id and p.member_id <> p_member
      )
    ) h
    where not exists (
      select from member_loyalty_id x where x.loyalty_id = h.loyalty_id and x.member_id <> p_member
    )
  )
$$;

-- Forgets a member with those that were merged into it, or loyalty ids that no member has (p_member null). The caller holds lock_changes.
-- Replies counts and `recent`: the calculations of the last hour, whose answers Redis may still have. The stored reply lists none.
create or replace function forget_ids(p_by change_context, p_member text, p_loyalty_ids text[], p_venue_limits text[]) returns json
language plpgsql as $$
declare
  v_counts record;
  v_recent json := (
    select coalesce(json_agg(c.calculation_id), '[]') from calculation c
    where (c.member_id = p_member or c.loyalty_id = any (p_loyalty_ids))
      and c.answered_at > clock_timestamp() - interval '1 hour'
  );
  v_current text[] := array(
    select l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id
  );
begin
  insert into forgetting (request_id) values (p_by.request_id);
  insert into erasure (request_id, member_id, loyalty_ids)
  values (p_by.request_id, coalesce(p_member, 'forgotten-' || gen_random_uuid()), p_loyalty_ids);
  perform erase_changes(p_loyalty_ids);
  -- Caches need the plain ids; complete_erasure removes them.
  insert into change (kind, id) select 'member', l.id from unnest(v_current) l (id);
  delete from member_loyalty_id l where l.member_id = p_member;
  delete from member m where m.member_id = p_member;
  select e.* into v_counts from erase_member(p_member, p_loyalty_ids, 'infinity', p_venue_limits) e;

  delete from audit_record a where a.subject_kind = 'member' and a.subject_id = p_member;
  update audit_record a
  set before = snapshot_without(a.before, p_loyalty_ids), after = snapshot_without(a.after, p_loyalty_ids)
  where a.subject_kind = 'member'
    and a.subject_id in (select p.member_id from past_loyalty_id p where p.loyalty_id = any (p_loyalty_ids));
  delete from past_loyalty_id p where p.member_id = p_member or p.loyalty_id = any (p_loyalty_ids);
  delete from published_member p where p.member_id = p_member;
  perform add_audit(p_by, 'member', 'forgotten', null, null);

  perform make_forgetting_key();
  insert into forgotten (digest)
  select forgotten_digest(k, 'member', p_member) from forgetting_key k where p_member is not null
  union
  select forgotten_digest(k, 'loyalty', l.id) from forgetting_key k, unnest(p_loyalty_ids) l (id)
  on conflict do nothing;
  perform forget_merged(p_by.request_id, p_member, p_venue_limits);

  perform store_reply(p_by, json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', '[]'::json
  ));
  return json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', v_recent
  );
end
$$;

create or replace function forget_merged(p_request uuid, p_member text, p_venue_limits text[]) returns void
language plpgsql as $$
declare
  v_merged text;
begin
  for v_merged in select g.member_id from merged_member g where g.into_id = p_member order by g.member_id loop
    insert into erasure (request_id, member_id, loyalty_ids) values (p_request, v_merged, '{}');
    perform erase_member(v_merged, '{}', 'infinity', p_venue_limits);
    delete from audit_record a where a.subject_kind = 'member' and a.subject_id = v_merged;
    delete from past_loyalty_id p where p.member_id = v_merged;
    insert into forgotten (digest) select forgotten_digest(k, 'member', v_merged) from forgetting_key k on conflict do nothing;
  end loop;
  delete from merged_loyalty_id g where g.into_id = p_member;
  delete from merged_member g where g.into_id = p_member;
end
$$;

create or replace function make_forgetting_key() returns void
language plpgsql as $$
declare
  v_random bytea := sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
  );
  v_inner bytea := decode(repeat('36', 64), 'hex');
  v_outer bytea := decode(repeat('5c', 64), 'hex');
begin
  if exists (select from forgetting_key) then
    return;
  end if;
  for at in 0 .. 31 loop
    v_inner := set_byte(v_inner, at, get_byte(v_inner, at) # get_byte(v_random, at));
    v_outer := set_byte(v_outer, at, get_byte(v_outer, at) # get_byte(v_random, at));
  end loop;
  insert into forgetting_key (inner_key, outer_key) values (v_inner, v_outer);
end
$$;

-- The HMAC-SHA256 (RFC 2104) under which an id is remembered. The key is in the database, so a dump without that table reveals no id.
--   p_kind  member, loyalty, import or code: a member id may equal a loyalty id
create or replace function forgotten_digest(p_key forgetting_key, p_kind text, p_id text) returns bytea
language sql immutable as $$
  select sha256((p_key).outer_key || sha256((p_key).inner_key || convert_to(p_kind || ' ' || p_id, 'UTF8')))
$$;

create or replace function forgotten_among(p_kind text, p_ids json) returns setof text
language sql stable as $$
  select i.id
  from forgetting_key k
  cross join json_array_elements_text(p_ids) i (id)
  join forgotten f on f.digest = forgotten_digest(k, p_kind, i.id)
  where exists (select from forgotten)
$$;

create or replace function stands_for_forgotten(p_id text) returns boolean
language sql immutable as $$
  select p_id ~ '^forgotten-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$$;

create or replace function snapshot_without(p_snapshot text, p_loyalty_ids text[]) returns text
language sql immutable as $$
  select case when strpos(p_snapshot, ',"profile":') = 0 then p_snapshot else '{"loyaltyIds":' || coalesce((
      select json_agg(case when l.id = any (p_loyalty_ids) then 'forgotten' else l.id end order by l.place)::text
      from json_array_elements_text(snapshot_loyalty_ids(p_snapshot)) with ordinality l (id, place)
    ), '[]') || substr(p_snapshot, strpos(p_snapshot, ',"profile":')) end
$$;

-- Erases a forgotten member a second time, when calculations that were on their way have arrived. The last `erasure` of a request completes
-- its forgetting.
create or replace function complete_erasure(p_request uuid, p_member text, p_venue_limits text[]) returns void
language plpgsql as $$
declare
  v_erasure erasure;
begin
  perform 1 from forgetting f where f.request_id = p_request for update;
  select e.* into v_erasure from erasure e where e.request_id = p_request and e.member_id = p_member for update;
  if not found then
    return;
  end if;
  -- Later records may belong to a new member with the same card.
  perform erase_member(
    v_erasure.member_id, v_erasure.loyalty_ids, v_erasure.asked_at + interval '1 minute', p_venue_limits
  );
  perform erase_changes(v_erasure.loyalty_ids);
  delete from erasure e where e.request_id = p_request and e.member_id = p_member;
  update forgetting f set completed_at = clock_timestamp()
  where f.request_id = p_request and not exists (select from erasure e where e.request_id = p_request);
end
$$;

-- Removes a member's ids from calculations and sales until p_until; counters of the member get a random name, and so do its accounts,
-- whose value is forfeited. All sums stay. In another member's calculation with such a loyalty id only the loyalty id and the body go. A
-- member that was enrolled again keeps its counters.
--   p_member        null: loyalty ids alone
--   p_venue_limits  limits whose counters belong to venues: a venue may have the same id as the member
create or replace function erase_member(
  p_member text, p_loyalty_ids text[], p_until timestamptz, p_venue_limits text[],
  out calculations bigint, out sales bigint, out counters bigint
)
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_ids uuid[];
begin
  if lock_experiments(array[p_member]) then
    update experiment_member m set member_id = v_name where m.member_id = p_member and m.entered_at < p_until;
  end if;
  v_ids := array(
    select c.calculation_id from calculation c where c.member_id = p_member and c.answered_at < p_until
    union
    select c.calculation_id from calculation c where c.loyalty_id = any (p_loyalty_ids) and c.answered_at < p_until
    order by 1
  );
  perform 1 from calculation c where c.calculation_id = any (v_ids) order by c.calculation_id for update;
  with erased as (
    update calculation c set member_id = nullif(c.member_id, p_member), loyalty_id = null
    where c.calculation_id = any (v_ids)
    returning c.calculation_id, c.body_day
  )
  delete from calculation_body b using erased e where b.calculation_id = e.calculation_id and b.day = e.body_day;
  delete from ladder_basket b where b.calculation_id = any (v_ids);
  -- Their calculations may be gone.
  delete from ladder_basket b where b.member_id = p_member;

  perform 1 from limit_counter k
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period for update;
  update limit_counter k set subject = v_name
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
    and not exists (select from member m where m.member_id = p_member);
  get diagnostics counters = row_count;
  perform forfeit_accounts(p_member);
  perform erase_events(p_member, p_until);
  delete from benefit_member m where m.member_id = p_member;

  -- The digests stay: a repeated event is answered, another one is a conflict.
  update pos_return p set body = '{}'::bytea
  from sale_return r
  where r.calculation_id = any (v_ids) and r.recorded_at < p_until and p.return_id = r.return_id;
  update sale s set loyalty_id = null, body = '{}'::bytea, settled_note = null
  where s.calculation_id in (
    -- A union, so that each part uses its own index; `or` would read all sales by age.
    select x.calculation_id from sale x where x.loyalty_id = any (p_loyalty_ids) and x.recorded_at < p_until
    union
    select x.calculation_id from sale x
    where x.calculation_id = any (v_ids) and x.recorded_at < p_until and x.body <> '{}'::bytea
  );
  get diagnostics sales = row_count;
  calculations := cardinality(v_ids);
end
$$;

-- Removes a member's id from events until p_until, or from all where it is not enrolled again, and from unfinished deliveries, which keep
-- their order under a random name.
create or replace function erase_events(p_member text, p_until timestamptz) returns void
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_until timestamptz := case when exists (select from member m where m.member_id = p_member) then p_until else 'infinity' end;
begin
  update event e set member_id = null where e.member_id = p_member and e.at < v_until;
  update delivery d set member_id = v_name
  from webhook w
  where d.webhook_id = w.webhook_id and d.member_id = p_member and d.state in ('waiting', 'due') and d.since < v_until;
end
$$;

-- Takes everything out of a forgotten member's accounts, with debt and holds, and gives them a random name. Every
-- sum stays. Reasons and import references go, because they may name the member, and so do its wrong codes, visits and given tier; a
-- reference stays used (erased_cause). A member that was enrolled again keeps its accounts.
create or replace function forfeit_accounts(p_member text) returns void
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_account account;
  v_left bigint;
  v_movement movement;
begin
  if exists (select from member m where m.member_id = p_member) then
    return;
  end if;
  delete from wrong_code w where w.member_id = p_member;
  delete from voucher_grant g where g.member_id = p_member;
  delete from given_tier g where g.member_id = p_member;
  for v_account in
    select a.* from account a where a.member_id = p_member order by a.currency_id for update
  loop
    perform release_value(array(
      select h.calculation_id from value_hold h where h.account_id = v_account.account_id and h.held_until is not null
    ), array[v_account.account_id]);
    -- So that a late sale finds nothing to use.
    delete from value_hold h where h.account_id = v_account.account_id and h.amount > 0 and h.state = 'released';
    perform expire_lots(array[v_account.account_id]);
    v_left := coalesce((select sum(l.amount) from lot l where l.account_id = v_account.account_id), 0) - v_account.debt;
    if v_left <> 0 then
      v_movement := add_movement('forfeited', 'account:' || v_account.account_id, '', '');
      perform add_entry(v_movement, v_account.account_id, 'forfeited', -v_left);
    end if;
    delete from lot l where l.account_id = v_account.account_id;
    delete from activation_part p using activation n
    where n.from_account = v_account.account_id and p.activation_id = n.activation_id;
    delete from activation n where n.from_account = v_account.account_id;
    update account a set member_id = v_name, debt = 0 where a.account_id = v_account.account_id;
    perform make_forgetting_key();
    update movement m
    set reason = '', cause = case when m.kind = 'imported' then erased_cause(k, m.cause) else m.cause end
    from forgetting_key k, entry e
    where e.account_id = v_account.account_id and m.movement_id = e.movement_id and (m.reason <> '' or m.kind = 'imported');
  end loop;
  delete from announced_tier a where a.member_id = p_member;
  delete from member_visits v where v.member_id = p_member;
end
$$;

-- True after the lock of the sums is taken: one of these members is in an experiment.
create or replace function lock_experiments(p_members text[]) returns boolean
language plpgsql as $$
begin
  if not exists (select from experiment_member m where m.member_id = any (p_members)) then
    return false;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('loyalty sums', 0));
  return true;
end
$$;
