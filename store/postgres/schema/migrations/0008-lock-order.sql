-- One order of locks everywhere. Calculations are locked by their ids, those that are new and those that are there in one row:
-- with the new ones first, two batches that supersede each other's calculations, or a confirmation and a batch, could wait for
-- each other. Then counters by (limit_id, subject, period), then sales. And the discrepancies of a sale are worked out in one place.

-- Locks these calculations in the order of their ids; replies those that are there. Whoever is about to store one of the
-- others waits for this transaction and then sees what it wrote; whoever is storing one now is waited for.
create or replace function lock_calculations(p_calculations uuid[]) returns uuid[]
language plpgsql as $$
declare
  v_id uuid;
  v_locked uuid[] := '{}';
begin
  for v_id in select distinct unnest(p_calculations) as id order by id loop
    loop
      perform 1 from calculation c where c.calculation_id = v_id for update;
      if found then
        v_locked := v_locked || v_id;
        exit;
      end if;
      exit when claim_absence(v_id);
    end loop;
  end loop;
  return v_locked;
end
$$;

-- Stores calculations that hold nothing; those that are there already are left as they are. Replies how many are new.
create or replace function keep_calculations(
  p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[], p_expiry_s integer
) returns integer
language plpgsql as $$
declare
  v_superseded uuid[] := array(
    select r.supersedes_calculation_id
    from json_to_recordset(p_records) as r (supersedes_calculation_id uuid)
    where r.supersedes_calculation_id is not null
  );
  v_stored uuid[];
begin
  perform require_durable();
  if v_superseded <> '{}' then
    perform lock_calculations(
      v_superseded || array(select r.calculation_id from json_to_recordset(p_records) as r (calculation_id uuid))
    );
  end if;
  v_stored := store_calculations(p_records, p_digests, p_packed, p_inputs, p_explanations, false, p_expiry_s);
  perform supersede_calculations(v_stored);
  perform join_sale(s.calculation_id) from sale s where s.calculation_id = any (v_stored) order by s.calculation_id;
  return cardinality(v_stored);
end
$$;

-- As before (0005), but locks what it supersedes first where that has the smaller id.
create or replace function confirm_calculation(
  p_record json, p_digest bytea, p_packed bytea, p_inputs bytea, p_explanation bytea, p_holds json,
  p_expiry_s integer, p_idempotency_s integer, p_deadline timestamptz,
  out reply text, out counters json, out kind text, out digest bytea, out packed bytea
)
language plpgsql as $$
declare
  v_id uuid := p_record ->> 'calculation_id';
  v_supersedes uuid := p_record ->> 'supersedes_calculation_id';
  v_old calculation;
  v_freeing uuid;
  v_freed bigint[] := '{}';
  v_remaining interval := p_deadline - clock_timestamp();
  v_counters bigint[];
  v_units bigint[];
  v_maxima bigint[];
  v_counted boolean;
  v_taken integer;
  v_sold boolean;
  v_superseded boolean;
begin
  reply := 'too_late';
  if v_remaining <= interval '0' then
    return;
  end if;
  perform require_durable();
  perform set_config('lock_timeout', ceil(extract(epoch from v_remaining) * 1000)::text, true);

  if v_supersedes < v_id then
    perform lock_calculations(array[v_supersedes]);
  end if;

  -- The unique key decides: a second call waits here for the first and then finds it, or its place empty again.
  loop
    exit when cardinality(store_calculations(
      json_build_array(p_record), array[p_digest], array[p_packed], array[p_inputs], array[p_explanation], true, p_expiry_s
    )) = 1;
    select 'known', f.kind, f.digest, f.packed into reply, kind, digest, packed
    from find_answer(v_id, p_idempotency_s) f;
    if kind <> 'unknown' then
      return;
    end if;
  end loop;

  if v_supersedes is not null and lock_calculations(array[v_supersedes]) <> '{}' then
    select o.* into strict v_old from calculation o where o.calculation_id = v_supersedes;
    if v_old.state = 'open' and v_old.venue_id = p_record ->> 'venue_id' and v_old.expires_at > clock_timestamp() then
      v_freeing := v_supersedes;
      v_freed := array(select r.counter_id from reservation r where r.calculation_id = v_freeing);
    end if;
  end if;

  -- Whoever comes from now on with either waits for our row; asked before the counters are locked, to hold them shortly.
  v_sold := exists (select from sale s where s.calculation_id = v_id);
  v_superseded := exists (
    select from calculation n where n.supersedes_calculation_id = v_id and n.venue_id = p_record ->> 'venue_id'
  );

  loop
    select coalesce(array_agg(w.counter_id), '{}'), array_agg(w.units), array_agg(w.maximum), bool_and(w.counter_id is not null)
    into v_counters, v_units, v_maxima, v_counted
    from (
      select k.counter_id, sum(h.units)::bigint as units, min(h.maximum) as maximum
      from json_to_recordset(p_holds) as h (limit_id text, subject text, period text, units bigint, maximum bigint)
      left join limit_counter k on k.limit_id = h.limit_id and k.subject = h.subject and k.period = h.period
      group by k.counter_id
    ) w;
    exit when v_counted is not false;
    insert into limit_counter (limit_id, subject, period, maximum)
    select h.limit_id, h.subject, h.period, h.maximum
    from json_to_recordset(p_holds) as h (limit_id text, subject text, period text, maximum bigint)
    order by h.limit_id collate "C", h.subject collate "C", h.period collate "C"
    on conflict do nothing;
  end loop;

  perform 1
  from (select distinct unnest(v_counters || v_freed) as counter_id) h
  join limit_counter k on k.counter_id = h.counter_id
  order by k.limit_id, k.subject, k.period
  for update of k;

  counters := count_left(v_counters, v_units, v_maxima, v_freeing);
  if counters is not null then
    perform release_expired(v_counters);
    counters := count_left(v_counters, v_units, v_maxima, v_freeing);
  end if;
  if counters is not null then
    perform forget_calculation(v_id);
    -- Nothing is lost if this does not last: it writes no more than the giving back of what has expired anyway.
    perform set_config('synchronous_commit', 'off', true);
    reply := 'short';
    return;
  end if;

  if v_freeing is not null then
    perform release_reservations(array[v_freeing]);
    update calculation c set state = 'superseded' where c.calculation_id = v_freeing;
  end if;

  insert into reservation (calculation_id, counter_id, units, held_until)
  select v_id, w.counter_id, w.units, c.expires_at
  from unnest(v_counters, v_units) as w (counter_id, units), calculation c
  where c.calculation_id = v_id;

  update limit_counter k set open = k.open + w.units, maximum = w.maximum
  from unnest(v_counters, v_units, v_maxima) as w (counter_id, units, maximum)
  where k.counter_id = w.counter_id and k.used + k.late + k.open + w.units <= w.maximum;
  get diagnostics v_taken = row_count;
  if v_taken <> cardinality(v_counters) then
    raise exception 'a limit would be passed by %', v_id;
  end if;

  if v_superseded then
    perform release_reservations(array[v_id]);
    update calculation c set state = 'superseded' where c.calculation_id = v_id;
  end if;
  if v_sold then
    perform join_sale(v_id);
  end if;

  if clock_timestamp() >= p_deadline then
    raise exception 'the time to confirm % is over', v_id using errcode = 'LY001';
  end if;
  reply := 'confirmed';
