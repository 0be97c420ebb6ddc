-- Stores calculations without limited benefits, and joins sales that came before them.
--   arguments  as of store_calculations
-- Replies how many are new. Locks: calculations, counters, accounts, visits, sales.
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
    -- Of all of them together, so that two batches lock them in the same order.
    perform lock_accounts(array_agg(c.member_id), array_agg(r.currency_id))
    from sale s
    join calculation c on c.calculation_id = s.calculation_id
    cross join lateral earning_rules(c.earning::jsonb, s.status = 'applied') r
    where s.calculation_id = any (v_sold) and c.member_id is not null
    having count(*) > 0;
    perform lock_visits(array(select c.member_id from calculation c where c.calculation_id = any (v_sold)));
    perform join_sale(s.id) from unnest(v_sold) as s (id) order by s.id;
  end if;
  return cardinality(v_stored);
end
$$;
