-- Stores calculations of a gateway's journal (keep_calculations). Replies the ids for which another answer is stored.
--   p_bytes  digest, packed, inputs and explanation of the first record, then of the second, and so on: as arrays they took a third of
--            the time of a batch to read
--   p_ends   where each of them ends in p_bytes, four a record
--   p_plans  as of join_sale
create or replace function store_journal_batch(
  p_records json, p_bytes bytea, p_ends integer[], p_expiry_s integer, p_plans json
) returns uuid[]
language plpgsql as $$
declare
  v_digests bytea[];
  v_packed bytea[];
  v_inputs bytea[];
  v_explanations bytea[];
begin
  select array_agg(b.part order by b.place) filter (where b.place % 4 = 1),
    array_agg(b.part order by b.place) filter (where b.place % 4 = 2),
    array_agg(b.part order by b.place) filter (where b.place % 4 = 3),
    array_agg(b.part order by b.place) filter (where b.place % 4 = 0)
  into v_digests, v_packed, v_inputs, v_explanations
  from (
    select e.place, substring(p_bytes from e.start + 1 for e.ends - e.start) as part
    from (
      select u.place, u.ends, coalesce(p_ends[u.place - 1], 0) as start from unnest(p_ends) with ordinality as u (ends, place)
    ) e
  ) b;
  if keep_calculations(p_records, v_digests, v_packed, v_inputs, v_explanations, p_expiry_s, p_plans) = json_array_length(p_records) then
    return '{}';
  end if;
  return array(
    select c.calculation_id
    from rows from (
      json_to_recordset(p_records) as (calculation_id uuid), unnest(v_digests), unnest(v_packed)
    ) as r (calculation_id, digest, packed)
    join calculation c on c.calculation_id = r.calculation_id
    join calculation_body b on b.day = c.body_day and b.calculation_id = c.calculation_id
    where b.digest <> r.digest or b.packed <> r.packed
    order by c.calculation_id
  );
end
$$;

-- Stores calculations without limited benefits (store_calculations), and joins sales that came before them. Replies how many are new.
create or replace function keep_calculations(
  p_records json, p_digests bytea[], p_packed bytea[], p_inputs bytea[], p_explanations bytea[], p_expiry_s integer, p_plans json
) returns integer
language plpgsql as $$
declare
  v_superseded uuid[] := array(
    select r.supersedes_calculation_id
    from json_to_recordset(p_records) as r (supersedes_calculation_id uuid)
    where r.supersedes_calculation_id is not null
  );
  v_stored uuid[];
  v_sold uuid[];
begin
  if v_superseded <> '{}' then
    perform lock_calculations(
      v_superseded || array(select r.calculation_id from json_to_recordset(p_records) as r (calculation_id uuid))
    );
  end if;
  v_stored := store_calculations(p_records, p_digests, p_packed, p_inputs, p_explanations, false, p_expiry_s);
  perform supersede_calculations(v_stored);
  v_sold := array(select s.calculation_id from sale s where s.calculation_id = any (v_stored) order by s.calculation_id);
  if v_sold <> '{}' then
    -- All of them together, so that two batches lock them in the same order.
    perform lock_accounts(array_agg(c.member_id), array_agg(n.currency_id))
    from calculation c
    cross join lateral unnest(planned_currencies(p_plans -> c.calculation_id::text)) n (currency_id)
    where c.calculation_id = any (v_sold) and c.member_id is not null
    having count(*) > 0;
    perform lock_visits(array(select c.member_id from calculation c where c.calculation_id = any (v_sold)));
    perform join_sale(s.id, p_plans) from unnest(v_sold) as s (id) order by s.id;
  end if;
  return cardinality(v_stored);
end
$$;

-- The bases of sales that came before these calculations (p_records as of store_calculations), JSON by calculation id.
create or replace function joining_bases(p_records json) returns json
language sql stable as $$
  select coalesce(json_object_agg(s.calculation_id, b.basis) filter (where b.basis is not null), '{}')
  from json_populate_recordset(null::calculation, p_records) c
  join sale s on s.calculation_id = c.calculation_id
  cross join lateral sale_basis(s, c, null) b (basis)
$$;

create or replace function join_sale(p_calculation uuid, p_plans json) returns void
language plpgsql as $$
declare
  v_calculation calculation;
  v_sale sale;
  v_discrepancies text[];
begin
  select s.* into v_sale from sale s where s.calculation_id = p_calculation;
  if not found then
    return;
  end if;
  select c.* into strict v_calculation from calculation c where c.calculation_id = p_calculation;
  select t.discrepancies into v_discrepancies
  from settle_sale(v_sale, v_calculation, v_sale.recorded_at, null, p_plans -> p_calculation::text) t;
  update sale s
  set discrepancies = v_discrepancies || array(select w from unnest(s.discrepancies) w where w in ('earning_unknown', 'value_full')),
    joined_at = clock_timestamp()
  where s.calculation_id = p_calculation;
  insert into joined_sale (calculation_id) values (p_calculation) on conflict do nothing;
end
$$;
