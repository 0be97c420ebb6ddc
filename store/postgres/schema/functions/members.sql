create or replace function member_snapshot(p_member text) returns text
language sql stable as $$
  select '{"loyaltyIds":' || coalesce((
      select json_agg(l.loyalty_id order by l.loyalty_id)::text from member_loyalty_id l where l.member_id = m.member_id
    ), '[]') || ',"profile":' || m.body || '}'
  from member m where m.member_id = p_member
$$;

create or replace function snapshot_loyalty_ids(p_snapshot text) returns json
language sql immutable as $$
  select case when strpos(p_snapshot, ',"profile":') > 0 then
    (split_part(p_snapshot, ',"profile":', 1) || '}')::json -> 'loyaltyIds'
  end
$$;

-- Loyalty ids that a change moved between this member and another, a JSON array of {loyaltyId, from, to}. They are read from the record
-- of the other member, which goes when that one is forgotten.
create or replace function audit_cards(p_request uuid, p_member text, p_before text, p_after text) returns json
language sql stable as $$
  with had as (
    select l.id from json_array_elements_text(snapshot_loyalty_ids(p_before)) l (id)
  ), has as (
    select l.id from json_array_elements_text(snapshot_loyalty_ids(p_after)) l (id)
  ), moved as (
    (select a.id, true as is_gained from has a except select h.id, true from had h)
    union all
    (select h.id, false from had h except select a.id, false from has a)
  )
  select coalesce(json_agg(json_build_object(
      'loyaltyId', m.id, 'from', case when m.is_gained then o.subject_id else p_member end,
      'to', case when m.is_gained then p_member else o.subject_id end
    ) order by m.id), '[]')
  from moved m
  cross join lateral (
    select p.member_id from past_loyalty_id p where p.loyalty_id = m.id
    union
    select x.member_id from member_loyalty_id x where x.loyalty_id = m.id
  ) c
  join audit_record o on o.subject_kind = 'member' and o.subject_id = c.member_id and o.request_id = p_request
  where c.member_id <> p_member
    and m.id in (
      select json_array_elements_text(snapshot_loyalty_ids(case when m.is_gained then o.before else o.after end))
    )
    and m.id not in (
      select json_array_elements_text(snapshot_loyalty_ids(case when m.is_gained then o.after else o.before end))
    )
$$;

create or replace function change_block(p_by change_context, p_member text, p_blocked boolean) returns json
language plpgsql as $$
declare
  v_before text;
begin
  perform lock_changes();
  v_before := member_snapshot(p_member);
  perform refuse('{"kind":"unknown_member"}') where v_before is null;
  update member m set body = member_body(json_build_object('blocked', p_blocked)::text, m.body) where m.member_id = p_member;
  if member_snapshot(p_member) <> v_before then
    perform add_audit(p_by, 'member', p_member, v_before, member_snapshot(p_member));
    insert into change (kind, id)
    select 'member', l.loyalty_id from member_loyalty_id l where l.member_id = p_member order by l.loyalty_id;
  end if;
  return '{"kind":"done"}';
end
$$;

create or replace function member_hints(p_member text) returns json
language plpgsql stable as $$
begin
  return (
    select json_build_object('balances', coalesce((
      select json_object_agg(b.currency_id, b.amount)
      from (
        select a.currency_id, sum(l.amount)::bigint as amount
        from account a join lot l on l.account_id = a.account_id
        where a.member_id = p_member and l.opens_at <= statement_timestamp() and l.expires_at > statement_timestamp()
        group by a.currency_id
      ) b
    ), '{}'),
    'holds', coalesce((
      select json_agg(json_build_object('calculationId', h.calculation_id, 'currencyId', a.currency_id, 'amount', h.amount))
      from account a join value_hold h on h.account_id = a.account_id
      where a.member_id = p_member and h.held_until > statement_timestamp()
    ), '[]'),
    'visits', coalesce(v.visits, 0),
    'lastVisitAt', milliseconds(v.last_at),
    'birthdayPeriods', coalesce((
      select json_object_agg(b.limit_id, b.period)
      from (
        select k.limit_id, max(k.period) as period from limit_counter k
        where k.subject = p_member and k.period like 'birthday-%' group by k.limit_id
      ) b
    ), '{}'),
    'tier', (select t.tier_id from member_tier(p_member) t))
    from (select) one left join member_visits v on v.member_id = p_member
  );
end
$$;

-- The member that has the value of a member now: itself, or the one that it was merged into; an unknown one as named. It is protected from
-- being merged or forgotten until the end of the transaction.
create or replace function living_member(p_member text) returns text
language plpgsql as $$
declare
  v_member text := p_member;
begin
  loop
    perform 1 from member m where m.member_id = v_member for key share;
    if found then
      return v_member;
    end if;
    select g.into_id into v_member from merged_member g where g.member_id = p_member;
    if not found then
      return p_member;
    end if;
    -- It may be merged meanwhile, or forgotten: then there is none to follow.
    exit when not exists (select from member m where m.member_id = v_member);
  end loop;
  return v_member;
end
$$;

-- Finds a member by its id or by a loyalty id (the other is null), and protects it from being forgotten or merged until the end of the
-- transaction. Replies its id; null: there is none.
create or replace function lock_member(p_member text, p_loyalty_id text) returns text
language sql volatile as $$
  select m.member_id from member m where m.member_id = named_member(p_member, p_loyalty_id) for key share
$$;

create or replace function named_member(p_member text, p_loyalty_id text) returns text
language sql stable as $$
  select coalesce(p_member, (select l.member_id from member_loyalty_id l where l.loyalty_id = p_loyalty_id))
$$;

create or replace function change_note(p_by change_context, p_member text, p_loyalty_id text) returns json
language plpgsql as $$
declare
  v_member text;
begin
  v_member := lock_member(p_member, p_loyalty_id);
  perform refuse('{"kind":"unknown_member"}') where v_member is null;
  perform add_audit(p_by, 'member', v_member, null, null);
  return '{"kind":"done"}';
end
$$;

-- Writes to the audit records that a member is exported. Replies {pastLoyaltyIds, mergedMemberIds}, ascending.
create or replace function note_export(p_by change_context, p_member text) returns json
language plpgsql as $$
begin
  perform add_audit(p_by, 'member', p_member, null, null);
  return json_build_object(
    'pastLoyaltyIds', (
      select coalesce(json_agg(p.loyalty_id order by p.loyalty_id), '[]') from past_loyalty_id p
      where p.member_id = p_member and not exists (
        select from member_loyalty_id l where l.member_id = p_member and l.loyalty_id = p.loyalty_id
      )
    ),
    'mergedMemberIds', (
      select coalesce(json_agg(g.member_id order by g.member_id), '[]') from merged_member g where g.into_id = p_member
    )
  );
end
$$;
