-- Gateways that answer from Redis before the ledger has what they answered, and who waits for it.

-- A gateway counts as living while its lease lasts. It answers from Redis alone only while uses_front is true here.
create table gateway (
  gateway_id uuid primary key,
  -- The lease has been held without a gap since then.
  held_since timestamptz not null,
  held_until timestamptz not null,
  uses_front boolean not null,
  -- Everything that this gateway answered before it saw this wish is in the ledger.
  flushed_through bigint not null
);

-- Wishes that every gateway writes into the ledger what it has answered, numbered; one row.
create table flush_wish (
  only_row boolean primary key default true check (only_row),
  number bigint not null
);
insert into flush_wish (number) values (0);

-- One gateway reports, and learns how the others stand. Without news it reads only; its lease is renewed a few times before it ends.
--   p_flushed          the wish through which its own answers are in the ledger
--   p_wish             whether it makes a wish of its own
--   wished             the newest wish, its own included
--   flushed_by_others  the wish through which all others have written; null: nobody else answers from Redis
-- While this gateway has not held its own lease for a whole one, the ledger may have been out of reach for all: nobody counts as gone.
create function meet_gateways(
  p_gateway uuid, p_uses_front boolean, p_flushed bigint, p_wish boolean, p_lease_ms integer,
  out wished bigint, out flushed_by_others bigint
)
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_lease interval := make_interval(secs => p_lease_ms / 1000.0);
  v_own gateway;
begin
  select f.number into wished from flush_wish f;
  -- A promoted standby may not have the newest wishes: what was written for those says nothing of the wishes to come.
  if p_flushed > wished then
    p_flushed := 0;
  end if;
  select g.* into v_own from gateway g where g.gateway_id = p_gateway;
  if not found or v_own.held_until not between v_now + v_lease * 2 / 3 and v_now + v_lease
    or v_own.uses_front <> p_uses_front or v_own.flushed_through <> p_flushed
  then
    perform require_durable();
    delete from gateway g where g.held_until < v_now - interval '1 hour';
    insert into gateway as g (gateway_id, held_since, held_until, uses_front, flushed_through)
    values (p_gateway, v_now, v_now + v_lease, p_uses_front, p_flushed)
    on conflict (gateway_id) do update set
      held_since = case when g.held_until < v_now then v_now else g.held_since end,
      held_until = excluded.held_until, uses_front = excluded.uses_front, flushed_through = excluded.flushed_through
    returning g.* into v_own;
  end if;
  if p_wish then
    perform require_durable();
    update flush_wish f set number = f.number + 1 returning f.number into wished;
  end if;
  select min(g.flushed_through) into flushed_by_others
  from gateway g
  where g.gateway_id <> p_gateway and g.uses_front
    and (g.held_until >= v_now or v_own.held_since + v_lease > v_now);
end
$$;

-- A gateway ends and has written everything.
create function leave_gateways(p_gateway uuid) returns void
language plpgsql as $$
begin
  perform require_durable();
  delete from gateway g where g.gateway_id = p_gateway;
end
$$;

-- As keep_calculations; replies the ids whose stored answer is another one.
create function keep_journalled(
  p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[], p_expiry_s integer
) returns uuid[]
language plpgsql as $$
begin
  if keep_calculations(p_records, p_digests, p_packed, p_inputs, p_explanations, p_expiry_s) = json_array_length(p_records) then
    return '{}';
  end if;
  return array(
    select c.calculation_id
    from rows from (
      json_to_recordset(p_records) as (calculation_id uuid), unnest(p_digests), unnest(p_packed)
    ) as r (calculation_id, digest, packed)
    join calculation c on c.calculation_id = r.calculation_id
    join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
    where b.digest <> r.digest or b.packed <> r.packed
    order by c.calculation_id
  );
end
$$;
