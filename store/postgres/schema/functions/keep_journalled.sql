-- As keep_calculations, for the journal of a gateway.
-- Replies the ids for which another answer is stored.
create or replace function keep_journalled(
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
