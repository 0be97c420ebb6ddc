-- Forgets a member with those that were merged into it, or loyalty ids that no member has, for the order functions.
--   p_member        null: loyalty ids alone
--   p_venue_limits  as of erase_member
-- Replies counts and `recent`: the calculations of the last hour, whose answers Redis may still have. The stored reply lists none.
-- Locks: the caller holds the request id and lock_changes; calculations, counters, accounts and sales are locked here.
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
  insert into audit_record (actor, call, request_id, subject_kind, subject_id)
  values (p_by.actor, p_by.call, p_by.request_id, 'member', 'forgotten');

  perform make_forgetting_key();
  insert into forgotten (digest)
  select forgotten_digest(k, 'member', p_member) from forgetting_key k where p_member is not null
  union
  select forgotten_digest(k, 'loyalty', l.id) from forgetting_key k, unnest(p_loyalty_ids) l (id)
  on conflict do nothing;
  perform forget_merged(p_by.request_id, p_member, p_venue_limits);

  perform keep_order(p_by, json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', '[]'::json
  ));
  return json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters,
    'recent', v_recent
  );
end
$$;
