-- Settles a calculation by its sale and compares the two.
--   p_at           when the sale came; null: now
--   discrepancies  all of them, those of settle_calculation last
--   freed          counters that got units back
-- Locks: the caller holds that of the calculation; counters are locked here.
create or replace function settle_sale(
  p_sale sale, p_calculation calculation, p_at timestamptz, out discrepancies text[], out freed bigint[]
)
language plpgsql as $$
begin
  select compare_sale(p_sale, p_calculation) || t.late, t.freed into discrepancies, freed
  from settle_calculation(p_calculation, p_sale.status, p_at) t;
end
$$;
