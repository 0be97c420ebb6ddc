-- Stores calculations without limited benefits, and joins sales that came before them.
--   arguments  as of store_calculations
-- Replies how many are new. Locks: calculations, counters, sales.
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
