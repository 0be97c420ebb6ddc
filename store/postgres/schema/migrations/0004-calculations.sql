-- Calculations: stored once, confirmed with what they hold, withdrawn, found again.

-- The stored answer of a calculation. Whoever is answered from it keeps it from being withdrawn.
--   kind  stored | outlived (its time is over, or its body is dropped) | unknown
create function find_answer(
  p_calculation uuid, p_idempotency_s integer, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  v_calculation calculation;
begin
  kind := 'unknown';
  select c.* into v_calculation from calculation c where c.calculation_id = p_calculation;
  if not found then
    return;
  end if;
  kind := 'outlived';
  if v_calculation.answered_at <= clock_timestamp() - make_interval(secs => p_idempotency_s) then
    return;
  end if;
  select b.digest, b.packed into digest, packed from calculation_body b
  where b.day = v_calculation.body_day and b.calculation_id = p_calculation;
  if not found then
    -- Its body is dropped, or it was withdrawn between the two looks.
    if not exists (select from calculation c where c.calculation_id = p_calculation) then
      kind := 'unknown';
    end if;
    return;
  end if;
  kind := 'stored';
  if v_calculation.confirmed and not v_calculation.replayed then
    update calculation c set replayed = true where c.calculation_id = p_calculation;
    if not found then
      kind := 'unknown';
      digest := null;
      packed := null;
    end if;
  end if;
end
$$;

-- Stores calculations with their bodies, in the order of their ids; replies which of them were not there before.
--   p_records  JSON array of rows of `calculation`, each id once; the four arrays run parallel to it
create function store_calculations(
  p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[],
  p_confirmed boolean, p_expiry_s integer
) returns uuid[]
language plpgsql as $$
declare
  v_now timestamptz := clock_timestamp();
  v_day date := (v_now at time zone 'UTC')::date;
  v_stored uuid[];
begin
  with stored as (
    insert into calculation (
      calculation_id, supersedes_calculation_id, net_before, net_after, loyalty_discount_total, answered_at, expires_at,
      programme_version, body_day, status, optimal, confirmed, venue_id, bax_id, cash_register_id, channel, currency,
      requested_at, reason, loyalty_id, member_id
    )
    select r.calculation_id, r.supersedes_calculation_id, r.net_before, r.net_after, r.loyalty_discount_total, r.answered_at,
      case when p_confirmed then v_now else r.answered_at end + make_interval(secs => p_expiry_s),
      r.programme_version, v_day, r.status, r.optimal, p_confirmed, r.venue_id, r.bax_id, r.cash_register_id, r.channel,
      r.currency, r.requested_at, r.reason, r.loyalty_id, r.member_id
    from json_populate_recordset(null::calculation, p_records) r
    order by r.calculation_id
    on conflict do nothing
    returning calculation_id
  )
  select coalesce(array_agg(calculation_id), '{}') into v_stored from stored;

  insert into calculation_body (day, calculation_id, digest, packed, inputs, explanation)
  select v_day, b.*
  from rows from (
    json_to_recordset(p_records) as (calculation_id uuid),
    unnest(p_digests), unnest(p_packed), unnest(p_inputs), unnest(p_explanations)
  ) as b (calculation_id, digest, packed, inputs, explanation)
  where b.calculation_id = any (v_stored);
  return v_stored;
end
$$;

-- Locks these calculations in the order of their ids; replies those that are there. Whoever is about to store one of the
-- others waits for this transaction and then sees what it wrote; whoever is storing one now is waited for.
create function lock_calculations(p_calculations uuid[]) returns uuid[]
language plpgsql as $$
declare
  v_id uuid;
  v_locked uuid[];
begin
  for v_id in select distinct unnest(p_calculations) as id order by id loop
    continue when exists (select from calculation c where c.calculation_id = v_id);
    perform claim_absence(v_id);
  end loop;
  select coalesce(array_agg(l.calculation_id), '{}') into v_locked
  from (
    select c.calculation_id
    from (select distinct unnest(p_calculations) as id) w
    join calculation c on c.calculation_id = w.id
    order by c.calculation_id
    for update of c
  ) l;
  return v_locked;
end
$$;

-- Marks what freshly stored calculations supersede, and those of them that were superseded before they came: open, of the
-- same venue, and not expired when the other was answered. A calculation that is superseded holds nothing any more.
create function supersede_calculations(p_stored uuid[]) returns void
language plpgsql as $$
declare
  v_locked uuid[];
  v_superseded uuid[];
begin
  v_locked := lock_calculations(array_remove(array(
    select n.supersedes_calculation_id from calculation n where n.calculation_id = any (p_stored)
  ), null));

  select coalesce(array_agg(distinct p.old) filter (where p.superseded), '{}') into v_superseded
  from (
    select o.calculation_id as old,
      o.state = 'open' and o.venue_id = n.venue_id and n.answered_at < o.expires_at as superseded
    from calculation n join calculation o on o.calculation_id = n.supersedes_calculation_id
    where n.calculation_id = any (p_stored) and o.calculation_id = any (v_locked)
    union all
    select o.calculation_id,
      o.state = 'open' and o.venue_id = n.venue_id and n.answered_at < o.expires_at
    from calculation o join calculation n on n.supersedes_calculation_id = o.calculation_id
    where o.calculation_id = any (p_stored)
  ) p;
  if v_superseded = '{}' then
    return;
  end if;

  perform lock_counters(v_superseded);
  perform release_reservations(v_superseded);
  update calculation c set state = 'superseded' where c.calculation_id = any (v_superseded);
end
$$;

-- Stores calculations that hold nothing; those that are there already are left as they are. Replies how many are new.
create function keep_calculations(
  p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[], p_expiry_s integer
) returns integer
language plpgsql as $$
declare
  v_stored uuid[] := store_calculations(p_records, p_digests, p_packed, p_inputs, p_explanations, false, p_expiry_s);
begin
  perform require_durable();
  perform supersede_calculations(v_stored);
  perform join_sale(s.calculation_id) from sale s where s.calculation_id = any (v_stored) order by s.calculation_id;
  return cardinality(v_stored);
end
$$;