end
$$;

-- Settles a calculation by a sale, and says where the two disagree. The calculation's row is locked.
--   p_at           when the sale came; null: now
--   discrepancies  all words, those of what came too late last
--   freed          counters that got something back
create function settle_sale(
  p_sale sale, p_calculation calculation, p_at timestamptz, out discrepancies text[], out freed bigint[]
)
language plpgsql as $$
begin
  select compare_sale(p_sale, p_calculation) || t.late, t.freed into discrepancies, freed
  from settle_calculation(p_calculation, p_sale.status, p_at) t;
end
$$;

-- Joins a calculation that has just been stored to the sale that came before it, if one did. Its row is locked.
create or replace function join_sale(p_calculation uuid) returns void
language plpgsql as $$
declare
  v_calculation calculation;
  v_sale sale;
  v_discrepancies text[];
begin
  select s.* into v_sale from sale s where s.calculation_id = p_calculation for update;
  if not found then
    return;
  end if;
  select c.* into strict v_calculation from calculation c where c.calculation_id = p_calculation;
  select t.discrepancies into v_discrepancies from settle_sale(v_sale, v_calculation, v_sale.recorded_at) t;
  update sale s
  set discrepancies = v_discrepancies, joined_at = clock_timestamp()
  where s.calculation_id = p_calculation;
end
$$;

-- Records a sale event exactly once (0003).
create or replace function record_sale(
  p_sale json, p_digest bytea, p_body bytea, p_idempotency_s integer,
  out reply text, out discrepancies json, out freed json, out digest bytea, out body bytea, out result sale_result
)
language plpgsql as $$
declare
  v_sale sale := json_populate_record(null::sale, p_sale);
  v_calculation calculation;
  v_known boolean;
  v_freed bigint[] := '{}';
begin
  perform require_durable();
  loop
    select c.* into v_calculation from calculation c where c.calculation_id = v_sale.calculation_id for update;
    v_known := found;
    exit when v_known;
    exit when claim_absence(v_sale.calculation_id);
  end loop;

  -- Every sale of this calculation has waited for its turn by now.
  select
      case when s.recorded_at > clock_timestamp() - make_interval(secs => p_idempotency_s) then 'stored' else 'duplicate' end,
      s.digest, s.body, s.result
    into reply, digest, body, result
    from sale s where s.calculation_id = v_sale.calculation_id;
  if found then
    return;
  end if;

  v_sale.digest := p_digest;
  v_sale.body := p_body;
  v_sale.recorded_at := clock_timestamp();
  if v_known then
    v_sale.result := 'recorded';
    select t.discrepancies, t.freed into v_sale.discrepancies, v_freed from settle_sale(v_sale, v_calculation, null) t;
  else
    v_sale.result := 'unknown_calculation';
    v_sale.discrepancies := array['unknown_calculation'];
  end if;
  insert into sale select v_sale.*;

  reply := v_sale.result;
  discrepancies := to_json(v_sale.discrepancies);
  select coalesce(json_agg(json_build_object('limitId', k.limit_id, 'subject', k.subject, 'period', k.period)), '[]')
    into freed
    from limit_counter k where k.counter_id = any (v_freed);
end
$$;
