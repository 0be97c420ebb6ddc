-- Order of locks in all functions: request id, lock_changes, members by id, wrong codes, voucher grants, codes, calculations by id (new and stored ones
-- alike, or two batches that supersede each other's calculations could deadlock), the POS's transaction (advisory), counters by
-- (limit_id, subject, period), accounts by (member_id, currency_id), import references, visits, sales. Returns lock the ladder between members and accounts.
--
-- Each change_* function and upsert_members makes one administrative change, called by make_change:
--   p_by                    who asks, with which call and request id
--   p_member, p_loyalty_id  where both are there: one of them names the member, the other is null
--   p_dry_run               changes nothing and stores no request id
-- It replies {"kind":"done"} with the fields listed at the function, or refuses with another reply: then nothing is written. A reply of
-- another kind that it returns is documented at the function, and is stored too.

-- Makes an administrative change once: a second call with its request id waits for the first, and gets the stored reply or
-- {"kind":"request_id_conflict"}.
--   p_digest  SHA-256 of the request
--   p_change  the name of its function, p_args its arguments behind p_by as texts, JSON
create or replace function make_change(p_by change_context, p_digest bytea, p_change text, p_args json) returns json
language plpgsql as $$
declare
  v_args text[] := array(select json_array_elements_text(p_args));
  v_call text := (
    select format('select %s($1%s)', p.oid::regproc, string_agg(format(', $2[%s]::%s', t.place - 1, t.type::regtype), '' order by t.place))
    from pg_proc p cross join unnest(p.proargtypes) with ordinality t (type, place)
    where p.oid = p_change::regproc and t.place > 1
    group by p.oid
  );
  v_reply json;
begin
  v_reply := claim_request(p_by, p_digest);
  if v_reply is null then
    execute v_call into v_reply using p_by, v_args;
    perform store_reply(p_by, v_reply);
  end if;
  return v_reply;
exception when sqlstate 'LY002' then
  get stacked diagnostics v_call = pg_exception_detail;
  return v_call::json;
end
$$;

-- Ends a change with this reply and undoes what it has done, its request id included; null: nothing happens.
create or replace function refuse(p_reply json) returns void
language plpgsql as $$
begin
  if p_reply is not null then
    raise exception 'refused' using errcode = 'LY002', detail = p_reply::text;
  end if;
end
$$;

-- Claims a request id for one administrative change; a second call with it waits for the first. Replies null: make the change; else the
-- stored reply, or {"kind":"request_id_conflict"}.
create or replace function claim_request(p_by change_context, p_digest bytea) returns json
language plpgsql as $$
declare
  v_request change_request;
begin
  loop
    insert into change_request (request_id, call, digest, reply) values (p_by.request_id, p_by.call, p_digest, '')
    on conflict do nothing;
    if found then
      return null;
    end if;
    select r.* into v_request from change_request r where r.request_id = p_by.request_id;
    exit when found;
  end loop;
  if v_request.call = p_by.call and v_request.digest = p_digest then
    return v_request.reply;
  end if;
  return '{"kind":"request_id_conflict"}';
end
$$;

-- Stores the reply to repeats of a change; the first one stays.
create or replace function store_reply(p_by change_context, p_reply json) returns void
language sql as $$
  update change_request r set reply = p_reply::text where r.request_id = p_by.request_id and r.reply = ''
$$;

-- Locks the change feed for all who write to it, so that no revision becomes visible below one that was already read.
create or replace function lock_changes() returns void
language sql as $$
  select pg_advisory_xact_lock(hashtextextended('loyalty change feed', 0))
$$;

-- Removes loyalty ids from the change feed. An empty id means every member: a cache that has not read so far drops them all.
create or replace function erase_changes(p_loyalty_ids text[]) returns void
language sql
-- Sessions turn sequential scans off (planning.ts), but the feed is short and has no index on id.
set enable_seqscan = on
as $$
  update change c set id = '' where c.kind = 'member' and c.id = any (p_loyalty_ids)
$$;

create or replace function add_audit(p_by change_context, p_kind change_kind, p_subject text, p_before text, p_after text) returns void
language sql as $$
  insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
  values (p_by.actor, p_by.call, p_by.request_id, p_kind, p_subject, p_before, p_after)
$$;

-- Adds the audit records of subjects whose snapshots differ, and counts the named ones.
create or replace function add_audits(
  p_by change_context, p_kind change_kind, p_ids text[], p_before text[], p_after text[], p_named text[],
  out created integer, out changed integer
)
language sql as $$
  with recorded as (
    insert into audit_record (actor, call, request_id, subject_kind, subject_id, before, after)
    select p_by.actor, p_by.call, p_by.request_id, p_kind, c.id, c.before, c.after
    from unnest(p_ids, p_before, p_after) c (id, before, after)
    where c.before is distinct from c.after
    order by c.id
    returning subject_id, before
  )
  select (select count(*) from recorded r where r.before is null)::integer,
    (
      select count(*) from (
        select r.subject_id from recorded r where r.before is not null intersect select unnest(p_named)
      ) named
    )::integer
$$;
