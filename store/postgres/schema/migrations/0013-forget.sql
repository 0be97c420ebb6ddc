-- Forgetting a member: its identifiers go, every sum stays.

create index sale_of_loyalty_id on sale (loyalty_id) where loyalty_id is not null;

-- What is still being forgotten. A calculation may be on its way to the ledger while its member is forgotten, so everything is
-- looked through once more when all that was under way has arrived; then the row goes, and with it the last trace.
create table erasure (
  member_id text collate "C" primary key,
  loyalty_ids text[] not null,
  asked_at timestamptz not null default clock_timestamp()
);

-- Takes a member out of what was calculated and sold until p_until. The name that counters get says nothing.
--   p_venue_limits  limits whose counters belong to venues: a venue may be called like the member
create function erase_member(
  p_member text, p_loyalty_ids text[], p_until timestamptz, p_venue_limits text[],
  out calculations bigint, out sales bigint, out counters bigint
)
language plpgsql as $$
declare
  v_name text := 'forgotten-' || gen_random_uuid();
  v_ids uuid[];
begin
  v_ids := array(
    select c.calculation_id from calculation c where c.member_id = p_member and c.answered_at < p_until
    union
    select c.calculation_id from calculation c where c.loyalty_id = any (p_loyalty_ids) and c.answered_at < p_until
    order by 1
  );
  perform 1 from calculation c where c.calculation_id = any (v_ids) order by c.calculation_id for update;
  with erased as (
    update calculation c set member_id = null, loyalty_id = null where c.calculation_id = any (v_ids)
    returning c.calculation_id, c.body_day
  )
  delete from calculation_body b using erased e where b.calculation_id = e.calculation_id and b.day = e.body_day;

  perform 1 from limit_counter k
  where k.subject = p_member and k.limit_id <> all (p_venue_limits)
  order by k.limit_id, k.subject, k.period for update;
  update limit_counter k set subject = v_name where k.subject = p_member and k.limit_id <> all (p_venue_limits);
  get diagnostics counters = row_count;

  -- An event is told from others by its digest, which stays: a repeat is answered, another body is a conflict.
  update sale s set loyalty_id = null, body = '{}'::bytea
  where s.recorded_at < p_until
    and (s.loyalty_id = any (p_loyalty_ids) or (s.calculation_id = any (v_ids) and s.body <> '{}'::bytea));
  get diagnostics sales = row_count;
  calculations := cardinality(v_ids);
end
$$;

-- Forgets a member.
--   {"kind":"done","calculations","sales","counters"}, {"kind":"unknown_member"}
create function order_forgetting(p_by change_context, p_order_digest bytea, p_member text, p_venue_limits text[]) returns json
language plpgsql as $$
declare
  v_reply json := take_order(p_by, p_order_digest);
  v_loyalty_ids text[];
  v_counts record;
begin
  if v_reply is not null then
    return v_reply;
  end if;
  perform lock_changes();
  if not exists (select from member m where m.member_id = p_member) then
    return drop_order(p_by, '{"kind":"unknown_member"}');
  end if;
  v_loyalty_ids := array(select l.loyalty_id from member_loyalty_id l where l.member_id = p_member);
  insert into erasure (member_id, loyalty_ids) values (p_member, v_loyalty_ids)
  on conflict (member_id) do update
    set loyalty_ids = erasure.loyalty_ids || excluded.loyalty_ids, asked_at = clock_timestamp();
  insert into change (kind, id) select 'member', l.id from unnest(v_loyalty_ids) l (id) order by l.id;
  delete from member_loyalty_id l where l.member_id = p_member;
  delete from member m where m.member_id = p_member;
  select e.* into v_counts from erase_member(p_member, v_loyalty_ids, 'infinity', p_venue_limits) e;
  delete from audit_record a where a.subject_kind = 'member' and a.subject_id = p_member;
  insert into audit_record (actor, call, request_id, subject_kind, subject_id)
  values (p_by.actor, p_by.call, p_by.request_id, 'member', 'forgotten');
  return keep_order(p_by, json_build_object(
    'kind', 'done', 'calculations', v_counts.calculations, 'sales', v_counts.sales, 'counters', v_counts.counters
  ));
end
$$;

-- Looks once more through what a member that was forgotten has left behind, and forgets that it was.
create function finish_erasure(p_member text, p_venue_limits text[]) returns void
language plpgsql as $$
declare
  v_erasure erasure;
begin
  select e.* into v_erasure from erasure e where e.member_id = p_member for update;
  if not found then
    return;
  end if;
  perform require_durable();
  -- What came later is somebody else's: a new member may have its card.
  perform erase_member(
    v_erasure.member_id, v_erasure.loyalty_ids, v_erasure.asked_at + interval '1 minute', p_venue_limits
  );
  delete from erasure e where e.member_id = p_member;
end
$$;
