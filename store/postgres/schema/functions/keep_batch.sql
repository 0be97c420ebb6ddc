-- As keep_journalled, with all bytes of the records in one value: as arrays they took a third of the time of a batch to read.
--   p_records  as of store_calculations
--   p_bytes    digest, packed, inputs and explanation of the first record, then of the second, and so on
--   p_ends     where each of them ends in p_bytes, four a record
create or replace function keep_batch(p_records json, p_bytes bytea, p_ends integer[], p_expiry_s integer) returns uuid[]
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
  return keep_journalled(p_records, v_digests, v_packed, v_inputs, v_explanations, p_expiry_s);
end
$$;
